import { hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { systemCodeOf } from '../../base/errors/errors.ts';
import { FILE } from '../../catalog/entries/entry.ts';
import { chunkCount, digestAt, sizeAt } from '../../format/chunks/chunk-list.ts';
import { entryPathIn, fileSystemPath } from '../../os/filesystem/names/entry-path.ts';
import { sizeIn } from '../../os/filesystem/stat-record.ts';
import type { ScanCatalog } from './types.ts';

/** The uppermost folder of what is mounted, or of a source. */
export interface DiskTop {
  /** Entry path. */
  readonly path: string;
  /** What is known of it; `undefined` if nothing is. */
  readonly directory: number | undefined;
}

interface NamedFile {
  readonly directory: number;
  readonly name: string;
  readonly path: string;
  readonly size: number;
}

interface KnownFile extends NamedFile {
  readonly place: number;
}

/** Known files of a disk among which some are looked at, so that they are of different folders. */
const MOST_FILES = 4096;
/** Files that are read, one chunk of each. */
const MOST_READ = 8;

/**
 * Tells a disk that has the files of the one before it (a copy on a larger disk, or the same one under another number) from one that only has
 * files of the same names, as the next card of a camera. The content decides: times and sizes of cards are alike.
 */
export class DiskCopies {
  readonly #catalog: Pick<ScanCatalog, 'children' | 'chunksOf'>;
  readonly #verdicts = new Map<string, boolean>();
  readonly #atHome = new Map<string, boolean>();

  constructor(catalog: Pick<ScanCatalog, 'children' | 'chunksOf'>) {
    this.#catalog = catalog;
  }

  /** Returns whether what is there now has at least half of the files that were seen in a place before. @param top where they were */
  isCopy(top: DiskTop, place: number): boolean {
    const key = `${place} ${top.path}`;
    const known = this.#verdicts.get(key);
    if (known !== undefined) return known;
    const verdict = this.#compare(top, place);
    this.#verdicts.set(key, verdict);
    return verdict;
  }

  /**
   * Returns whether a disk has been there before, and had most of the known files: others that were in its place are visitors.
   *
   * @param top where it is
   */
  isAtHome(top: DiskTop, place: number): boolean {
    const key = `${place} ${top.path}`;
    let isAtHome = this.#atHome.get(key);
    if (isAtHome === undefined) {
      const files = this.#filesOf(top, undefined);
      isAtHome = files.filter((file) => file.place === place).length * 2 > files.length;
      this.#atHome.set(key, isAtHome);
    }
    return isAtHome;
  }

  /** Returns whether a file that is a source by itself is what it was. */
  isSame(directory: number, name: string, path: string, size: number): boolean {
    return this.#isThere({ directory, name, path, size });
  }

  #compare(top: DiskTop, place: number): boolean {
    const files = this.#filesOf(top, place);
    const step = Math.max(1, Math.floor(files.length / MOST_READ));
    const chosen = files.filter((_file, index) => index % step === 0).slice(0, MOST_READ);
    const same = chosen.filter((file) => this.#isThere(file)).length;
    return same * 2 >= chosen.length;
  }

  /** @param place of the files; `undefined` for those of all places */
  #filesOf({ path, directory }: DiskTop, place: number | undefined): readonly KnownFile[] {
    const files: KnownFile[] = [];
    const pending = directory === undefined ? [] : [{ path, directory }];
    for (let folder = pending.pop(); folder && files.length < MOST_FILES; folder = pending.pop()) {
      for (const entry of this.#catalog.children(folder.directory)) {
        const inside = entryPathIn(folder.path, entry.name);
        if (entry.child !== null) pending.push({ path: inside, directory: entry.child });
        else if (entry.kind === FILE && (place ?? entry.place) === entry.place && sizeIn(entry.stat) > 0) {
          const size = sizeIn(entry.stat);
          files.push({ directory: folder.directory, name: entry.name, path: inside, size, place: entry.place });
        }
        if (files.length === MOST_FILES) break;
      }
    }
    return files;
  }

  #isThere({ directory, name, path, size }: NamedFile): boolean {
    const chunks = this.#catalog.chunksOf(directory, name);
    if (!chunks || chunkCount(chunks) === 0) return size === 0;
    const start = startOf(path, size, sizeAt(chunks, 0));
    return start !== undefined && hash('sha256', start, 'buffer').equals(digestAt(chunks, 0));
  }
}

/** Returns the first bytes of a file; `undefined` if it has another size or cannot be read. */
function startOf(path: string, size: number, length: number): Buffer | undefined {
  try {
    // Opening a pipe would wait for its writer.
    const file = openSync(fileSystemPath(path), constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const stat = fstatSync(file);
      if (!stat.isFile() || stat.size !== size) return undefined;
      const bytes = Buffer.allocUnsafeSlow(length);
      let read = 0;
      for (let more = -1; more !== 0 && read < length; read += more) more = readSync(file, bytes, { offset: read });
      return read === length ? bytes : undefined;
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return undefined;
  }
}
