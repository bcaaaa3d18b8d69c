import { lstatSync } from 'node:fs';
import { systemCodeOf } from '../../../base/errors/errors.ts';
import { FILE } from '../../catalog/entries/entries.ts';
import { fileSystemPath } from '../../filesystem/names/entry-path.ts';
import { packedStat } from '../../filesystem/stat-record.ts';
import { readDetailSync } from '../../scan/entry-detail.ts';
import { reasonOfCode } from '../../scan/warning-reason.ts';
import type { ChangedFile } from '../upload/upload-chunks.ts';
import { absentRootOf, type AbsentRoot } from './check-roots.ts';
import { ChunkingQueue, type ChunkingParts } from './chunking-queue.ts';
import { splitDamagedChunks } from './split-damaged-chunks.ts';

export interface RereadingParts extends ChunkingParts {
  /** The sources whose files keep their last known version. */
  readonly absent: readonly AbsentRoot[];
}

/** Reads files again that changed between scan and upload. A deleted file is removed from the catalog. */
export async function rereadChangedFiles(changed: readonly ChangedFile[], parts: RereadingParts): Promise<void> {
  const { catalogRun, observer, signal, absent } = parts;
  const { entries } = catalogRun;
  const queue = new ChunkingQueue(parts);
  for (const file of changed) {
    if (absentRootOf(file.path, absent)) continue;
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
