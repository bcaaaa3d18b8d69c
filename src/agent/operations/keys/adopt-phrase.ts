import { HoldfastError } from '../../../base/errors/errors.ts';
import { isSealedBy, readEnvelope, ringOf, type KeyEnvelope } from '../../../format/crypto/key-envelope.ts';
import { sealRing } from '../../../format/crypto/rotation.ts';
import { deriveKeys, keyIdOf } from '../../../format/crypto/keys.ts';
import { masterKeyOf } from '../../../format/crypto/recovery-phrase.ts';
import { putEnvelope } from '../../../repository/membership.ts';
import type { AgentParts } from '../../context/agent-parts.ts';
import type { OperationRun } from '../../context/operation-run.ts';
import { lockHome, openDestination } from '../../context/open-context.ts';
import { visibleDevices } from '../../destination/keys/account-devices.ts';
import { adoptKeys, deviceKeyIn } from '../../destination/keys/adopt-keys.ts';
import type { StoredEnvelope } from '../../destination/keys/account-keys.ts';
import type { ServiceAccess } from '../../destination/service-access.ts';
import { findAccount } from '../../setup/account-state.ts';
import { requireSettings, updateStoredSettings, type Settings } from '../../home/settings.ts';
import { accountSecretsIn, keyRingIn, type Secrets } from '../../key-store/key-store.ts';
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
 * Stores an envelope that lets the segments count which this computer wrote under its earlier key, if whoever changed the key did not know
 * it: its first backup was under way. A removed computer stays removed.
 *
 * @param secrets with the new key
 * @param found bytes of the destination's envelopes
 * @returns the envelope; `undefined` if none is necessary
 */
async function admitOwnSegments(
  { repository }: ServiceAccess,
  secrets: Secrets,
  found: readonly Uint8Array[],
  signal: AbortSignal | undefined,
): Promise<Uint8Array | undefined> {
  const author = deviceKeyIn(secrets);
  const { state } = adoptKeys(secrets, found).settled;
  if (!repository || !author || state?.after === undefined) return undefined;
  const { id } = repository.writerKey;
  const hasWritten = repository.projection.ledgers.writers().some((writer) => writer.id === id);
  if (!hasWritten || state.writers.has(id)) return undefined;
  const writers = new Map(state.writers).set(id, { epoch: repository.keys.epoch });
  const before = { ...state, keyId: state.after, since: 0 };
  const envelope = sealRing(keyRingIn(secrets), before, { ...state, author, writers }, state);
  await putEnvelope(repository, envelope, signal);
  return envelope;
}

/**
 * Takes over the key of a new recovery phrase on a computer that has an older one.
 *
 * @returns the epoch of the key
 * @throws HoldfastError `phrase_invalid`, `phrase_other_account` if the destination has no envelope of that key which has this home's key, too;
 *   `home_busy`, and what the destination throws
 */
export async function adoptPhrase(
  parts: AgentParts,
  { phrase }: { readonly phrase: string },
  { signal }: OperationRun = {},
): Promise<number> {
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
  const found = envelopes.map(({ bytes }) => bytes);
  const adopted = { ...secrets, ...account, keyEnvelope: sealed.bytes };
  await keyStore.saveKeys(account, (await admitOwnSegments(access, adopted, found, signal)) ?? sealed.bytes);
  updateStoredSettings(parts.home, (before) => ({ ...before, keyId: keyIdOf(current.master) }));
  return current.epoch;

  /** A later key of this account opens the one that this home has. */
  function hasKeysOf(envelope: KeyEnvelope, candidate: Uint8Array): boolean {
    const own = keyIdOf(secrets.masterKey);
    return deriveKeys(ringOf(envelope, candidate)).ids.includes(own);
  }
}
