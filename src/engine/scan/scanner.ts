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

/** Reads the known entries of folders and stores the current ones. That of a dry run stores nothing. */
export interface ScanCatalog {
  /**
   * Iterates in the byte order of names. An entry may be written before the next is taken. Directory `undefined` has none.
   */
  children(directory: number | undefined): Iterable<KnownEntry>;
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
  /** True if the catalog has a version of it. */
  readonly isKnown: boolean;
}

export interface ScanOptions {
  readonly exclusion: Exclusion;
  readonly oneFileSystem: boolean;
  /** Read unchanged files again. */
  readonly rehash: boolean;
  readonly allowEmpty: boolean;
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

/** An entry on the disk, and its version in the catalog. */
interface SeenEntry {
  readonly directory: number | undefined;
  readonly name: string;
  readonly path: string;
  readonly stat: BigIntStats;
  readonly known: KnownEntry | undefined;
}

interface Folder {
  readonly path: string;
  readonly id: number | undefined;
  readonly scope: ExclusionScope;
  readonly device: bigint;
  /** `undefined` for a new folder. */
  readonly knownDevice: bigint | undefined;
}

/** Names that one step visits, so that the files found in a folder of a million never are in memory at once. */
const NAMES_PER_STEP = 1024;

/**
 * Compares folders with the catalog, one folder per step, depth first. Directories and symlinks are stored at once. Files
 * that have to be read are returned and keep their last known version until then. Symlinks are not followed. Sockets,
 * FIFOs and devices cause warnings and are never opened.
 */
export class Scanner {
  readonly warnings: RunWarning[] = [];
  readonly #catalog: ScanCatalog;
  readonly #options: ScanOptions;
  readonly #pending: PendingFolders<Folder>;
  readonly #words = new BigInt64Array(11);
  readonly #packed = Buffer.from(this.#words.buffer);
  /** Comparison of the current folder. */
  #comparison: Generator<void> | undefined;
  /** Paths of folders that were mount points in the last run. */
  readonly #possiblyUnmounted = new Set<string>();
  #found: FoundFile[] = [];
  #entries = 0;
  #files = 0;
  #bytes = 0;
  #unchangedFiles = 0;

  constructor(catalog: ScanCatalog, options: ScanOptions) {
    this.#catalog = catalog;
    this.#options = options;
    this.#pending = new PendingFolders(options.first ?? []);
  }

