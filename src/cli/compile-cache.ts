import { mkdirSync, statSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import envPaths from 'env-paths';

/**
 * Reading, stripping and compiling the sources is most of what a short command does: a later start finds it done. What is
 * in the cache gets run, so it has to be a folder that nobody else can write to; elsewhere there is none. Threads take
 * the cache over from the environment (`NODE_COMPILE_CACHE`, nodejs.org/api/module.html#module-compile-cache).
 */
export function useCompileCache(): void {
  const folder = join(envPaths('holdfast', { suffix: '' }).cache, 'compiled');
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
