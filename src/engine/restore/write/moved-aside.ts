import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  type Stats,
} from 'node:fs';
import { join } from 'node:path';
import { systemCodeOf } from '../../../base/errors.ts';
import { identityOf } from '../../filesystem/file-identity.ts';
import type { FolderWalk } from '../../filesystem/folder-walk.ts';
import type { Folder } from '../../filesystem/folder.ts';
import { localTime, type RestoreBase } from '../plan/target-names.ts';
import type { Target } from './target.ts';

const NAME = 'Before restore';

/** Returns the name of the folder that gets what a restore replaces. @param time when the restore began first */
export function asideNameOf(time: number): string {
  return `${NAME} ${localTime(time)}`;
}

interface Kept {
  readonly original: readonly string[];
  readonly aside: readonly string[];
  /** A folder is moved, since it cannot have two names. */
  readonly isMoved: boolean;
}

/**
 * Keeps what a restore to the original place replaces, in a folder beside each base, or inside of it if nothing can be created beside
 * it. A file gets a second name there before the first one is given to the restored file, so it has a name at any time.
 */
export class MovedAside implements Disposable {
  readonly #target: Target;
  readonly #bases: readonly RestoreBase[];
  readonly #walk: FolderWalk;
  readonly #name: string;
  readonly #isResumed: boolean;
  readonly #folders = new Map<RestoreBase, readonly string[]>();
  /** By the id of the entry that replaces it, until that is written. */
  readonly #pending = new Map<number, Kept>();
  readonly #used = new Set<string>();

  /**
   * @param walk over the target folder; disposed of with this
   * @param restore when the restore began first, in milliseconds since the epoch, and whether this run continues an interrupted one
   */
  constructor(
    target: Target,
    bases: readonly RestoreBase[],
    walk: FolderWalk,
    restore: { readonly startedAt: number; readonly resumed: boolean },
  ) {
    this.#target = target;
    this.#bases = bases;
    this.#walk = walk;
    this.#name = asideNameOf(restore.startedAt);
    this.#isResumed = restore.resumed;
  }

