import type { DIRECTORY, KnownEntry, SYMLINK } from '../../catalog/entries/entry.ts';
import type { Exclusion } from './exclusion.ts';
import type { Places } from './places.ts';

/** Reads the known entries of folders and stores the current ones. That of a dry run stores nothing. */
export interface ScanCatalog {
  /**
   * Iterates in the byte order of names. An entry may be written before the next is taken. Directory `undefined` has none.
   */
  children(directory: number | undefined): Iterable<KnownEntry>;
  /** Returns the chunk list of a known file (chunk/chunk-list.ts); `undefined` if it has none. */
  chunksOf(directory: number, name: string): Buffer | undefined;
  /** Returns a new folder's id; `undefined` if nothing is stored. */
  newDirectory(): number | undefined;
  put(directory: number | undefined, entry: NewEntry): void;
  remove(directory: number | undefined, known: KnownEntry): void;
}

export interface NewEntry {
  readonly name: string;
  readonly kind: typeof DIRECTORY | typeof SYMLINK;
  readonly stat: Buffer;
  readonly child: number | null;
  readonly detail: string | null;
  readonly place: number;
}

/** Files of which the catalog has all in their new version, or none. */
export interface StoredTogether {
  /** Must be called when one of them was read. @param store stores it @param stat of what was read */
  ready(store: () => void, stat: Uint8Array): void;
}

/** A new or changed file, whose content has to be read. */
export interface FoundFile {
  readonly directory: number | undefined;
  readonly name: string;
  readonly path: string;
  readonly size: number;
  /** Packed stat of the scan. */
  readonly stat: Buffer;
  readonly detail: string | null;
  /** The place of its folder. */
  readonly place: number;
  /** True if the catalog has a version of it. */
  readonly isKnown: boolean;
  /** Stores it with the other parts of one thing. */
  readonly together?: StoredTogether;
}

export interface ScanOptions {
  readonly exclusion: Exclusion;
  readonly oneFileSystem: boolean;
  /** Read unchanged files again. */
  readonly rehash: boolean;
  /** Whether a person has said that what is at a path now is all there is: what is not there was deleted. */
  readonly accepts: (path: string) => boolean;
  /** Entry paths of what may be absent: no warning says that its last version is kept. */
  readonly optional?: ReadonlySet<string>;
  readonly places: Places;
  /** Have online-only files downloaded. They are left out by default. */
  readonly fetchesOnline?: boolean;
  /** Entry paths of folders to scan before others. */
  readonly first?: readonly string[];
}

export interface ScanCounts {
  /** Files, directories and symlinks that belong to the run. */
  readonly entries: number;
  readonly files: number;
  readonly bytes: number;
  /** Files whose version in the catalog stays. */
  readonly unchangedFiles: number;
}
