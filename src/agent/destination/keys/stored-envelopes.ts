import { isHoldfastError } from '../../../base/errors/errors.ts';
import { passwordSlotsOf, readEnvelope } from '../../../format/crypto/key-envelope.ts';
import { hashOf, keyHashIn, keyName, KEYS_FOLDER } from '../../../format/repository/file-names.ts';
import { UnlistedFiles } from '../../../storage/unreadable.ts';
import type { Storage } from '../../../storage/storage.ts';

/** Deletes envelopes where the store permits it. Returns whether all are gone. */
export async function deleteEnvelopes(
  storage: Storage,
  envelopes: readonly Uint8Array[],
  signal?: AbortSignal,
): Promise<boolean> {
  if (envelopes.length === 0) return true;
  for (const bytes of envelopes) {
    try {
      await storage.delete(keyName(hashOf(bytes)), signal);
    } catch (error) {
      if (isHoldfastError(error, 'permission_denied')) return false;
      throw error;
    }
  }
  // A bucket that keeps versions says nothing.
  const gone = new Set(envelopes.map((bytes) => hashOf(bytes)));
  const unlisted = new UnlistedFiles();
  for await (const batch of storage.list(KEYS_FOLDER, signal, unlisted.add)) {
    if (batch.some(({ name }) => gone.has(keyHashIn(name) ?? ''))) return false;
  }
  return unlisted.problems.size === 0;
}

/** Returns whether an envelope was made for codes only, of which one is valid at a time. */
export function isCodeOnly(bytes: Uint8Array): boolean {
  const envelope = readEnvelope(bytes);
  const codes = passwordSlotsOf(envelope, 'code').length;
  return codes > 0 && codes === envelope.slots.length;
}

/** Returns whether an envelope was made for codes that no longer count. */
export function hasExpired(bytes: Uint8Array, now: number): boolean {
  const codes = passwordSlotsOf(readEnvelope(bytes), 'code');
  return isCodeOnly(bytes) && codes.every(({ expires = 0 }) => expires <= now);
}
