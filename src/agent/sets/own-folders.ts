import { join, relative } from 'node:path';
import { isInside, realPathOf } from '../../engine/filesystem/real-path.ts';
import type { Home } from '../home/home.ts';
import type { Settings } from '../home/settings.ts';

/** The folders that hold Holdfast's own data now or held it before. They are never backed up. */
export function ownFolders(home: Home, { destination, others, former = [] }: Settings): readonly string[] {
  const destinations = [destination, ...[...others, ...former].map((other) => other.destination)];
  return [home.folder, ...destinations.flatMap((other) => (other.kind === 'folder' ? [other.directory] : []))];
}

/**
 * The own folders within a set's roots, which a backup skips. Each is named by the path on which a scan of its root meets
 * it, whatever links lead to the root.
 */
export function ownFoldersWithin(roots: readonly string[], folders: readonly string[]): readonly string[] {
  return roots.flatMap((root) => {
    const realRoot = realPathOf(root);
    const within = folders.map(realPathOf).filter((folder) => isInside(folder, realRoot));
    return within.map((folder) => join(root, relative(realRoot, folder)));
  });
}
