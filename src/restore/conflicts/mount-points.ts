import { mountList } from '../../os/filesystem/mount-list.ts';
import { entryPathOfBytes } from '../../os/filesystem/names/entry-path.ts';

/** Returns the entry paths on which something is mounted; none where the system has no list of mounts. */
export function mountPoints(): ReadonlySet<string> {
  return new Set(mountList().map(({ path }) => entryPathOfBytes(path)));
}
