import { join, relative } from 'node:path';
import { mountList } from '../../os/filesystem/mount-list.ts';
import { realPathOf } from '../../os/filesystem/real-path.ts';
import { isInside } from '../../model/local-path.ts';
import type { Home } from '../home/home.ts';
import type { Settings } from '../home/settings.ts';
import { mountedPathsOf } from './mounted-paths.ts';

/** The folders that hold Holdfast's own data now or held it before. They are never backed up. */
export function ownFolders(home: Home, { destination, others, former = [] }: Settings): readonly string[] {
  const destinations = [destination, ...[...others, ...former].map((other) => other.destination)];
  return [home.folder, ...destinations.flatMap((other) => (other.kind === 'folder' ? [other.directory] : []))];
}

/**
 * The own folders within a set's roots, which a backup skips. Each is named by every path on which a scan of its root meets
 * it, whatever links and mounts lead there.
 */
export function ownFoldersWithin(roots: readonly string[], folders: readonly string[]): readonly string[] {
  const mounts = mountList();
  return roots.flatMap((root) => {
    const realRoot = realPathOf(root);
    const isWithin = (path: string): boolean => isInside(path, realRoot);
    const real = folders.map(realPathOf);
    const mountedAgain = real.flatMap((folder) => mountedPathsOf(folder, mounts, isWithin));
    return [...real.filter(isWithin), ...mountedAgain].map((folder) => join(root, relative(realRoot, folder)));
  });
}

/** Returns the own folder in which a path lies, whatever links and mounts lead there. */
export function ownFolderOf(path: string, folders: readonly string[]): string | undefined {
  const mounts = mountList();
  const real = realPathOf(path);
  const holds = (folder: string): boolean => isInside(real, folder);
  return folders.find((own) => {
    const folder = realPathOf(own);
    return holds(folder) || mountedPathsOf(folder, mounts, holds).length > 0;
  });
}
