import { hashOf, packName } from '../../format/repository/file-names.ts';
import { LARGEST_PACK_BYTES } from '../../format/repository/pack-file.ts';
import { readIfSound, takePack } from '../packs/read-pack-end.ts';
import { readIfReadable } from '../../storage/read-stored.ts';
import { isOfOneFolder } from '../../storage/unreadable.ts';
import type { Repository } from '../repository.ts';

/**
 * Finishes the packs of a run that ended while it stored them, with their parity, and counts on them from then on. A pack whose file is
 * missing, has other bytes than its name says or cannot be written is forgotten: its chunks are stored again.
 *
 * @throws what the storage throws
 */
export async function finishPacks(repository: Repository, signal?: AbortSignal): Promise<void> {
  const { storage, projection, parity } = repository;
  const { unfinishedPacks } = projection;
  for (const { hash, isStored } of unfinishedPacks.all()) {
    signal?.throwIfAborted();
    const name = hash.toString('hex');
    const bytes = await readIfReadable(storage, packName(name), { offset: 0, length: LARGEST_PACK_BYTES }, signal);
    const isWhole = bytes !== undefined && hashOf(bytes) === name;
    const end = isWhole ? await readIfSound(repository, name, bytes.length, signal) : undefined;
    const isFinished = end !== undefined && (await finish(name, bytes!, isStored));
    projection.change(() => {
      if (isFinished) takePack(projection, hash, end);
      unfinishedPacks.end(hash);
    });
  }

  /** Returns false if the folder of the pack, or of its parity, cannot be written to. */
  async function finish(name: string, bytes: Uint8Array, isStored: boolean): Promise<boolean> {
    try {
      // What a killed process has written need not survive a power cut yet.
      if (!isStored) await storage.put(packName(name), [bytes], signal);
      await parity.put(name, await parity.encode(bytes), signal);
      return true;
    } catch (error) {
      if (isOfOneFolder(error)) return false;
      throw error;
    }
  }
}
