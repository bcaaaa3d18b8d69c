import {
  accessSync,
  constants,
  existsSync,
  lchownSync,
  lstatSync,
  rmdirSync,
  statSync,
  type BigIntStats,
  type Stats,
} from 'node:fs';
import { join } from 'node:path';
import { systemCodeOf } from '../../base/errors/errors.ts';
import { COMPANIONS } from '../../archive/chunk/database/sqlite.ts';
import { fileSystemPath } from '../../os/filesystem/names/entry-path.ts';
import { markSideFolder, unmarkIfEmpty } from '../../os/filesystem/names/side-folder.ts';
import { syncFolderSync } from '../../os/filesystem/durability.ts';
import type { FolderWalk } from '../../os/filesystem/folder-walk.ts';
import type { Folder } from '../../os/filesystem/folder.ts';
import type { RestoreBase } from '../plan/target-names.ts';

export interface SideFoldersInput {
  /** Real path of the folder that has all bases. */
  readonly target: string;
  readonly bases: readonly Omit<RestoreBase, 'path'>[];
  /** Over the target folder; disposed of by the caller. */
  readonly walk: FolderWalk;
  /** The name of the folders. */
  readonly name: string;
}

/**
 * The folders that get what leaves its place: one beside each base, or inside of it if nothing can be created beside it; below a mount
 * point one for that file system, so that everything can be renamed into it.
 */
export class SideFolders {
  readonly #input: SideFoldersInput;
  readonly #folders = new Map<string, readonly string[]>();
  /** Folders with a durable name. */
  readonly #synced = new Set<string>();

  constructor(input: SideFoldersInput) {
    this.#input = input;
  }

