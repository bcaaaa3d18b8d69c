import { lstatSync, type BigIntStats } from 'node:fs';
import { comparePaths } from '../../protocol/path.ts';
import type { RunWarning } from '../job/run-warning.ts';
import { DIRECTORY, FILE, SYMLINK, type KnownEntry } from '../catalog/entries.ts';
import { packStat, packedStat, sameContent, unpackStat } from '../filesystem/stat-record.ts';
import { HoldfastError, systemCodeOf } from '../../base/errors.ts';
import { fileSystemPath } from '../filesystem/entry-path.ts';
import { readDetailSync } from './entry-detail.ts';
import { IGNORE_FILE, type Exclusion, type ExclusionScope } from './exclusion.ts';
import { PendingFolders } from './pending-folders.ts';
import { readDirectorySync, sortNames } from './read-directory.ts';
import type { RootState } from './source-check.ts';
import { reasonOf } from './warning-reason.ts';

/** A folder's entries as they were last seen, and where what is seen now goes. A dry run's keeps nothing. */
export interface ScanCatalog {
  /** In the order of their names' bytes; what was taken may be written before the next is. Nothing is known of directory `undefined`. */
  children(directory: number | undefined): Iterable<KnownEntry>;
  /** A new folder's id; `undefined` where nothing is kept. */
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
}

/** A file whose content has to be read: it is new, or something about it changed. */
export interface FoundFile {
  readonly directory: number | undefined;
  readonly name: string;
  readonly path: string;
  readonly size: number;
  /** Packed, as seen by the scan. */
  readonly stat: Buffer;
  readonly detail: string | null;
  /** Whether a version of it is known. */
  readonly isKnown: boolean;
}

export interface ScanOptions {
  readonly exclusion: Exclusion;
  readonly oneFileSystem: boolean;
  /** Read files again although nothing about them changed. */
  readonly rehash: boolean;
  readonly allowEmpty: boolean;
  /** Entry paths of folders that are looked at before others. */
  readonly first?: readonly string[];
}

export interface ScanCounts {
  /** Files, directories and symlinks that belong to the run. */
  readonly entries: number;
  readonly files: number;
  readonly bytes: number;
}

interface Folder {
  readonly path: string;
  readonly id: number | undefined;
  readonly scope: ExclusionScope;
  readonly device: bigint;
  /** Nothing where the folder is new. */
  readonly knownDevice: bigint | undefined;
}

/** Names of one folder that are compared at a time, so that what is found of a folder of a million is never held whole. */
const NAMES_A_STEP = 1024;

/**
 * Compares folders with what the catalog knows of them, one folder a step, depth first. Directories and symlinks go to
 * the catalog at once; files that have to be read are handed out, and keep their last known version until they were.
 * Symlinks are not followed; sockets, FIFOs and devices are named and never opened.
 */
export class Scanner {
  readonly warnings: RunWarning[] = [];
  readonly #catalog: ScanCatalog;
  readonly #options: ScanOptions;
  readonly #pending: PendingFolders<Folder>;
  readonly #words = new BigInt64Array(11);
  readonly #packed = Buffer.from(this.#words.buffer);
  /** Of the folder that is being scanned. */
  #comparison: Generator<void> | undefined;
  #found: FoundFile[] = [];
  #entries = 0;
  #files = 0;
  #bytes = 0;

  constructor(catalog: ScanCatalog, options: ScanOptions) {
    this.#catalog = catalog;
    this.#options = options;
    this.#pending = new PendingFolders(options.first ?? []);
  }

