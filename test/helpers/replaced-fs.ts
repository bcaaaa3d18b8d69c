import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

type FileSystem = typeof fs;

/**
 * Replaces functions of `node:fs` in this thread until it is disposed, also for modules that imported them by name.
 *
 * @param replacementsOf receives the functions as they are
 */
export function replacedFs(replacementsOf: (original: Readonly<FileSystem>) => Partial<FileSystem>): Disposable {
  const replacements = replacementsOf({ ...fs });
  const names = Object.keys(replacements) as (keyof FileSystem)[];
  const original = Object.fromEntries(names.map((name) => [name, fs[name]]));
  Object.assign(fs, replacements);
  syncBuiltinESMExports();
  return {
    [Symbol.dispose]: () => {
      Object.assign(fs, original);
      syncBuiltinESMExports();
    },
  };
}

/** A system error as Node throws it. */
export function systemError(code: string): Error {
  return Object.assign(new Error(code), { code, syscall: 'test' });
}
