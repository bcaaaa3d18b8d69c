import {
  linkSync,
  lstatSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  type BigIntStats,
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  openSync,
} from 'node:fs';
import { join } from 'node:path';
import { systemCodeOf } from '../../base/errors/errors.ts';
import { identityOf, versionOf } from '../../os/filesystem/file-identity.ts';
import type { FolderWalk } from '../../os/filesystem/folder-walk.ts';
import { renameExclusiveSync } from '../../os/filesystem/rename.ts';
import { localTime, type RestoreBase } from '../plan/target-names.ts';
import type { RecordedChanges } from '../record/recorded-changes.ts';
import { metadataAt, setLinkMetadata, isPassing, setFileMetadata, type MetadataLoss } from './metadata.ts';
import { SideFolders, statAt } from './side-folders.ts';
import type { Target } from './target.ts';
import { throwIfChanged, unlinkIfPossible } from './write-files.ts';
import type { Metadata } from '../record/planned-entry.ts';

const NAME = 'Before restore';

/** Returns the name of the folder that gets what a restore replaces. @param time when the restore began first */
export function asideNameOf(time: number): string {
  return `${NAME} ${localTime(time)}`;
}

interface Kept {
  readonly original: readonly string[];
  readonly aside: readonly string[];
  /** As `keep` returns it; `undefined` for a folder, which is moved, since it cannot have two names. */
  readonly version: string | undefined;
  /** True if the entry is moved back only while nothing has its name. */
  readonly isExclusive?: boolean;
}

/**
 * Keeps what a restore to the original place replaces, in a folder beside each base, or inside of it if nothing can be created beside
 * it. A file gets a second name there before the first one is given to the restored file, so it has a name at any time.
 */
export class MovedAside implements Disposable {
  readonly #target: Target;
  readonly #walk: FolderWalk;
  readonly #sides: SideFolders;
  readonly #name: string;
  readonly #isResumed: boolean;
  readonly #partialPrefix: string;
  readonly #changes: Pick<RecordedChanges, 'kept'> | undefined;
  /** By the id of the entry that replaces it, until that is written. */
  readonly #pending = new Map<number, Kept[]>();
  readonly #used = new Set<string>();

  /**
   * @param walk over the target folder; disposed of with this
   * @param restore when the restore began first, in milliseconds since the epoch, whether this run continues an interrupted one, and
   *   the prefix of its incomplete files
   * @param changes learns of each place before it is used
   */
  constructor(
    target: Target,
    bases: readonly RestoreBase[],
    walk: FolderWalk,
    restore: { readonly startedAt: number; readonly resumed: boolean; readonly partialPrefix: string },
    changes?: Pick<RecordedChanges, 'kept'>,
  ) {
    this.#target = target;
    this.#walk = walk;
    this.#name = asideNameOf(restore.startedAt);
    this.#sides = new SideFolders({ target: target.path, bases, walk, name: this.#name });
    this.#isResumed = restore.resumed;
    this.#partialPrefix = restore.partialPrefix;
    this.#changes = changes;
  }

  /** Real paths of the folders that have something, also of an interrupted run of the same restore. */
  get folders(): readonly string[] {
    return this.#sides.existing.filter((path) => this.#isResumed || this.#used.has(path));
  }

