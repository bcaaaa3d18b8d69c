import { isHoldfastError } from '../../base/errors.ts';
import { DAMAGED_FOLDER, hashOf, packHashIn } from '../format/file-names.ts';
import type { Storage } from '../storage/storage.ts';

/** What became of a damaged file: `kept` where the store forbids deletion. */
export type Moved = 'moved' | 'kept' | 'missing';

/** Moves a damaged file to `damaged/`: copies it, then deletes it. Nothing is deleted without a copy. */
export async function moveAside(storage: Storage, name: string, signal?: AbortSignal): Promise<Moved> {
  const bytes = await storage.get(name, undefined, signal);
  if (!bytes) return 'missing';
  // A pack with the bytes that its name promises is not what is damaged.
  if (packHashIn(name) === hashOf(bytes)) return 'kept';
  // A store takes an empty file for one that is being created.
  if (bytes.length > 0) await copyAside(storage, name, bytes, signal);
  try {
    await storage.delete(name, signal);
    return 'moved';
  } catch (error) {
    if (isHoldfastError(error, 'permission_denied')) return 'kept';
    throw error;
  }
}

async function copyAside(storage: Storage, name: string, bytes: Uint8Array, signal?: AbortSignal): Promise<void> {
  for (let number = 1; ; number += 1) {
    const copy = `${DAMAGED_FOLDER}${name}${number === 1 ? '' : `-${number}`}`;
    await storage.put(copy, [bytes], signal);
    const written = await storage.get(copy, undefined, signal);
    if (written && Buffer.compare(written, bytes) === 0) return;
  }
}
