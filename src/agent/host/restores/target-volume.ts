import { realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { resultWithin } from '../result-within.ts';

/** A network drive whose server is gone may never respond. */
const TIMEOUT_MS = 5000;

/**
 * Returns the mount point of a folder's disk; `undefined` if unknown. The folder need not exist. While a disk is not
 * connected, its path lies on another one, which a restore that continued there would fill.
 */
export async function volumeOf(folder: string): Promise<string | undefined> {
  try {
    return await resultWithin(TIMEOUT_MS, mountOf(resolve(folder)));
  } catch {
    return undefined;
  }
}

export async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() === true;
}

async function mountOf(folder: string): Promise<string | undefined> {
  const deepest = await deepestExisting(folder);
  if (deepest === undefined) return undefined;
  const { dev } = await stat(deepest);
  for (let path = deepest; ; path = dirname(path)) {
    const above = dirname(path);
    if (above === path || (await stat(above)).dev !== dev) return path;
  }
}

/** Returns `undefined` if not even the root exists, as on a removed drive. */
async function deepestExisting(folder: string): Promise<string | undefined> {
  for (let path = folder; ; path = dirname(path)) {
    const real = await realpath(path).catch(() => undefined);
    if (real !== undefined || dirname(path) === path) return real;
  }
}
