import { encodeEnvelope, readEnvelope, type KeySlot } from '../../../format/crypto/key-envelope.ts';
import { sealRing } from '../../../format/crypto/rotation.ts';
import { hashOf } from '../../../format/repository/file-names.ts';
import { putEnvelope } from '../../../repository/membership.ts';
import { deleteEnvelopes } from '../../destination/keys/stored-envelopes.ts';
import { deviceKeyIn } from '../../destination/keys/adopt-keys.ts';
import { accountSecretsIn, keyRingIn } from '../../key-store/key-store.ts';
import type { OpenPlace, OpenRepository } from './open-places.ts';

/** Encodes the envelope of the current key anew, with these slots for passwords. Every device that had a slot gets one again. */
export function reissuedEnvelope({ access }: OpenPlace, passwordSlots: readonly KeySlot[]): Uint8Array {
  const { secrets, settled } = access;
  const ring = keyRingIn(secrets);
  const state = settled?.state;
  const author = deviceKeyIn(secrets);
  if (!state || state.after === undefined || !author) {
    return encodeEnvelope({ ...readEnvelope(secrets.keyEnvelope), slots: passwordSlots }, ring);
  }
  const { members, revoked, since, after } = state;
  const { writers, devices } = settled;
  const { holder } = readEnvelope(secrets.keyEnvelope);
  const membership = { author, members, revoked, writers, devices, holder };
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
  await putEnvelope(repository, envelope, signal);
  await keyStore.saveKeys(accountSecretsIn(access.secrets), envelope);
  const former = (access.envelopes ?? []).filter((bytes) => readEnvelope(bytes).keyId === keyId);
  return await deleteEnvelopes(
    storage,
    former.filter((bytes) => hashOf(bytes) !== hashOf(envelope)),
    signal,
  );
}
