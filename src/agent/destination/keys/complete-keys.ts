import { HoldfastError } from '../../../base/errors/errors.ts';
import { readEnvelope } from '../../../format/crypto/key-envelope.ts';
import { keyIdOf } from '../../../format/crypto/keys.ts';
import { rotate, sealRing } from '../../../format/crypto/rotation.ts';
import { membersOf, putEnvelope, writerLimits } from '../../../repository/membership.ts';
import { accountSecretsIn, keyRingIn, type KeyStore, type Secrets } from '../../key-store/key-store.ts';
import { deviceKeyIn } from './adopt-keys.ts';
import type { KnownWriters } from './known-writers.ts';
import type { ServiceAccess } from '../service-access.ts';
import { deleteEnvelopes, hasExpired } from './stored-envelopes.ts';

/**
 * Adds to a destination of files what its key envelopes lack, before a backup: an envelope that it lost, the key that another destination has already, or what
 * another computer that changed the key at the same time did not know.
 *
 * @param keyStore of the destination
 * @param known of the destination
 * @returns the secrets with the envelope that the destination now has
 * @throws HoldfastError `key_changed` if a new key was necessary: the destination has to be opened again; what the storage throws
 */
export async function completeKeys(
  { repository, settled, secrets, envelopes = [] }: ServiceAccess,
  keyStore: KeyStore,
  known: KnownWriters,
  { now, signal }: { readonly now: number; readonly signal?: AbortSignal | undefined },
): Promise<Secrets> {
  const author = deviceKeyIn(secrets);
  if (!repository || !settled || settled.isWithdrawn || !author) return secrets;
  const expiredCodes = envelopes.filter((envelope) => hasExpired(envelope, now));
  await deleteEnvelopes(repository.storage, expiredCodes, signal);
  if (repository.hasLostKey) await putEnvelope(repository, secrets.keyEnvelope, signal);
  if (settled.state) known.forget();
  if (settled.lacks === 'nothing') return secrets;
  await repository.refreshForWriting(signal);
  const { removed, members, revoked } = membersOf(repository, settled.revoked, { known: known.read() });
  const writers = new Map([...settled.writers, ...(await writerLimits(repository, settled.newest, removed, signal))]);
  const membership = { author, members, revoked, writers };
  if (settled.lacks === 'rotate') {
    const next = await rotate(keyRingIn(secrets), settled.state, membership, { now });
    await putEnvelope(repository, next.envelope, signal);
    throw new HoldfastError('key_changed', {}, { retryable: true });
  }
  const { state, newest } = settled;
  const ring = keyRingIn(secrets);
  const before = state?.after === undefined ? newest : { ...state, keyId: state.after, since: 0 };
  if (!before || before.keyId === keyIdOf(ring[0].master)) return secrets;
  const all = { ...membership, members: [...members, ...(state?.members ?? [])] };
  const keyEnvelope = sealRing(ring, before, all, { since: state?.since ?? now });
  await putEnvelope(repository, keyEnvelope, signal);
  const next = { ...secrets, revoked, keyEnvelope };
  await keyStore.saveKeys(accountSecretsIn(next), keyEnvelope);
  known.forget();
  return next;
}

/** Returns whether a destination has an envelope of the current key. */
export function hasCurrentEnvelope({ masterKey }: Secrets, found: readonly Uint8Array[]): boolean {
  const keyId = keyIdOf(masterKey);
  return found.some((envelope) => readEnvelope(envelope).keyId === keyId);
}