  get counts(): ScanCounts {
    return { entries: this.#entries, files: this.#files, bytes: this.#bytes };
  }

  /** Takes the roots in; entries of roots that are no longer in the set are removed from the catalog. */
  addRoots(rootsDirectory: number | undefined, roots: readonly RootState[]): void {
    const known = new Map(Array.from(this.#catalog.children(rootsDirectory), (entry) => [entry.name, entry]));
    const byPath = new Map(roots.map((root) => [root.path, root]));
    const folders: Folder[] = [];
    for (const path of sortNames([...byPath.keys()])) {
      const scope = this.#options.exclusion.rootScope(path);
      const folder = this.#visit(rootsDirectory, path, path, byPath.get(path)!.stat, known.get(path), scope);
      if (folder) folders.push(folder);
      known.delete(path);
    }
    for (const gone of known.values()) this.#catalog.remove(rootsDirectory, gone);
    this.#pending.add(folders);
  }

  /**
   * Scans the next folder, or the next names of a large one.
   *
   * @returns the files there that have to be read, or nothing when all folders are done
   * @throws HoldfastError `source_not_mounted` for a folder below a root whose file system is not mounted
   */
  step(): readonly FoundFile[] | undefined {
    if (!this.#comparison) {
      const folder = this.#pending.take();
      if (!folder) return this.#takeFound();
      const names = this.#list(folder);
      if (names) this.#comparison = this.#compare(folder, names);
    }
    if (this.#comparison?.next().done) this.#comparison = undefined;
    return this.#takeFound() ?? [];
  }

  get currentPath(): string | undefined {
    return this.#pending.next?.path;
  }

  #takeFound(): FoundFile[] | undefined {
    if (this.#found.length === 0) return undefined;
    const found = this.#found;
    this.#found = [];
    return found;
  }

  #list(folder: Folder): string[] | undefined {
    try {
      return readDirectorySync(folder.path);
    } catch (error) {
      // What is below keeps its last known version: not being able to look is no deletion.
      this.#warn(folder.path, error);
      this.#countKnown(folder.id);
      return undefined;
    }
  }

  *#compare(folder: Folder, names: string[]): Generator<void> {
    const known = this.#catalog.children(folder.id)[Symbol.iterator]();
    let entry = nextOf(known);
    this.#refuseUnmounted(folder, names);
    const scope = this.#enterScope(folder, names);
    const folders: Folder[] = [];
    for (const [index, name] of names.entries()) {
      // Both lists have the same order: what the disk has not stands before what both have.
      while (entry && entry.name !== name && comparePaths(entry.name, name) < 0) {
        this.#catalog.remove(folder.id, entry);
        entry = nextOf(known);
      }
      const isKnown = entry?.name === name;
      const inside = this.#look(folder, name, isKnown ? entry : undefined, scope);
      if (isKnown) entry = nextOf(known);
      if (inside) folders.push(inside);
      if ((index + 1) % NAMES_A_STEP === 0) yield;
    }
    for (; entry; entry = nextOf(known)) this.#catalog.remove(folder.id, entry);
    this.#pending.add(folders);
  }

  #enterScope(folder: Folder, names: readonly string[]): ExclusionScope {
    try {
      return this.#options.exclusion.enter(folder.scope, folder.path, names.includes(IGNORE_FILE));
    } catch (error) {
      this.#warn(`${folder.path}/${IGNORE_FILE}`, error);
      return folder.scope;
    }
  }

  #look(folder: Folder, name: string, known: KnownEntry | undefined, scope: ExclusionScope): Folder | undefined {
    const path = folder.path.endsWith('/') ? folder.path + name : `${folder.path}/${name}`;
    let stat: BigIntStats;
    try {
      stat = lstatSync(fileSystemPath(path), { bigint: true });
    } catch (error) {
      // Gone between listing and looking: the same as deleted before.
      if (systemCodeOf(error) !== 'ENOENT') {
        this.#warn(path, error);
        if (known) return this.#keep(known);
      } else if (known) this.#catalog.remove(folder.id, known);
      return undefined;
    }
    const rule = this.#options.exclusion.excludes(scope, path, stat.isDirectory());
    if (rule) {
      this.#options.exclusion.count(rule, stat.isDirectory() ? 0 : Number(stat.size));
      if (known) this.#catalog.remove(folder.id, known);
      return undefined;
    }
    return this.#visit(folder.id, name, path, stat, known, scope, folder);
  }

