import type { Directories } from './directories.ts';
import type { CatalogEntry, KnownEntry } from './entry.ts';

/** Entries of one directory that are read at a time. */
const PAGE_ENTRIES = 1024;

/** Reads entries, each directory's in the order of their names' bytes. */
export class EntryReader {
  readonly #directories: Directories;

  constructor(directories: Directories) {
    this.#directories = directories;
  }

  /** Returns all entries of a directory, by name. */
  children(directory: number): KnownEntry[] {
    return this.page(directory, '', Number.POSITIVE_INFINITY);
  }

  /** Iterates over the entries in pages. The caller may write an entry before it takes the next one. */
  eachChild(directory: number): Iterable<KnownEntry> {
    const page = this.page(directory, '', PAGE_ENTRIES);
    return page.length < PAGE_ENTRIES ? page : this.#pagesFrom(directory, page);
  }

  /** Returns at most `limit` entries of a directory after `after` (`''` is before all). */
  page(directory: number, after: string, limit: number): CatalogEntry[] {
    return this.#directories.read(directory, after, limit);
  }

  find(directory: number, name: string): CatalogEntry | undefined {
    return this.#directories.find(directory, name);
  }

  *#pagesFrom(directory: number, first: readonly CatalogEntry[]): Generator<KnownEntry> {
    for (let page = first; page.length > 0;) {
      yield* page;
      page = page.length < PAGE_ENTRIES ? [] : this.page(directory, page.at(-1)!.name, PAGE_ENTRIES);
    }
  }
}
