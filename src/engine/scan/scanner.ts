import { lstatSync, type BigIntStats } from 'node:fs';
import { comparePaths } from '../../protocol/path.ts';
import type { RunWarning } from '../job/run-warning.ts';
import { DIRECTORY, FILE, SYMLINK, type KnownEntry } from '../catalog/entries/entries.ts';
import { packStat, packedStat, sameContent, unpackStat } from '../filesystem/stat-record.ts';
import { HoldfastError, systemCodeOf } from '../../base/errors/errors.ts';
import { fileSystemPath } from '../filesystem/names/entry-path.ts';
import { readDetailSync } from './entry-detail.ts';
import { IGNORE_FILE, type ExclusionScope } from './exclusion.ts';
import { PendingFolders } from './pending-folders.ts';
import { readDirectorySync, sortNames } from './read-directory.ts';
import { namesBehind, OnlineOnly } from './online-only.ts';
import type { RootState } from './source-check.ts';
import type { FoundFile, ScanCatalog, ScanCounts, ScanOptions } from './types.ts';
import { reasonOf } from './warning-reason.ts';

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
  readonly #online: OnlineOnly;
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
    this.#online = new OnlineOnly(options.fetchesOnline ?? false);
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

  *#compare(folder: Folder, listed: string[]): Generator<void> {
    const { names, online } = namesBehind(folder.path, listed);
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
      const before = isKnown ? entry : undefined;
      const inside = online?.has(name)
        ? this.#leaveOnline(folder, name, before, scope)
        : this.#visitName(folder, name, before, scope);
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
    const path = pathIn(folder, name);
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

  /** A file that is here only as a placeholder with a name of its own. */
  #leaveOnline(folder: Folder, name: string, known: KnownEntry | undefined, scope: ExclusionScope): undefined {
    const path = pathIn(folder, name);
    if (this.#options.exclusion.excludes(scope, path, false)) {
      if (known) this.#catalog.remove(folder.id, known);
    } else this.#keepOnline(folder.id, path, known, undefined);
  }

  /** Keeps the last version of a file that is online only. */
  #keepOnline(
    directory: number | undefined,
    path: string,
    known: KnownEntry | undefined,
    stat: Buffer | undefined,
  ): undefined {
    const reason = this.#online.reasonOf(known, stat);
    if (reason !== undefined) this.warnings.push({ path, reason });
    if (known?.kind === FILE) return this.#keep(known);
    if (known) this.#catalog.remove(directory, known);
  }

  #visitFile({ directory, name, path, stat, known }: SeenEntry): void {
    const size = Number(stat.size);
    packStat(stat, this.#words);
    const isUnchanged = known?.kind === FILE && sameContent(known.stat, this.#packed);
    const isRead = !isUnchanged || this.#options.rehash;
    if (isRead && this.#online.hasFile(path)) return this.#keepOnline(directory, path, known, this.#packed);
    this.#entries += 1;
    this.#files += 1;
    this.#bytes += size;
    if (!isRead) {
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
    if (this.#online.hasFolder(path)) {
      this.warnings.push({ path, reason: 'online-only-folder' });
      return known ? this.#keep(known) : undefined;
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

function pathIn({ path }: Folder, name: string): string {
  return path.endsWith('/') ? path + name : `${path}/${name}`;
}

function nextOf<Item>(items: Iterator<Item>): Item | undefined {
  const next = items.next();
  return next.done ? undefined : next.value;
}
