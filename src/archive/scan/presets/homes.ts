import { readFileSync, realpathSync } from 'node:fs';
import { userHome } from '../../../base/files/user-home.ts';
import { entryPathOf } from '../../../os/filesystem/names/entry-path.ts';

/** Knows which folders are the home of a person or a service of this computer. */
export interface Homes {
  /** @param folder entry path */
  has(folder: string): boolean;
}

/** Folders in which each folder is a home. */
const PARENTS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: ['/home'],
  darwin: ['/Users'],
};

/**
 * Finds the homes of this computer: the one of whoever runs the backup, those that the list of accounts has, and every folder beside them. A home is known by its
 * place and not by what is in it: a folder that looks like one may be a person's copy of one.
 */
export function homesOf(platform: NodeJS.Platform = process.platform): Homes {
  const own = userHome();
  const parents = platform === 'win32' ? parentsOnWindows(own) : (PARENTS[platform] ?? []);
  return new KnownHomes(
    [...(own === undefined ? [] : [own]), ...accountHomes(platform)].flatMap(placesOf),
    parents.flatMap(placesOf),
    platform,
  );
}

class KnownHomes implements Homes {
  readonly #homes: ReadonlySet<string>;
  readonly #parents: ReadonlySet<string>;
  readonly #key: (path: string) => string;

  constructor(homes: readonly string[], parents: readonly string[], platform: NodeJS.Platform) {
    this.#key = platform === 'win32' || platform === 'darwin' ? (path) => path.toLowerCase() : (path) => path;
    this.#homes = new Set(homes.map(this.#key));
    this.#parents = new Set(parents.map(this.#key));
  }

  has(folder: string): boolean {
    const path = this.#key(folder);
    return this.#homes.has(path) || this.#parents.has(path.slice(0, path.lastIndexOf('/')));
  }
}

/** The sixth field of each account of /etc/passwd. Accounts of a network are not in it; theirs are known by their place. */
function accountHomes(platform: NodeJS.Platform): string[] {
  if (platform === 'win32') return [];
  try {
    const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
    return lines.map((line) => line.split(':')[5] ?? '').filter((home) => /^\/./.test(home));
  } catch {
    return [];
  }
}

/** The profiles of all people are beside each other, and in `Users` of the system's drive. */
function parentsOnWindows(home: string | undefined): string[] {
  const own = home === undefined ? '' : entryPathOf(home);
  const beside = own.slice(0, own.lastIndexOf('/'));
  const drive = process.env['SystemDrive'] ?? 'C:';
  return [`${drive}/Users`, ...(/\/users$/i.test(beside) ? [beside] : [])];
}

/** Entry paths of a folder: as it is named, and where it is, since sources are named without links. */
function placesOf(path: string): string[] {
  try {
    return [...new Set([path, realpathSync.native(path)])].map(entryPathOf);
  } catch {
    return [entryPathOf(path)];
  }
}
