import { HoldfastError } from '../../../base/errors.ts';
import { isSealedBy, readEnvelope, ringOf, type KeyEnvelope } from '../../../engine/crypto/key-envelope.ts';
import { deriveKeys, keyIdOf } from '../../../engine/crypto/keys.ts';
import { masterKeyOf } from '../../../engine/crypto/recovery-phrase.ts';
import type { AgentParts } from '../../context/agent-parts.ts';
import { lockHome, openDestination } from '../../context/open-context.ts';
import { visibleDevices } from '../../destination/account-devices.ts';
import type { StoredEnvelope } from '../../destination/account-keys.ts';
import type { ServiceAccess } from '../../destination/service-access.ts';
import { findAccount } from '../../setup/account-state.ts';
import { requireSettings, updateStoredSettings, type Settings } from '../../home/settings.ts';
import { accountSecretsIn } from '../../key-store/key-store.ts';
import { requireSecrets } from '../../key-store/require-secrets.ts';

async function envelopesOf(
  access: ServiceAccess,
  { deviceId }: Settings,
  signal: AbortSignal | undefined,
): Promise<readonly StoredEnvelope[]> {
  const { repository, envelopes = [] } = access;
  if (repository) return envelopes.map((bytes) => ({ bytes, envelope: readEnvelope(bytes) }));
  const devices = await visibleDevices(access.service, signal);
  const ids = new Set([deviceId, ...devices.map(({ id }) => id)]);
  return (await findAccount(access, [...ids], signal)).envelopes;
}

/**
 * Takes over the key of a new recovery phrase on a computer that has an older one.
 *
 * @returns the epoch of the key
 * @throws HoldfastError `phrase_invalid`, `phrase_other_account` if the destination has no envelope of that key which has this home's key, too;
 *   `home_busy`, and what the destination throws
 */
export async function adoptPhrase(parts: AgentParts, phrase: string, signal?: AbortSignal): Promise<number> {
  const master = masterKeyOf(phrase);
  using _lock = lockHome(parts, 'key adopt');
  const settings = requireSettings(parts.home, parts.destination);
  const keyStore = parts.keyStore.at(settings.credentials);
  const secrets = await requireSecrets(keyStore, settings);
  await using access = await openDestination(parts, settings, secrets, {});
  const envelopes = await envelopesOf(access, settings, signal);
  const sealed = envelopes.find(({ envelope }) => isSealedBy(envelope, master) && hasKeysOf(envelope, master));
  if (!sealed) throw new HoldfastError('phrase_other_account', {});
  const [current, ...earlierKeys] = ringOf(sealed.envelope, master);
  const account = { ...accountSecretsIn(secrets), masterKey: current.master, epoch: current.epoch, earlierKeys };
  await keyStore.saveKeys(account, sealed.bytes);
  updateStoredSettings(parts.home, (before) => ({ ...before, keyId: keyIdOf(current.master) }));
  return current.epoch;

  /** A later key of this account opens the one that this home has. */
  function hasKeysOf(envelope: KeyEnvelope, candidate: Uint8Array): boolean {
    const own = keyIdOf(secrets.masterKey);
    return deriveKeys(ringOf(envelope, candidate)).ids.includes(own);
  }
}
