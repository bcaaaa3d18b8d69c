import { hashOf, packName } from '../format/file-names.ts';
import { LARGEST_PACK_BYTES } from '../format/pack-file.ts';
import { readIfSound } from '../packs/read-pack-end.ts';
import type { Repository } from '../repository.ts';

/**
 * Stores the parity of packs whose run ended before it did so, and counts on the packs from then on. A pack whose file is missing or
 * has other bytes than its name says is forgotten: its chunks are stored again.
 *
 * @throws what the storage throws
 */
export async function completeParity(repository: Repository, signal?: AbortSignal): Promise<void> {
  const { storage, projection, parity } = repository;
  const { packs, unfinishedPacks } = projection;
  for (const hash of unfinishedPacks.all()) {
    signal?.throwIfAborted();
    const name = hash.toString('hex');
    const bytes = await storage.get(packName(name), { offset: 0, length: LARGEST_PACK_BYTES }, signal);
    const isWhole = bytes !== undefined && hashOf(bytes) === name;
    const end = isWhole ? await readIfSound(repository, name, bytes.length, signal) : undefined;
    if (end) await parity.put(name, await parity.encode(bytes!), signal);
    projection.change(() => {
      if (end) packs.add({ hash, writer: undefined, contents: end.table }, end.blobs);
      unfinishedPacks.end(hash);
    });
  }
}
