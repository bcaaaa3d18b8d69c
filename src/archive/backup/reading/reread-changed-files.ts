import { lstatSync } from 'node:fs';
import { systemCodeOf } from '../../../base/errors/errors.ts';
import { isWithin } from '../../../model/entry-path.ts';
import { FILE } from '../../../catalog/entries/entry.ts';
import { fileSystemPath } from '../../../os/filesystem/names/entry-path.ts';
import { packedStat } from '../../../os/filesystem/stat-record.ts';
import { readDetailSync } from '../../scan/entry-detail.ts';
import { reasonOfCode } from '../../scan/warning-reason.ts';
import type { ChangedFile } from '../upload/upload-chunks.ts';
import { ChunkingQueue, isDeleted, type ChunkingParts } from './chunking-queue.ts';
import { Databases } from './databases.ts';
import { splitDamagedChunks } from './split-damaged-chunks.ts';
import type { FilesInCopies } from './volume-copies.ts';

/** No folder is there. */
const NOWHERE = -1;

export interface RereadingParts extends ChunkingParts {
  readonly copies: FilesInCopies;
  /** An existing folder for copies of databases. */
  readonly scratch: string;
  /** Sources, and folders in them, whose files keep their last known version. */
  readonly missing: readonly { readonly path: string }[];
}

/** Reads files again that changed between scan and upload. A deleted file is removed from the catalog. */
export async function rereadChangedFiles(changed: readonly ChangedFile[], parts: RereadingParts): Promise<void> {
  const { catalogRun, observer, signal, missing, copies, places } = parts;
  const databases = new Databases(parts);
  const { entries } = catalogRun;
  const queue = new ChunkingQueue(parts);
  for (const one of changed) {
    if (missing.some(({ path }) => isWithin(one.path, path))) continue;
    // What was moved from a log into its database is there now.
    const file = isThere(copies.realPathOf(one.path)) ? one : (databases.leadOf(one) ?? one);
    const known = entries.find(file.directory, file.name);
    const place = known?.place ?? NOWHERE;
    try {
      const real = copies.realPathOf(file.path);
      const stat = lstatSync(fileSystemPath(real), { bigint: true });
      const detail = readDetailSync(real, false);
      const { directory, name, path } = file;
      const size = Number(stat.size);
      const isKnown = known?.kind === FILE;
      const found = { directory, name, path, size, stat: packedStat(stat), detail, place, isKnown };
      if (!databases.take(found)) await queue.add(found);
    } catch (error) {
      const code = systemCodeOf(error);
      if (code === undefined) throw error;
      if (code === 'ENOENT' && isDeleted({ path: file.path, place }, places)) {
        entries.remove(file.directory, file.name, null);
      } else observer.onWarning({ path: file.path, reason: reasonOfCode(code) });
    }
  }
  await databases.read(queue, (warning) => observer.onWarning(warning));
  await queue.finish();
  await splitDamagedChunks(catalogRun, (warning) => observer.onWarning(warning), signal);
}

/** Returns whether a path exists. One that cannot be looked at counts as existing. */
function isThere(path: string): boolean {
  try {
    return lstatSync(fileSystemPath(path), { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return true;
  }
}
