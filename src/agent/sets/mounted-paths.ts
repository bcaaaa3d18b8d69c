import { statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { mountOf, mountWithText, type Mount } from '../../os/filesystem/mount-list.ts';
import { isInside } from '../../model/local-path.ts';

/** Another path of a folder, or of a part of it. */
interface OtherPath {
  readonly path: string;
  /** The path of the same folder within the folder that was asked about. */
  readonly original: string;
}

/**
 * Returns further paths on which a folder, or a part of it, is mounted: by bind mounts, or since its disk is mounted twice.
 *
 * @param folder without links
 * @param isWanted whether a path is of interest: only such paths are looked at on the disk
 */
export function mountedPathsOf(
  folder: string,
  mounts: readonly Mount[],
  isWanted: (path: string) => boolean,
): readonly string[] {
  return otherPaths(folder, mounts)
    .filter(({ path, original }) => path !== original && isWanted(path) && isSameFolder(path, original))
    .map(({ path }) => path);
}

function otherPaths(folder: string, mounts: readonly Mount[]): readonly OtherPath[] {
  const named = mounts.map(mountWithText);
  const own = mountOf(named, folder);
  if (!own) return [];
  const place = join(own.root, relative(own.path, folder));
  return named
    .filter(({ device }) => device === own.device)
    .flatMap(({ root, path }) => {
      if (isInside(place, root)) return { path: join(path, relative(root, place)), original: folder };
      return isInside(root, place) ? { path, original: join(folder, relative(place, root)) } : [];
    });
}

/** Another mount may cover either path. */
function isSameFolder(path: string, original: string): boolean {
  try {
    const [one, other] = [path, original].map((each) => statSync(each, { bigint: true }));
    return one!.dev === other!.dev && one!.ino === other!.ino;
  } catch {
    return false;
  }
}
