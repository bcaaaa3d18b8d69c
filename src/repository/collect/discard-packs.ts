import { packName } from '../../format/repository/file-names.ts';
import { deleteUnlocked } from '../delete-unlocked.ts';
import type { Repository } from '../repository.ts';

/**
 * Deletes the files of packs that this computer has stored and that no segment names, and forgets the packs. Nobody else knows them.
 *
 * @param listed bytes of the files of packs that were begun and perhaps never finished
 * @returns the bytes of the files
 * @throws what the storage throws
 */
export async function discardPacks(
  repository: Repository,
  hashes: readonly Uint8Array[],
  { signal, listed }: { readonly signal?: AbortSignal | undefined; readonly listed?: ReadonlyMap<string, number> } = {},
): Promise<number> {
  const { projection, parity } = repository;
  const { packs, unfinishedPacks } = projection;
  const unreported = new Map(packs.unreported().map(({ hash, bytes }) => [hash.toString('hex'), bytes]));
  const unfinished = new Set(unfinishedPacks.all().map(({ hash }) => hash.toString('hex')));
  const names = hashes
    .map((hash) => Buffer.from(hash).toString('hex'))
    .filter((name) => unreported.has(name) || unfinished.has(name));
  const parityOf = names.length === 0 ? undefined : await parity.list(names, signal);
  let freed = 0;
  for (const name of names) {
    signal?.throwIfAborted();
    const hash = Buffer.from(name, 'hex');
    // From here on no run counts on it. If this process ends now, the next run finishes the pack, or finds that it is gone.
    unfinishedPacks.begin(hash);
    projection.change(() => packs.forgetUnreported(hash));
    let isGone = await deleteUnlocked(repository, packName(name), signal);
    if (isGone) freed += unreported.get(name) ?? listed?.get(name) ?? 0;
    for (const file of parityOf?.get(name) ?? []) {
      const isDeleted = await deleteUnlocked(repository, file.name, signal);
      if (isDeleted) freed += file.bytes;
      isGone &&= isDeleted;
    }
    if (isGone) unfinishedPacks.end(hash);
  }
  return freed;
}