  get counts(): ScanCounts {
    return { entries: this.#entries, files: this.#files, bytes: this.#bytes, unchangedFiles: this.#unchangedFiles };
  }

  /**
   * Adds the roots. Entries of roots that are no longer in the set are removed from the catalog.
   *
   * @param absent paths of roots that are not there, whose entries keep their last known version
   */
  addRoots(
    rootsDirectory: number | undefined,
    roots: readonly RootState[],
    absent: ReadonlySet<string> = new Set(),
  ): void {
    const known = new Map(Array.from(this.#catalog.children(rootsDirectory), (entry) => [entry.name, entry]));
    const byPath = new Map(roots.map((root) => [root.path, root]));
    const folders: Folder[] = [];
    for (const path of sortNames([...byPath.keys()])) {
      const scope = this.#options.exclusion.rootScope(path);
      const { stat } = byPath.get(path)!;
      const root = { directory: rootsDirectory, name: path, path, stat, known: known.get(path) };
      const folder = this.#visit(root, scope);
      if (folder) folders.push(folder);
      known.delete(path);
    }
    for (const gone of known.values()) {
      if (absent.has(gone.name)) this.#keep(gone);
      else this.#catalog.remove(rootsDirectory, gone);
    }
    this.#pending.add(folders);
  }

  /**
   * Scans the next folder, or the next part of a large one.
   *
   * @returns the files to read, or `undefined` when all folders are done
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
      // Everything below keeps its last known version: an unreadable folder is not a deleted one.
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
      // Both lists have the same order, so an entry that sorts before `name` is gone.
      while (entry && entry.name !== name && comparePaths(entry.name, name) < 0) {
        this.#catalog.remove(folder.id, entry);
        entry = nextOf(known);
      }
      const isKnown = entry?.name === name;
      const inside = this.#visitName(folder, name, isKnown ? entry : undefined, scope);
      if (isKnown) entry = nextOf(known);
      if (inside) folders.push(inside);
      if ((index + 1) % NAMES_PER_STEP === 0) yield;
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

  #visitName(folder: Folder, name: string, known: KnownEntry | undefined, scope: ExclusionScope): Folder | undefined {
    const path = folder.path.endsWith('/') ? folder.path + name : `${folder.path}/${name}`;
    let stat: BigIntStats;
    try {
      stat = lstatSync(fileSystemPath(path), { bigint: true });
    } catch (error) {
      // ENOENT: deleted since the folder was listed.
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
    return this.#visit({ directory: folder.id, name, path, stat, known }, scope, folder);
  }

  #visit(entry: SeenEntry, scope: ExclusionScope, parent?: Folder): Folder | undefined {
    const { directory, path, stat, known } = entry;
    if (stat.isFile()) this.#visitFile(entry);
    else if (stat.isDirectory()) return this.#visitDirectory(entry, scope, parent);
    else if (stat.isSymbolicLink()) this.#visitSymlink(entry);
    else {
      this.warnings.push({ path, reason: 'special-file' });
      if (known) this.#catalog.remove(directory, known);
    }
    return undefined;
  }

  #visitFile({ directory, name, path, stat, known }: SeenEntry): void {
    const size = Number(stat.size);
    this.#entries += 1;
    this.#files += 1;
    this.#bytes += size;
    packStat(stat, this.#words);
    if (known?.kind === FILE && !this.#options.rehash && sameContent(known.stat, this.#packed)) {
      this.#unchangedFiles += 1;
      return;
    }
    // A folder that became a file is removed at once; a file keeps its last version until the new one is read.
    if (known && known.kind !== FILE) this.#catalog.remove(directory, known);
    const detail = this.#detail(path, false);
    if (detail === undefined) return;
    const isKnown = known?.kind === FILE;
    this.#found.push({ directory, name, path, size, stat: Buffer.from(this.#packed), detail, isKnown });
  }

  #visitSymlink({ directory, name, path, stat, known }: SeenEntry): void {
    this.#entries += 1;
    packStat(stat, this.#words);
    if (known?.kind === SYMLINK && known.stat.equals(this.#packed)) return;
    if (known && known.kind !== SYMLINK) this.#catalog.remove(directory, known);
    const detail = this.#detail(path, true);
    if (detail === undefined) return;
    this.#catalog.put(directory, { name, kind: SYMLINK, stat: packedStat(stat), child: null, detail });
  }

  #visitDirectory(
    { directory, name, path, stat, known }: SeenEntry,
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
    // A file system was mounted here in the last run; now there is a plain folder.
    const wasMounted = parent && knownDevice !== undefined && knownDevice !== parent.knownDevice;
    if (wasMounted && stat.dev === parent.device) this.#possiblyUnmounted.add(folder.path);
    return folder;
  }

  /** Refuses a former mount point that has none of its known entries: its own content is hidden while it is mounted. */
  #refuseUnmounted(folder: Folder, names: readonly string[]): void {
    if (this.#options.allowEmpty || !this.#possiblyUnmounted.has(folder.path)) return;
    const here = new Set(names);
    let before = 0;
    for (const { name } of this.#catalog.children(folder.id)) {
      if (here.has(name)) return;
      before += 1;
    }
    if (before > 0) throw new HoldfastError('source_not_mounted', { path: folder.path });
  }

  /** Returns `undefined` if the entry is gone or unreadable; the latter causes a warning. */
  #detail(path: string, isSymlink: boolean): string | null | undefined {
    try {
      return readDetailSync(path, isSymlink);
    } catch (error) {
      if (systemCodeOf(error) !== 'ENOENT') this.#warn(path, error);
      // Attributes that are too large must not keep the content out of the backup.
      return systemCodeOf(error) === 'E2BIG' && !isSymlink ? null : undefined;
    }
  }

  #keep(known: KnownEntry): undefined {
    this.#entries += 1;
    if (known.kind === FILE) {
      this.#files += 1;
      this.#unchangedFiles += 1;
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
