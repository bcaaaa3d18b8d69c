import { chmodSync, cpSync, lstatSync, lutimesSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { PackageRequest } from './options.ts';

/** Copies what belongs into a package to a folder, with the modes that it has when installed. */
export function stageTree(root: string, mappings: PackageRequest['mappings']): void {
  for (const { from, to } of mappings) {
    const target = join(root, to);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(from, target, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  }
  for (const path of pathsBelow(root)) {
    const { mode } = lstatSync(path);
    if (lstatSync(path).isSymbolicLink()) continue;
    chmodSync(path, lstatSync(path).isDirectory() || (mode & 0o111) !== 0 ? 0o755 : 0o644);
  }
  chmodSync(root, 0o755);
}

/** Gives everything the time of the sources, if one is set, so that two builds are the same. */
export function setTimes(root: string, epoch: string | undefined): void {
  if (epoch === undefined) return;
  for (const path of [...pathsBelow(root), root]) lutimesSync(path, Number(epoch), Number(epoch));
}

/** Returns all files, links and folders below a folder, sorted, folders before their contents. */
export function pathsBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .sort();
}

/** Returns the bytes of all files. */
export function sizeOf(root: string): number {
  return pathsBelow(root)
    .map((path) => lstatSync(path))
    .filter((status) => status.isFile())
    .reduce((sum, { size }) => sum + size, 0);
}