  /**
   * Keeps what has a name that the restore is going to use. Throws a system error if that is not possible.
   *
   * @returns what has the name now, by `identityOf` if it has a second name now, and by `versionOf` if it was copied; `undefined` if
   *   the name is free
   * @param id of the entry that replaces it
   * @param names of the folders from the target folder down
   */
  keep(id: number, names: readonly string[], name: string): string | undefined {
    const original = [...names, name];
    const existing = statAt(this.#walk, original);
    if (!existing) return undefined;
    const { place, isKept } = this.#placeFor(original, existing);
    this.#changes?.kept(original, place);
    if (isKept) return identityOf(existing);
    const from = this.#walk.enter(names).retain();
    try {
      const path = from.pathOf(name);
      const stat = lstatSync(path, { bigint: true });
      const folder = this.#sides.enter(place.slice(0, -1));
      const to = folder.pathOf(place.at(-1)!);
      let version: string | undefined;
      if (stat.isDirectory()) renameSync(path, to);
      else if (tryLink(path, to, stat)) version = identityOf(stat);
      else {
        keepCopy(path, { partial: folder.pathOf(`${this.#partialPrefix}${id}`), to, stat });
        this.#sides.sync(place);
        version = versionOf(stat);
      }
      this.#use(place);
      this.#await(id, { original, aside: place, version });
      return version;
    } finally {
      from.release();
    }
  }

  /**
   * Moves the log of another version of a database that is restored. It comes back if that is not written. Throws a system error.
   *
   * @param id of the database's entry; `undefined` if it is there already
   * @param original its names from the target folder down
   */
  moveCompanion(id: number | undefined, original: readonly string[]): void {
    const place = this.#move(original);
    if (place && id !== undefined) this.#await(id, { original, aside: place, version: undefined, isExclusive: true });
  }

  /** Moves something that nothing replaces. Throws a system error. @returns false if it is gone */
  move(original: readonly string[]): boolean {
    return this.#move(original) !== undefined;
  }

  /** @returns the place that it has now; `undefined` if it is gone */
  #move(original: readonly string[]): readonly string[] | undefined {
    const found = statAt(this.#walk, original);
    if (!found) return undefined;
    const { place } = this.#placeFor(original, found);
    this.#changes?.kept(original, place);
    const from = this.#walk.enter(original.slice(0, -1)).retain();
    try {
      renameSync(from.pathOf(original.at(-1)!), this.#sides.enter(place.slice(0, -1)).pathOf(place.at(-1)!));
    } catch (error) {
      this.#sides.removeEmpty(place.slice(0, -1));
      throw error;
    } finally {
      from.release();
    }
    this.#use(place);
    return place;
  }

  /** Must be called when the entry has taken the name. */
  replaced(id: number): void {
    this.#pending.delete(id);
  }

  /** Undoes what was kept for entries that were not written. Must be called when nothing is in flight any more. */
  undoUnfinished(): void {
    for (const { original, aside, version, isExclusive = false } of [...this.#pending.values()].flat()) {
      const [from, name] = [this.#walk.enter(aside.slice(0, -1)).retain(), aside.at(-1)!];
      try {
        if (version === undefined) {
          const rename = isExclusive ? renameExclusiveSync : renameSync;
          rename(from.pathOf(name), this.#walk.pathOf(original));
        }
        // An application may have saved the file anew meanwhile: this is the last name of the version before.
        else if (isStillThere(this.#walk, original, version)) unlinkSync(from.pathOf(name));
      } catch (error) {
        // It is still in the folder beside, which is named.
        if (systemCodeOf(error) === undefined) throw error;
      } finally {
        from.release();
      }
      this.#sides.removeEmpty(aside.slice(0, -1));
    }
    this.#pending.clear();
  }

  [Symbol.dispose](): void {
    this.#walk[Symbol.dispose]();
  }

  /** Notes what goes back unless the entry is written. */
  #await(id: number, kept: Kept): void {
    this.#pending.set(id, [...(this.#pending.get(id) ?? []), kept]);
  }

  #use(place: readonly string[]): void {
    this.#used.add(join(this.#target.path, ...place.slice(0, place.lastIndexOf(this.#name) + 1)));
  }

  /** Returns a place that is free, or the one where an interrupted run has kept the entry already. */
  #placeFor(
    original: readonly string[],
    existing: BigIntStats,
  ): { readonly place: readonly string[]; readonly isKept: boolean } {
    const first = this.#sides.placeOf(original);
    for (let number = 1; ; number += 1) {
      const place = number === 1 ? first : [...first.slice(0, -1), `${first.at(-1)!} ${number}`];
      const taken = statAt(this.#walk, place);
      if (!taken) return { place, isKept: false };
      // Another restore may remove a second name that it made.
      if (this.#isResumed && identityOf(taken) === identityOf(existing)) return { place, isKept: true };
    }
  }
}

/** Returns whether the original name still has what was kept: the same file, or one that was copied and has not changed since. */
function isStillThere(walk: FolderWalk, original: readonly string[], version: string): boolean {
  const now = statAt(walk, original);
  return now !== undefined && (identityOf(now) === version || versionOf(now) === version);
}

/** Errors of file systems that have no hard links, or allow none of this file, and of a mount below the base. */
const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV']);

/** Gives a file a second name. Returns false if that is not possible, and for links. */
function tryLink(path: string | Buffer, to: string | Buffer, stat: BigIntStats): boolean {
  if (stat.isSymbolicLink()) return false;
  try {
    linkSync(path, to);
    return true;
  } catch (error) {
    if (!NO_LINKS.has(systemCodeOf(error) ?? '') || !stat.isFile()) throw error;
    return false;
  }
}

interface Copy {
  /** The copy's path until it is complete. */
  readonly partial: string | Buffer;
  readonly to: string | Buffer;
  readonly stat: BigIntStats;
}

/** Copies a file or a link. The copy gets its name when it is complete and on disk. Throws EBUSY if the original changes meanwhile. */
function keepCopy(path: string | Buffer, { partial, to, stat }: Copy): void {
  const version = versionOf(stat);
  // Of an interrupted run.
  unlinkIfPossible(partial);
  try {
    if (stat.isSymbolicLink()) {
      symlinkSync(readlinkSync(path, { encoding: 'buffer' }), partial);
      requireSet(setLinkMetadata(partial, metadataAt(path)));
      throwIfChanged(path, version);
    } else {
      copyDurably(path, partial, () => {
        // What root copies must not get the owner of another file.
        throwIfChanged(path, version);
        return metadataAt(path);
      });
    }
    renameExclusiveSync(partial, to);
  } catch (error) {
    unlinkIfPossible(partial);
    throw error;
  }
}

/** Windows syncs only a file that is open for writing; elsewhere the mode of the copy may forbid that. */
const MODE = process.platform === 'win32' ? constants.O_RDWR : constants.O_RDONLY | constants.O_NOFOLLOW;

/**
 * Copies a file, its attributes included, and waits until the copy is on disk. Its name has to be made durable by the caller. Throws a
 * system error, also if there is no room for an attribute; the copy may exist then.
 *
 * @param attributes called when the data is copied; may throw
 */
function copyDurably(from: string | Buffer, to: string | Buffer, attributes: () => Metadata): void {
  copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  const file = openSync(to, MODE);
  try {
    requireSet(setFileMetadata(file, to, attributes()));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Throws the system error of an attribute that could not be set and that another try may set. The file system may lack the others. */
function requireSet(losses: readonly MetadataLoss[]): void {
  const loss = losses.find(isPassing);
  if (loss) throw Object.assign(new Error(`${loss.code}: ${loss.attribute} of a copy`), { code: loss.code });
}
