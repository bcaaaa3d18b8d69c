import { lstatSync } from 'node:fs';
import { systemCodeOf } from '../../../base/errors.ts';
import { FILE } from '../../catalog/entries.ts';
import { NO_CHUNKS } from '../../chunk/chunk-list.ts';
import { fileSystemPath } from '../../filesystem/entry-path.ts';
import { packedStat } from '../../filesystem/stat-record.ts';
import type { RunWarning } from '../../job/run-warning.ts';
import { readDetailSync } from '../../scan/entry-detail.ts';
import { reasonOfCode } from '../../scan/warning-reason.ts';
import type { WritableRun } from '../catalog-run.ts';
import type { ChangedFile } from '../upload/upload-chunks.ts';
import { ChunkingQueue, type ChunkingParts } from './chunking-queue.ts';
import { splitDamagedChunks } from './split-damaged-chunks.ts';

/** Reads files again that changed between scan and upload. A deleted file is removed from the catalog. */
export async function rereadChangedFiles(changed: readonly ChangedFile[], parts: ChunkingParts): Promise<void> {
  const { catalogRun, observer, signal } = parts;
  const { entries } = catalogRun;
  const queue = new ChunkingQueue(parts);
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
  await splitDamagedChunks(catalogRun, (warning) => observer.onWarning(warning), signal);
}

/**
 * Takes files that kept changing back to their version in the destination's newest restore point, or out of the manifest if
 * they have none, with a warning. They are also removed if that very version was requested: neither the service nor the
 * disk has it any more, and it would be requested in every later session.
 *
 * @param committed the revision of that restore point, if there is one
 */
export function revertChangedFiles(
  changed: readonly ChangedFile[],
  { entries, run }: WritableRun,
  committed: number | undefined,
  onWarning: (warning: RunWarning) => void,
): void {
  for (const { directory, name, path } of changed) {
    const entry = entries.find(directory, name);
    const before = committed === undefined ? undefined : entries.versionIn(directory, name, committed);
    if (entry?.kind === FILE && before?.chunks && !before.chunks.equals(entry.chunks ?? NO_CHUNKS)) {
      const { detail } = entry;
      entries.put(directory, { name, kind: FILE, child: null, detail, stat: before.stat, chunks: before.chunks }, run);
    } else if (entry) entries.remove(directory, name, null);
    onWarning({ path, reason: 'changed-while-reading' });
  }
  entries.flush();
}
