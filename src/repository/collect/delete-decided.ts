import { packName } from '../../format/repository/file-names.ts';
import { deleteUnlocked } from '../delete-unlocked.ts';
import type { Repository } from '../repository.ts';

/** What became of the files of packs that this computer decided to delete. */
export interface DecidedFiles {
  /** Hex hashes of packs that are gone with their parity. */
  readonly gone: readonly string[];
  readonly parityBytes: number;
}

/**
 * Deletes the files of packs that this computer decided to delete, also where it was interrupted. The file of a locked one is deleted when
 * its lock has ended.
 *
 * @throws what the storage throws
 */
export async function deleteDecided(repository: Repository, signal?: AbortSignal): Promise<DecidedFiles> {
  const { projection, writerKey, parity } = repository;
  const decided = projection.packs.toBeDeleted(writerKey.id).map((hash) => hash.toString('hex'));
  if (decided.length === 0) return { gone: [], parityBytes: 0 };
  const gone = new Set<string>();
  for (const hash of decided) if (await deleteUnlocked(repository, packName(hash), signal)) gone.add(hash);
  let parityBytes = 0;
  for (const [pack, files] of gone.size === 0 ? [] : await parity.list([...gone], signal)) {
    for (const { name, bytes } of files) {
      if (await deleteUnlocked(repository, name, signal)) parityBytes += bytes;
      else gone.delete(pack);
    }
  }
  for (const hash of gone) projection.packs.markGone(Buffer.from(hash, 'hex'));
  return { gone: [...gone], parityBytes };
}