  /** Names from the target folder to the side folder for what is at these names. Creates nothing. */
  of(original: readonly string[]): readonly string[] {
    const { folder = [], name } = this.#baseOf(original)!;
    const inside = name === '' ? folder : [...folder, name];
    const mount = this.#mountPoint(inside, original);
    const key = JSON.stringify(mount);
    let names = this.#folders.get(key);
    if (!names) {
      names = [...(mount === inside && this.#isUsable(folder, inside) ? folder : mount), this.#input.name];
      this.#folders.set(key, names);
    }
    return names;
  }

  /** Names of what is at these names, in its side folder. */
  placeOf(original: readonly string[]): readonly string[] {
    const side = this.of(original);
    const above = side.slice(0, -1);
    const shared = Math.min(above.length, original.length - 1);
    return [...side, ...original.slice(shared)];
  }

  /** Real paths of the side folders that exist. */
  get existing(): readonly string[] {
    const all = this.#input.bases.map(({ folder = [], name }) => this.of(name === '' ? folder : [...folder, name]));
    const existing = [...all, ...this.#folders.values()].filter((names) => existsSync(this.#pathOf(names)));
    return [...new Set(existing.map((names) => join(this.#input.target, ...names)))];
  }

  /** Enters a folder below a side folder; missing ones are created, for the owner of the base. */
  enter(names: readonly string[]): Folder {
    const { walk } = this.#input;
    try {
      return walk.enter(names);
    } catch (error) {
      if (systemCodeOf(error) !== 'ENOENT' || names.length === 0) throw error;
      const parent = this.enter(names.slice(0, -1));
      if (parent.makeChild(names.at(-1)!)) this.#finishFolder(parent, names);
      return walk.enter(names);
    }
  }

  /** Gives a new folder to the owner of the base, and marks it if it is a side folder. */
  #finishFolder(parent: Folder, names: readonly string[]): void {
    const owner = this.#ownerAbove(names);
    giveToOwner(parent.pathOf(names.at(-1)!), owner);
    if (names.at(-1) !== this.#input.name) return;
    try {
      giveToOwner(markSideFolder(this.#input.walk.enter(names)), owner);
    } catch (error) {
      // Without the marker the folder is backed up, which does no harm.
      if (systemCodeOf(error) === undefined) throw error;
    }
  }

  /** Makes the name of something below a side folder durable, with those of the folders that lead to it. */
  sync(names: readonly string[]): void {
    syncFolderSync(this.enter(names.slice(0, -1)).self);
    for (let left = names.slice(0, -1); left.includes(this.#input.name); left = left.slice(0, -1)) {
      const key = JSON.stringify(left);
      if (this.#synced.has(key)) return;
      syncFolderSync(this.#input.walk.enter(left.slice(0, -1)).self);
      this.#synced.add(key);
    }
  }

  /** Removes a folder below a side folder and those above it as far as they are empty, the side folder included. */
  removeEmpty(names: readonly string[]): void {
    for (let left = names; left.includes(this.#input.name); left = left.slice(0, -1)) {
      try {
        if (left.at(-1) === this.#input.name) unmarkIfEmpty(this.#input.walk.enter(left));
        rmdirSync(this.#input.walk.pathOf(left));
      } catch (error) {
        if (systemCodeOf(error) === undefined) throw error;
        return;
      }
    }
  }

  /** The owner of what the side folder belongs to: the base beside it, or the folder that has it. */
  #ownerAbove(names: readonly string[]): Stats | undefined {
    const at = names.indexOf(this.#input.name);
    const above = names.slice(0, at);
    const base = this.#input.bases.find(({ folder = [] }) => above.join('/') === folder.join('/'));
    const paths = [...(base && base.name !== '' ? [[...above, base.name]] : []), above];
    for (const path of paths) {
      const found = statSync(this.#pathOf(path), { throwIfNoEntry: false });
      if (found) return found;
    }
    return undefined;
  }

  /** Returns whether something at these names is a base, or inside of one. */
  has(names: readonly string[]): boolean {
    return this.#baseOf(names) !== undefined;
  }

  #baseOf(names: readonly string[]): Omit<RestoreBase, 'path'> | undefined {
    const isIn = ({ folder = [], name }: Omit<RestoreBase, 'path'>): boolean =>
      [...folder, ...(name === '' ? [] : [name])].every((segment, index) => segment === names[index]);
    const base = this.#input.bases.find(isIn);
    const last = names.at(-1) ?? '';
    // A database may be a base by itself: what is beside it goes with it.
    const suffix = base ? undefined : COMPANIONS.find((one) => last.endsWith(one) && last !== one);
    return suffix === undefined ? base : this.#baseOf([...names.slice(0, -1), last.slice(0, -suffix.length)]);
  }

  /** The uppermost folder from the base on that is on the file system of an entry's folder; the base itself if that is there. */
  #mountPoint(inside: readonly string[], original: readonly string[]): readonly string[] {
    if (original.length <= inside.length + 1) return inside;
    const base = deviceAt(this.#input.walk, inside);
    const device = deviceAt(this.#input.walk, original.slice(0, -1));
    if (device === undefined || base === undefined || device === base) return inside;
    let mount = original.slice(0, -1);
    while (mount.length > inside.length && deviceAt(this.#input.walk, mount.slice(0, -1)) === device) {
      mount = mount.slice(0, -1);
    }
    return mount;
  }

  #pathOf(names: readonly string[]): string | Buffer {
    const inside = fileSystemPath(names.join('/'));
    const { target } = this.#input;
    return typeof inside === 'string' ? join(target, ...names) : Buffer.concat([Buffer.from(`${target}/`), inside]);
  }

  /** Returns whether a folder beside a base can be created and has the same file system. */
  #isUsable(beside: readonly string[], inside: readonly string[]): boolean {
    const path = this.#pathOf(beside);
    try {
      accessSync(path, constants.W_OK | constants.X_OK);
      const base = statSync(this.#pathOf(inside));
      return !base.isDirectory() || base.dev === statSync(path).dev;
    } catch (error) {
      if (systemCodeOf(error) === undefined) throw error;
      return false;
    }
  }
}

/** Returns what has a name below the target folder; `undefined` if nothing has. Throws other system errors. */
export function statAt(walk: FolderWalk, names: readonly string[]): BigIntStats | undefined {
  try {
    return lstatSync(walk.pathOf(names), { bigint: true });
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

function deviceAt(walk: FolderWalk, names: readonly string[]): number | undefined {
  try {
    return lstatSync(walk.enter(names).self).dev;
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return undefined;
  }
}

/** What root makes beside a person's folder belongs to the person. */
function giveToOwner(path: string | Buffer, owner: Stats | undefined): void {
  if (process.getuid?.() !== 0 || !owner || owner.uid === 0) return;
  lchownSync(path, owner.uid, owner.gid);
}
