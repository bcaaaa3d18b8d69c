import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Target } from './target.ts';

/** A package of the lock. */
export interface LockedPackage {
  readonly name: string;
  readonly version: string;
  readonly licence: string | undefined;
  /** `sha512-…` */
  readonly integrity: string;
  readonly resolved: string;
  readonly dependencies: readonly string[];
  /** `node_modules/…` */
  readonly path: string;
}

interface LockEntry {
  readonly version: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly os?: string | readonly string[];
  readonly cpu?: string | readonly string[];
  readonly libc?: string | readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Licences that the lock does not name, by the packages' own texts. */
const LICENCES: Readonly<Record<string, string>> = { ssh2: 'MIT' };

/** The libraries that the portal's page contains besides those of the service: it is built once, so nobody installs them. */
export const IN_PORTAL = ['@internationalized/date', 'react', 'react-aria-components', 'react-dom'];

/** Dependencies of the checkout that only the app contains, or that only compile its texts. */
const NOT_IN_CLI = new Set(['electron-updater', '@formatjs/icu-messageformat-parser', 'pofile']);

/**
 * Returns the libraries that the CLI depends on, with Node and those of the portal, which it contains, as package-lock.json names them;
 * sorted by name.
 */
export function installedLibraries(root: string, target: Target): readonly LockedPackage[] {
  const { dependencies = {}, optionalDependencies = {} } = lockOf(root).get('')!;
  return librariesBelow(root, target, [
    ...Object.keys({ ...dependencies, ...optionalDependencies }).filter((name) => !NOT_IN_CLI.has(name)),
    ...IN_PORTAL,
  ]);
}

/** Optional packages that are never compiled, so that the bundle leaves them out (scripts/build.ts). */
const LEFT_OUT = new Set(['cpu-features']);

/** Returns packages with everything that they depend on, for a Linux with glibc; sorted by name. */
export function librariesBelow(root: string, target: Target, names: readonly string[]): readonly LockedPackage[] {
  const lock = lockOf(root);
  const found = new Map<string, LockedPackage>();
  const waiting = names.map((name) => ({ name, from: '' }));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const path = pathOf(lock, next.name, next.from);
    const entry = path === undefined ? undefined : lock.get(path);
    if (path === undefined || !entry || found.has(path) || LEFT_OUT.has(next.name) || !isFor(entry, target)) continue;
    const below = Object.keys({ ...entry.dependencies, ...entry.optionalDependencies });
    found.set(path, {
      name: next.name,
      version: entry.version,
      licence: entry.license ?? LICENCES[next.name],
      integrity: entry.integrity ?? '',
      resolved: entry.resolved ?? '',
      dependencies: below.flatMap((name) => (LEFT_OUT.has(name) ? [] : (pathOf(lock, name, path) ?? []))),
      path,
    });
    waiting.push(...below.map((name) => ({ name, from: path })));
  }
  const key = ({ name, version }: LockedPackage): string => `${name}@${version}`;
  return [...found.values()].sort((one, other) => (key(one) < key(other) ? -1 : 1));
}

function lockOf(root: string): ReadonlyMap<string, LockEntry> {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockEntry>>;
  };
  return new Map(Object.entries(packages));
}

/** Node's rule: the folder of the package itself, and then those above it. */
function pathOf(lock: ReadonlyMap<string, LockEntry>, name: string, from: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (lock.has(path)) return path;
    if (folder === '') return undefined;
  }
}

function isFor({ os, cpu, libc }: LockEntry, { arch }: Target): boolean {
  const allows = (given: string | readonly string[] | undefined, value: string): boolean => {
    if (given === undefined) return true;
    const list = [given].flat();
    return list.includes(value) || (list.some((one) => one.startsWith('!')) && !list.includes(`!${value}`));
  };
  return allows(os, 'linux') && allows(cpu, arch) && allows(libc, 'glibc');
}
