import { lstatSync } from 'node:fs';
import { FILE, type CatalogEntries, type SetRun } from '../catalog/entries.ts';
import { packedStat } from '../filesystem/stat-record.ts';
import { systemCodeOf } from '../../base/errors.ts';
import { fileSystemPath } from '../filesystem/entry-path.ts';
import { readDetailSync } from '../scan/entry-detail.ts';
import { reasonOfCode } from '../scan/unreadable.ts';
import type { WorkerPool } from '../workers/pool.ts';
import { ChunkingQueue, type ChunkingObserver } from './chunking-queue.ts';
import { recutDamaged } from './recut.ts';
import type { ChangedFile } from './upload.ts';

/** Reads files again that changed between scan and upload. One that is gone is taken as deleted before. */
export async function readAgain(
  changed: readonly ChangedFile[],
  entries: CatalogEntries,
  run: SetRun,
  pool: WorkerPool,
  observer: ChunkingObserver,
  signal: AbortSignal | undefined,
): Promise<void> {
  const queue = new ChunkingQueue(entries, run, pool, observer, signal);
  for (const file of changed) {
    try {
      const stat = lstatSync(fileSystemPath(file.path), { bigint: true });
      const detail = readDetailSync(file.path, false);
      const isKnown = entries.find(file.directory, file.name)?.kind === FILE;
      await queue.add({ ...file, size: Number(stat.size), stat: packedStat(stat), detail, isKnown });
    } catch (error) {
      const code = systemCodeOf(error);
      if (code === undefined) throw error;
      if (code === 'ENOENT') entries.remove(file.directory, file.name, null);
      else observer.onWarning({ path: file.path, reason: reasonOfCode(code) });
    }
  }
  await queue.finish();
  await recutDamaged(entries, run, (warning) => observer.onWarning(warning), signal);
}

/**
 * Files that were read again often enough go back to the version of the newest restore point, or leave the manifest, and
 * are named. They leave it too where that version is the one that was asked for: the service has lost it, and it is on no
 * disk any more. Kept, it would be asked for in every session to come.
 */
export function giveUpReading(
  changed: readonly ChangedFile[],
  entries: CatalogEntries,
  run: SetRun,
  observer: Pick<ChunkingObserver, 'onWarning'>,
): void {
  const committed = entries.committedRun(run.setId);
  for (const file of changed) {
    const asked = Buffer.from(entries.find(file.directory, file.name)?.chunks ?? []);
    entries.revert(file.directory, file.name, committed);
    const kept = entries.find(file.directory, file.name)?.chunks;
    if (kept?.equals(asked)) entries.remove(file.directory, file.name, null);
    observer.onWarning({ path: file.path, reason: 'changed-while-reading' });
  }
  entries.flush();
}
