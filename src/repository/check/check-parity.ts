import pLimit from 'p-limit';
import { missingParityName } from '../../format/repository/file-names.ts';
import { DamagedFileError } from '../../format/repository/damage.ts';
import type { StoredFile } from '../../storage/storage.ts';
import type { UnlistedFiles } from '../../storage/unreadable.ts';
import type { ParityFiles } from '../parity/pack-parity.ts';
import type { StoredPack } from '../projection/packs.ts';
import type { Repository } from '../repository.ts';
import type { FileCount, Findings } from './report.ts';

export interface ParityCheckOptions {
  /** The parity of all packs. */
  readonly files: ParityFiles;
  /** The files of the parity that cannot be listed. */
  readonly unlisted: UnlistedFiles;
  /** Returns whether the parity of a pack is read. */
  readonly isRead: (hash: string) => boolean;
  readonly findings: Findings;
  readonly signal?: AbortSignal | undefined;
}

/** Looks for the parity of the packs that the ledger names. Packs of a backup that is running may have none yet. */
export async function checkParity(
  { parity, storage }: Repository,
  packs: readonly StoredPack[],
  { files, unlisted, isRead, findings, signal }: ParityCheckOptions,
): Promise<FileCount> {
  const count = { files: 0, bytes: 0 };
  if (parity.percent === 0) return count;
  for (const { bytes } of [...files.values()].flat()) {
    count.files += 1;
    count.bytes += bytes;
  }
  const limit = pLimit(storage.concurrency);
  const checks = packs.map(({ hash, bytes }) =>
    limit(async () => {
      signal?.throwIfAborted();
      const pack = hash.toString('hex');
      const found = files.get(pack) ?? [];
      const missing = missingParityName(pack);
      if (found.length === 0 && unlisted.problemOf(missing) === undefined) findings.add(missing, 'missing');
      for (const file of found) {
        if (!parity.isOfLength(file, bytes)) findings.add(file.name, 'length');
        else if (isRead(pack)) await read(file);
      }
    }),
  );
  await Promise.all(checks).finally(() => limit.clearQueue());
  return count;

  async function read(file: StoredFile): Promise<void> {
    try {
      if (!(await parity.isSound(file, signal))) findings.add(file.name, 'hash');
    } catch (error) {
      if (!(error instanceof DamagedFileError)) throw error;
      findings.add(file.name, error.problem);
    }
  }
}
