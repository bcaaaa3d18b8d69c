import { lstat, open } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { HoldfastError, isHoldfastError, systemCodeOf } from '../../../base/errors/errors.ts';
import { entryPathOf, fileSystemPath } from '../../../os/filesystem/names/entry-path.ts';
import type { FileOnDisk } from '../../../ipc/contract/restore/target.ts';
import { isWithin } from '../../../model/entry-path.ts';
import type { StoredSettings } from '../../home/settings.ts';
import { resultWithin } from '../result-within.ts';
import { READ_FLAGS } from '../../../os/filesystem/read-flags.ts';

/** A network drive whose server is gone may never respond. */
const TIMEOUT_MS = 5000;

/** Returns those of the paths that have a file or a folder now. One that does not respond counts as there. */
export async function filesOnDisk(paths: readonly string[]): Promise<FileOnDisk[]> {
  const found = await Promise.all(paths.map((path) => resultWithin(TIMEOUT_MS, fileOnDisk(path))));
  return found.flatMap((file, index) => (file === 'gone' ? [] : [file ?? { path: paths[index]!, kind: 'other' }]));
}

async function fileOnDisk(path: string): Promise<FileOnDisk | 'gone'> {
  const place = fileSystemPath(path);
  if (!isAbsolute(String(place))) return 'gone';
  try {
    const stat = await lstat(place);
    const kind = stat.isFile() ? 'file' : stat.isDirectory() ? 'directory' : 'other';
    return { path, kind, size: stat.size, modified: stat.mtime.toISOString() };
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === undefined) throw error;
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'gone' : { path, kind: 'other' };
  }
}

/**
 * Reads a file in its original place, unless it is larger than `most`. Only files below the folders of a set of this computer are read.
 *
 * @throws HoldfastError `path_not_found` if it is outside of them, gone, or no file; `source_unreadable`
 */
export async function readFileOnDisk(
  { sets }: Pick<StoredSettings, 'sets'>,
  path: string,
  most: number,
): Promise<{ readonly size: number; readonly bytes?: Uint8Array<ArrayBuffer> }> {
  const isCovered = sets.some(({ roots }) => roots.some((root) => isWithin(path, entryPathOf(root))));
  if (!isCovered) throw new HoldfastError('path_not_found', { path });
  try {
    await using file = await open(fileSystemPath(path), READ_FLAGS);
    const stat = await file.stat();
    if (!stat.isFile()) throw new HoldfastError('path_not_found', { path });
    if (stat.size > most) return { size: stat.size };
    const buffer = new Uint8Array(stat.size);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return { size: length, bytes: buffer.subarray(0, length) };
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === undefined || isHoldfastError(error)) throw error;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP')
      throw new HoldfastError('path_not_found', { path });
    throw new HoldfastError('source_unreadable', { path, problem: code }, { cause: error });
  }
}
