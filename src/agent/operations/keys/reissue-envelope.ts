import { encodeEnvelope, readEnvelope, type KeySlot } from '../../../engine/crypto/key-envelope.ts';
import { sealRing } from '../../../engine/crypto/rotation.ts';
import { isHoldfastError } from '../../../base/errors.ts';
import { keyHashIn, keyName, KEYS_FOLDER, hashOf } from '../../../repository/format/file-names.ts';
import { findRepository } from '../../../repository/create-repository.ts';
import { putEnvelope } from '../../../repository/membership.ts';
import type { Storage } from '../../../repository/storage/storage.ts';
import { deviceKeyIn } from '../../destination/adopt-keys.ts';
import { keyRingIn } from '../../key-store/key-store.ts';
import type { OpenRepository } from './each-repository.ts';

/** Encodes the envelope of the current key anew, with these slots for passwords. Every device that had a slot gets one again. */
export function reissuedEnvelope({ access }: OpenRepository, passwordSlots: readonly KeySlot[]): Uint8Array {
  const { secrets, settled } = access;
  const ring = keyRingIn(secrets);
  const state = settled?.state;
  const author = deviceKeyIn(secrets);
  if (!state || state.after === undefined || !author) {
    return encodeEnvelope({ ...readEnvelope(secrets.keyEnvelope), slots: passwordSlots }, ring);
  }
  const { members, revoked, since, after } = state;
  const membership = { author, members, revoked, writers: settled.writers };
  return sealRing(ring, { ...state, keyId: after, since: 0 }, membership, { since, passwordSlots });
}

/**
 * Stores the envelope of the current key in the place of those that the destination has, and deletes these where the store permits it.
 *
 * @returns whether all of them are gone
 */
export async function replaceEnvelopes(
  { repository, keyStore, access }: OpenRepository,
  envelope: Uint8Array,
  signal?: AbortSignal,
): Promise<boolean> {
  const { storage } = repository;
  const { keyId } = readEnvelope(envelope);
  const found = await findRepository(storage, signal, keyRingIn(access.secrets));
  await putEnvelope(repository, envelope, signal);
  const { accountSecretsIn } = await import('../../key-store/key-store.ts');
  await keyStore.saveKeys(accountSecretsIn(access.secrets), envelope);
  const former = (found?.envelopes ?? []).filter((bytes) => readEnvelope(bytes).keyId === keyId);
  return await deleteEnvelopes(
    storage,
    former.filter((bytes) => hashOf(bytes) !== hashOf(envelope)),
    signal,
  );
}

/** Deletes envelopes where the store permits it. Returns whether all are gone. */
export async function deleteEnvelopes(
  storage: Storage,
  envelopes: readonly Uint8Array[],
  signal?: AbortSignal,
): Promise<boolean> {
  for (const bytes of envelopes) {
    try {
      await storage.delete(keyName(hashOf(bytes)), signal);
    } catch (error) {
      if (isHoldfastError(error, 'permission_denied')) return false;
      throw error;
    }
  }
  if (envelopes.length === 0) return true;
  // A bucket that keeps versions says nothing.
  const gone = new Set(envelopes.map((bytes) => hashOf(bytes)));
  for await (const batch of storage.list(KEYS_FOLDER, signal)) {
    if (batch.some(({ name }) => gone.has(keyHashIn(name) ?? ''))) return false;
  }
  return true;
}