  /** Real paths of the folders that have something, also of an interrupted run of the same restore. */
  get folders(): readonly string[] {
    const folders = new Set(this.#bases.map((base) => join(this.#target.path, ...this.#folderOf(base))));
    return [...folders].filter((path) => (this.#isResumed || this.#used.has(path)) && existsSync(path));
  }

  /**
   * Keeps what has a name that the restore is going to use. Throws a system error if that is not possible.
   *
   * @returns what has the name now, by `identityOf`; `undefined` if it is free
   * @param id of the entry that replaces it
   * @param names of the folders from the target folder down
   */
  keep(id: number, names: readonly string[], name: string): string | undefined {
    const base = this.#baseOf([...names, name]);
    const original = [...names, name];
    const folderNames = this.#folderOf(base);
    const inside = original.slice(base.folder?.length ?? 0);
    const existing = statAt(this.#walk, original);
    if (!existing) return undefined;
    const aside = this.#freeName([...folderNames, ...inside.slice(0, -1)], inside.at(-1)!, existing);
    if (!aside) return identityOf(existing);
    const from = this.#walk.enter(names).retain();
    try {
      const path = from.pathOf(name);
      const stat = lstatSync(path);
      const folder = this.#enter(aside.slice(0, -1));
      const to = folder.pathOf(aside.at(-1)!);
      if (stat.isDirectory()) renameSync(path, to);
      else keepBoth(path, to, stat);
      this.#used.add(join(this.#target.path, ...folderNames));
      this.#pending.set(id, { original, aside, isMoved: stat.isDirectory() });
      return stat.isDirectory() ? undefined : identityOf(stat);
    } finally {
      from.release();
    }
  }

  /** Must be called when the entry has taken the name. */
  replaced(id: number): void {
    this.#pending.delete(id);
  }

  /** Undoes what was kept for entries that were not written. Must be called when nothing is in flight any more. */
  undoUnfinished(): void {
    for (const { original, aside, isMoved } of this.#pending.values()) {
      const [from, name] = [this.#walk.enter(aside.slice(0, -1)).retain(), aside.at(-1)!];
      try {
        if (isMoved) renameSync(from.pathOf(name), this.#walk.enter(original.slice(0, -1)).pathOf(original.at(-1)!));
        // An application may have saved the file anew meanwhile: this is the last name of the version before.
        else if (isStillThere(this.#walk, original, from.pathOf(name))) unlinkSync(from.pathOf(name));
      } catch (error) {
        // It is still in the folder beside, which is named.
        if (systemCodeOf(error) === undefined) throw error;
      } finally {
        from.release();
      }
      this.#removeEmpty(aside.slice(0, -1));
    }
    this.#pending.clear();
  }

  #removeEmpty(names: readonly string[]): void {
    for (let left = names; left.includes(this.#name); left = left.slice(0, -1)) {
      try {
        rmdirSync(this.#walk.enter(left.slice(0, -1)).pathOf(left.at(-1)!));
      } catch (error) {
        if (systemCodeOf(error) === undefined) throw error;
        return;
      }
    }
  }

  [Symbol.dispose](): void {
    this.#walk[Symbol.dispose]();
  }

  #baseOf(names: readonly string[]): RestoreBase {
    const isIn = ({ folder = [], name }: RestoreBase): boolean =>
      [...folder, ...(name === '' ? [] : [name])].every((segment, index) => segment === names[index]);
    return this.#bases.find(isIn)!;
  }

  /** Names from the target folder to the folder that keeps what was in a base. */
  #folderOf(base: RestoreBase): readonly string[] {
    let names = this.#folders.get(base);
    if (!names) {
      const { folder = [], name } = base;
      const inside = name === '' ? folder : [...folder, name];
      names = [...(this.#isUsable(folder, inside) ? folder : inside), this.#name];
      this.#folders.set(base, names);
    }
    return names;
  }

  /** Returns whether a folder beside a base can be created and has the same file system. */
  #isUsable(beside: readonly string[], inside: readonly string[]): boolean {
    const path = join(this.#target.path, ...beside);
    try {
      accessSync(path, constants.W_OK | constants.X_OK);
      const base = statSync(join(this.#target.path, ...inside));
      return !base.isDirectory() || base.dev === statSync(path).dev;
    } catch (error) {
      if (systemCodeOf(error) === undefined) throw error;
      return false;
    }
  }

  /** Returns a name that is free; `undefined` if an interrupted run has kept the entry already. */
  #freeName(folder: readonly string[], name: string, existing: Stats): readonly string[] | undefined {
    for (let number = 1; ; number += 1) {
      const names = [...folder, number === 1 ? name : `${name} ${number}`];
      const taken = statAt(this.#walk, names);
      if (!taken) return names;
      // Another restore may remove a second name that it made.
      if (this.#isResumed && identityOf(taken) === identityOf(existing)) return undefined;
    }
  }

  #enter(names: readonly string[]): Folder {
    try {
      return this.#walk.enter(names);
    } catch (error) {
      if (systemCodeOf(error) !== 'ENOENT' || names.length === 0) throw error;
      this.#enter(names.slice(0, -1)).makeChild(names.at(-1)!);
      return this.#walk.enter(names);
    }
  }
}

function statAt(walk: FolderWalk, names: readonly string[]): Stats | undefined {
  try {
    return lstatSync(walk.enter(names.slice(0, -1)).pathOf(names.at(-1)!));
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Returns whether the original name still has what was kept: the same file, or one that was copied and has not changed since. */
function isStillThere(walk: FolderWalk, original: readonly string[], kept: string | Buffer): boolean {
  const [now, then] = [statAt(walk, original), lstatSync(kept)];
  if (!now) return false;
  if (identityOf(now) === identityOf(then)) return true;
  if (then.isSymbolicLink()) return now.isSymbolicLink();
  return now.isFile() && then.nlink === 1 && now.size === then.size && now.mtimeMs === then.mtimeMs;
}

/** Errors of file systems that have no hard links, or allow none of this file, and of a mount below the base. */
const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV']);

/** Gives a file a second name, or copies it where that is not possible. */
function keepBoth(path: string | Buffer, to: string | Buffer, stat: Stats): void {
  if (stat.isSymbolicLink()) {
    symlinkSync(readlinkSync(path, { encoding: 'buffer' }), to);
    return;
  }
  try {
    linkSync(path, to);
  } catch (error) {
    if (!NO_LINKS.has(systemCodeOf(error) ?? '') || !stat.isFile()) throw error;
    copyFileSync(path, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    utimesSync(to, stat.atime, stat.mtime);
  }
}
