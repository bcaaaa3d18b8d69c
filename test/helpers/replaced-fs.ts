import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

type FileSystem = typeof fs;
type Promises = typeof fs.promises;

/**
 * Replaces functions of `node:fs` in this thread until it is disposed, also for modules that imported them by name.
 *
 * @param replacementsOf receives the functions as they are
 */
export function replacedFs(replacementsOf: (original: Readonly<FileSystem>) => Partial<FileSystem>): Disposable {
  return replacedIn(fs, replacementsOf({ ...fs }));
}

/** Counterpart for `node:fs/promises`. */
export function replacedFsPromises(replacementsOf: (original: Readonly<Promises>) => Partial<Promises>): Disposable {
  return replacedIn(fs.promises, replacementsOf({ ...fs.promises }));
}

function replacedIn<Module extends object>(module: Module, replacements: Partial<Module>): Disposable {
  const names = Object.keys(replacements) as (keyof Module)[];
  const original = Object.fromEntries(names.map((name) => [name, module[name]]));
  Object.assign(module, replacements);
  syncBuiltinESMExports();
  return {
    [Symbol.dispose]: () => {
      Object.assign(module, original);
      syncBuiltinESMExports();
    },
  };
}

/** A system error as Node throws it. */
export function systemError(code: string): Error {
  return Object.assign(new Error(code), { code, syscall: 'test' });
}
