import { lstatSync, type Stats } from 'node:fs';
import { DIRECTORY, FILE, SYMLINK, type KnownEntry } from '../../catalog/entries/entry.ts';
import { entryPathIn, fileSystemPath } from '../../os/filesystem/names/entry-path.ts';
import { sizeIn } from '../../os/filesystem/stat-record.ts';

/** What the newest backups have of a folder. */
export class KnownContent {
  readonly #children: (directory: number | undefined) => Iterable<KnownEntry>;

  /** @param children returns what is known of a directory */
  constructor(children: (directory: number | undefined) => Iterable<KnownEntry>) {
    this.#children = children;
  }

  /** Counts what is directly in a folder. */
  count({ child }: KnownEntry): number {
    let count = 0;
    for (const _ of this.of(child)) count += 1;
    return count;
  }

  /** Returns whether a folder has something, and nothing of it has one of these names. */
  isNoneOf({ child }: KnownEntry, names: readonly string[]): boolean {
    const here = new Set(names);
    let isEmpty = true;
    for (const { name } of this.of(child)) {
      if (here.has(name)) return false;
      isEmpty = false;
    }
    return !isEmpty;
  }

  /** Returns whether an entry and everything in it was seen in one place. */
  isWhollyIn(place: number, known: KnownEntry): boolean {
    if (known.place !== place) return false;
    for (const child of this.of(known.child)) if (!this.isWhollyIn(place, child)) return false;
    return true;
  }

  /** Returns whether everything of a folder is at a path, each file with its size, as after it was moved there. @param path entry path */
  isAllIn({ child }: KnownEntry, path: string): boolean {
    for (const known of this.of(child)) {
      const inside = entryPathIn(path, known.name);
      const stat = statIfThere(inside);
      if (!stat || !isLike(known, stat) || !this.isAllIn(known, inside)) return false;
    }
    return true;
  }

  /** Returns what is in a directory. */
  of(directory: number | null | undefined): Iterable<KnownEntry> {
    return directory === null ? [] : this.#children(directory);
  }
}

function isLike({ kind, stat: known }: KnownEntry, stat: Stats): boolean {
  if (kind === DIRECTORY) return stat.isDirectory();
  if (kind === SYMLINK) return stat.isSymbolicLink();
  return kind === FILE && stat.isFile() && stat.size === sizeIn(known);
}

function statIfThere(path: string): Stats | undefined {
  try {
    return lstatSync(fileSystemPath(path));
  } catch {
    return undefined;
  }
}
