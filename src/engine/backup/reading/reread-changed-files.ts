import { lstatSync } from 'node:fs';
import { systemCodeOf } from '../../../base/errors/errors.ts';
import { isWithin } from '../../../protocol/path.ts';
import { FILE } from '../../catalog/entries/entries.ts';
import { fileSystemPath } from '../../filesystem/names/entry-path.ts';
import { packedStat } from '../../filesystem/stat-record.ts';
import { readDetailSync } from '../../scan/entry-detail.ts';
import { reasonOfCode } from '../../scan/warning-reason.ts';
import type { ChangedFile } from '../upload/upload-chunks.ts';
import { ChunkingQueue, isDeleted, type ChunkingParts } from './chunking-queue.ts';
import { splitDamagedChunks } from './split-damaged-chunks.ts';

/** No folder is there. */
const NOWHERE = -1;

export interface RereadingParts extends ChunkingParts {
  /** Sources, and folders in them, whose files keep their last known version. */
  readonly missing: readonly { readonly path: string }[];
}

/** Reads files again that changed between scan and upload. A deleted file is removed from the catalog. */
export async function rereadChangedFiles(changed: readonly ChangedFile[], parts: RereadingParts): Promise<void> {
  const { catalogRun, observer, signal, missing, copies, places } = parts;
  const { entries } = catalogRun;
  const queue = new ChunkingQueue(parts);
  for (const file of changed) {
    if (missing.some(({ path }) => isWithin(file.path, path))) continue;
    const known = entries.find(file.directory, file.name);
    const place = known?.place ?? NOWHERE;
    try {
      const real = copies?.realPathOf(file.path) ?? file.path;
      const stat = lstatSync(fileSystemPath(real), { bigint: true });
      const detail = readDetailSync(real, false);
      await queue.add({
        ...file,
        size: Number(stat.size),
        stat: packedStat(stat),
        detail,
        place,
        isKnown: known?.kind === FILE,
      });
    } catch (error) {
      const code = systemCodeOf(error);
      if (code === undefined) throw error;
      if (code === 'ENOENT' && isDeleted({ path: file.path, place }, places)) {
        entries.remove(file.directory, file.name, null);
      } else observer.onWarning({ path: file.path, reason: reasonOfCode(code) });
    }
  }
  await queue.finish();
  await splitDamagedChunks(catalogRun, (warning) => observer.onWarning(warning), signal);
}
