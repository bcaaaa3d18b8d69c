import { realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** A network drive whose server has gone may let a look wait for ever. */
const PATIENCE_MS = 5000;

/**
 * What a folder is on, there or not: the path at which its disk is mounted. A disk that is not connected leaves its path to
 * the one that it is mounted on, and a restore that went on there would fill the wrong one.
 *
 * @returns nothing where it cannot be seen
 */
export async function volumeOf(folder: string): Promise<string | undefined> {
  const timeout = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => timeout.resolve(undefined), PATIENCE_MS);
  try {
    return await Promise.race([mountOf(resolve(folder)), timeout.promise]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** Whether a folder is there. */
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

/** Nothing where not even the root is there, as of a drive that was taken out. */
async function deepestExisting(folder: string): Promise<string | undefined> {
  for (let path = folder; ; path = dirname(path)) {
    const real = await realpath(path).catch(() => undefined);
    if (real !== undefined || dirname(path) === path) return real;
  }
}
