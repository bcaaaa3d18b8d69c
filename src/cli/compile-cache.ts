import { mkdirSync, statSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { cacheFolder } from '../base/files/user-home.ts';

/**
 * Reading, stripping and compiling the sources takes most of the time of a short command, so later starts reuse the
 * result. The cache is executed, so it must be a folder that nobody else can write to; otherwise it is not used. Threads
 * inherit the cache from the environment (`NODE_COMPILE_CACHE`, nodejs.org/api/module.html#module-compile-cache).
 */
export function useCompileCache(): void {
  const cache = cacheFolder();
  if (cache === undefined) return;
  const folder = join(cache, 'compiled');
  if (!isOwn(folder)) return;
  enableCompileCache(folder);
  process.env['NODE_COMPILE_CACHE'] ??= folder;
}

function isOwn(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = statSync(folder);
    return process.geteuid === undefined || (uid === process.geteuid() && (mode & 0o022) === 0);
  } catch {
    return false;
  }
}
