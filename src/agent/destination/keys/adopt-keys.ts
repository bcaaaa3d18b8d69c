import { parseDeviceKey, type DeviceKey } from '../../../format/crypto/device-key.ts';
import { readEnvelope } from '../../../format/crypto/key-envelope.ts';
import { keyIdOf } from '../../../format/crypto/keys.ts';
import { settleKeys, type SettledKeys } from '../../../format/crypto/settle-keys.ts';
import { isHoldfastError } from '../../../base/errors/errors.ts';
import { keyRingIn, type Secrets } from '../../key-store/key-store.ts';

/** Secrets after the envelopes of a destination were read. */
export interface AdoptedKeys {
  readonly secrets: Secrets;
  readonly settled: SettledKeys;
  /** True if the secrets have a key, or an envelope, that they did not have before. */
  readonly isChanged: boolean;
}

/** Takes over the current key of a destination. @param found bytes of its envelopes */
export function adoptKeys(secrets: Secrets, found: readonly Uint8Array[]): AdoptedKeys {
  const ring = keyRingIn(secrets);
  const bytes = [...found, secrets.keyEnvelope];
  const envelopes = bytes.flatMap((envelope) => readable(envelope));
  const holder = { ring, device: deviceKeyIn(secrets), revoked: secrets.revoked ?? [] };
  const settled = settleKeys(
    holder,
    envelopes.map(({ envelope }) => envelope),
  );
  const [current, ...earlierKeys] = settled.ring;
  const keyId = keyIdOf(current.master);
  const stored = readable(secrets.keyEnvelope)[0]?.envelope;
  const best = envelopes
    .filter(({ envelope }) => envelope.keyId === keyId)
    .sort((a, b) => b.envelope.earlier.length - a.envelope.earlier.length)[0];
  const keyEnvelope = stored?.keyId === keyId ? secrets.keyEnvelope : (best?.bytes ?? secrets.keyEnvelope);
  const isChanged =
    keyEnvelope !== secrets.keyEnvelope ||
    settled.ring.length !== ring.length ||
    keyId !== keyIdOf(secrets.masterKey) ||
    settled.revoked.length !== (secrets.revoked ?? []).length;
  if (!isChanged) return { secrets, settled, isChanged };
  const account = { masterKey: current.master, epoch: current.epoch, earlierKeys, revoked: settled.revoked };
  return { secrets: { ...secrets, ...account, keyEnvelope }, settled, isChanged };
}

export function deviceKeyIn({ deviceSecret }: Secrets): DeviceKey | undefined {
  return deviceSecret && parseDeviceKey(deviceSecret);
}

function readable(bytes: Uint8Array) {
  try {
    return [{ bytes, envelope: readEnvelope(bytes) }];
  } catch (error) {
    if (isHoldfastError(error)) return [];
    throw error;
  }
}
