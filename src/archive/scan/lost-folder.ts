import { lstatSync } from 'node:fs';
import { systemCodeOf } from '../../base/errors/errors.ts';
import { parentOf } from '../../model/entry-path.ts';
import { entryPathIn, fileSystemPath } from '../../os/filesystem/names/entry-path.ts';
import type { Places } from './places.ts';
import { readDirectorySync } from './read-directory.ts';
import type { Folder } from './seen-entry.ts';

type LostFolder = Pick<Folder, 'path' | 'stat' | 'place' | 'mount'>;

/**
 * Returns the reason why a folder that was found could not be read, although no error says more than that it is not there. It counts as deleted only if a
 * folder around it, of the same disk, shows that; a disk that is gone, or a file system that answers wrongly, is no deletion.
 */
export function reasonOfLost(folder: LostFolder, places: Pick<Places, 'of'>): 'vanished' | 'unreadable (ENOENT)' {
  return isDeleted(folder, places) ? 'vanished' : 'unreadable (ENOENT)';
}

function isDeleted({ path: lost, stat, place, mount }: LostFolder, places: Pick<Places, 'of'>): boolean {
  for (let path = lost; path !== mount && path !== ''; path = parentOf(path)) {
    const above = parentOf(path);
    try {
      const { dev } = lstatSync(fileSystemPath(above), { bigint: true });
      if (dev !== stat.dev || places.of(above)?.number !== place) return false;
      return readDirectorySync(above).every((name) => entryPathIn(above, name) !== path);
    } catch (error) {
      if (systemCodeOf(error) !== 'ENOENT') return false;
    }
  }
  return false;
}