  #visit(
    directory: number | undefined,
    name: string,
    path: string,
    stat: BigIntStats,
    known: KnownEntry | undefined,
    scope: ExclusionScope,
    parent?: Folder,
  ): Folder | undefined {
    if (stat.isFile()) this.#visitFile(directory, name, path, stat, known);
    else if (stat.isDirectory()) return this.#visitDirectory(directory, name, path, stat, known, scope, parent);
    else if (stat.isSymbolicLink()) this.#visitSymlink(directory, name, path, stat, known);
    else {
      this.warnings.push({ path, reason: 'special-file' });
      if (known) this.#catalog.remove(directory, known);
    }
    return undefined;
  }

  #visitFile(
    directory: number | undefined,
    name: string,
    path: string,
    stat: BigIntStats,
    known: KnownEntry | undefined,
  ): void {
    const size = Number(stat.size);
    this.#entries += 1;
    this.#files += 1;
    this.#bytes += size;
    packStat(stat, this.#words);
    if (known?.kind === FILE && !this.#options.rehash && sameContent(known.stat, this.#packed)) return;
    // A folder that became a file has to make room; a file keeps its last version until the new one was read.
    if (known && known.kind !== FILE) this.#catalog.remove(directory, known);
    const detail = this.#detail(path, false);
    if (detail === undefined) return;
    const isKnown = known?.kind === FILE;
    this.#found.push({ directory, name, path, size, stat: Buffer.from(this.#packed), detail, isKnown });
  }

  #visitSymlink(
    directory: number | undefined,
    name: string,
    path: string,
    stat: BigIntStats,
    known: KnownEntry | undefined,
  ): void {
    this.#entries += 1;
    packStat(stat, this.#words);
    if (known?.kind === SYMLINK && known.stat.equals(this.#packed)) return;
    if (known && known.kind !== SYMLINK) this.#catalog.remove(directory, known);
    const detail = this.#detail(path, true);
    if (detail === undefined) return;
    this.#catalog.put(directory, { name, kind: SYMLINK, stat: packedStat(stat), child: null, detail });
  }

  #visitDirectory(
    directory: number | undefined,
    name: string,
    path: string,
    stat: BigIntStats,
    known: KnownEntry | undefined,
    scope: ExclusionScope,
    parent: Folder | undefined,
  ): Folder | undefined {
    if (this.#options.oneFileSystem && parent && stat.dev !== parent.device) {
      this.warnings.push({ path, reason: 'other-file-system' });
      if (known) this.#catalog.remove(directory, known);
      return undefined;
    }
    this.#entries += 1;
    packStat(stat, this.#words);
    const knownDirectory = known?.kind === DIRECTORY ? known : undefined;
    if (known && !knownDirectory) this.#catalog.remove(directory, known);
    const id = knownDirectory?.child ?? this.#catalog.newDirectory();
    if (!knownDirectory?.stat.equals(this.#packed)) {
      const detail = this.#detail(path, false) ?? null;
      this.#catalog.put(directory, { name, kind: DIRECTORY, stat: packedStat(stat), child: id ?? null, detail });
    }
    const knownDevice = knownDirectory && unpackStat(knownDirectory.stat).device;
    const folder: Folder = { path, id, scope, device: stat.dev, knownDevice };
    // A file system was mounted here at the last run, and now there is a plain folder.
    const wasMounted = parent && knownDevice !== undefined && knownDevice !== parent.knownDevice;
    if (wasMounted && stat.dev === parent.device) this.#suspects.add(folder.path);
    return folder;
  }

  readonly #suspects = new Set<string>();

  /** Where nothing of what was there is left: whatever else lies in a folder that is mounted over is hidden until then. */
  #refuseUnmounted(folder: Folder, names: readonly string[]): void {
    if (this.#options.allowEmpty || !this.#suspects.has(folder.path)) return;
    const here = new Set(names);
    let before = 0;
    for (const { name } of this.#catalog.children(folder.id)) {
      if (here.has(name)) return;
      before += 1;
    }
    if (before > 0) throw new HoldfastError('source_not_mounted', { path: folder.path });
  }

  /** Nothing where the entry went away or cannot be read; that is warned of. */
  #detail(path: string, isSymlink: boolean): string | null | undefined {
    try {
      return readDetailSync(path, isSymlink);
    } catch (error) {
      if (systemCodeOf(error) !== 'ENOENT') this.#warn(path, error);
      // The content matters more than attributes that are too large to be kept.
      return systemCodeOf(error) === 'E2BIG' && !isSymlink ? null : undefined;
    }
  }

  #keep(known: KnownEntry): undefined {
    this.#entries += 1;
    if (known.kind === FILE) {
      this.#files += 1;
      this.#bytes += unpackStat(known.stat).size;
    } else if (known.child !== null) this.#countKnown(known.child);
  }

  #countKnown(directory: number | undefined): void {
    for (const entry of this.#catalog.children(directory)) this.#keep(entry);
  }

  #warn(path: string, error: unknown): void {
    this.warnings.push({ path, reason: reasonOf(error) });
  }
}

function nextOf<Item>(items: Iterator<Item>): Item | undefined {
  const next = items.next();
  return next.done ? undefined : next.value;
}
