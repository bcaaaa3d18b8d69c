import { lstatSync, statSync, type BigIntStats } from 'node:fs';
import { comparePaths } from '../../model/entry-path.ts';
import type { RunWarning } from '../../jobs/run-warning.ts';
import { DIRECTORY, FILE, SYMLINK, type KnownEntry } from '../../catalog/entries/entry.ts';
import { packStat, packedStat, hasSameSignature } from '../../os/filesystem/stat-record.ts';
import { systemCodeOf } from '../../base/errors/errors.ts';
import { entryPathIn, fileSystemPath } from '../../os/filesystem/names/entry-path.ts';
import { readDetailSync } from './entry-detail.ts';
import { IGNORE_FILE, type ExclusionScope } from './exclusion.ts';
import { KnownContent } from './known-content.ts';
import { PendingFolders } from './pending-folders.ts';
import { depthOf, type Place } from './places.ts';
import { readDirectorySync, sortNames } from './read-directory.ts';
import { reasonOfLost } from './lost-folder.ts';
import { namesBehind, OnlineOnly } from './online-only.ts';
import type { Folder, SeenEntry } from './seen-entry.ts';
import { isSameFolder, type RootState } from './source-check.ts';
import { Tally } from './tally.ts';
import type { FoundFile, ScanCatalog, ScanCounts, ScanOptions } from './types.ts';
import { UnseenEntries } from './unseen-entries.ts';
import { reasonOf } from './warning-reason.ts';

/** Names that one step visits, so that the files found in a folder of a million never are in memory at once. */
const NAMES_PER_STEP = 1024;

/**
 * Compares folders with the catalog, one folder per step, depth first. Directories and symlinks are stored at once. Files
 * that have to be read are returned and keep their last known version until then. Symlinks are not followed, except roots. Sockets,
 * FIFOs and devices cause notes and are never opened. What a folder lacks is deleted or not (`unseen-entries.ts`).
 */
export class Scanner {
  readonly #warnings: RunWarning[] = [];
  readonly #notes: RunWarning[] = [];
  readonly #catalog: ScanCatalog;
  readonly #options: ScanOptions;
  readonly #tally: Tally;
  readonly #content: KnownContent;
  readonly #unseen: UnseenEntries;
  readonly #online: OnlineOnly;
  readonly #pending: PendingFolders<Folder>;
  readonly #words = new BigInt64Array(11);
  readonly #packed = Buffer.from(this.#words.buffer);
  /** Comparison of the current folder. */
  #comparison: Generator<void> | undefined;
  #found: FoundFile[] = [];

  constructor(catalog: ScanCatalog, options: ScanOptions) {
    this.#catalog = catalog;
    this.#options = options;
    this.#content = new KnownContent((directory) => catalog.children(directory));
    this.#tally = new Tally(this.#content);
    this.#unseen = new UnseenEntries({ catalog, content: this.#content, tally: this.#tally, options });
    this.#online = new OnlineOnly(options.fetchesOnline ?? false);
    this.#pending = new PendingFolders(options.first ?? []);
  }

  get counts(): ScanCounts {
    return this.#tally.counts;
  }

  get warnings(): readonly RunWarning[] {
    return [...this.#unseen.warnings, ...this.#warnings];
  }

  /** What is left out and costs nothing: sockets, pipes and devices, and file systems that the set leaves out. */
  get notes(): readonly RunWarning[] {
    return this.#notes;
  }

  /** What keeps its last version since it is not there, although nobody deleted it; without a warning, if the set allows that. */
  get unseen(): Record<'named' | 'silent', readonly RunWarning[]> & Record<'bare' | 'visiting', readonly string[]> {
    const { warnings: named, silent, bare, visiting } = this.#unseen;
    return { named, silent, bare, visiting };
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
      const { stat, place, real } = byPath.get(path)!;
      const top = { path, directory: known.get(path)?.child ?? undefined };
      const above = { id: rootsDirectory, place: place.number, mount: path, top };
      const root = { folder: above, name: path, path, real, stat, known: known.get(path), within: place };
      const folder = this.#visit(root, scope);
      if (folder) folders.push(folder);
      known.delete(path);
    }
    for (const gone of known.values()) {
      if (absent.has(gone.name)) this.#tally.addKnown(gone);
      else this.#catalog.remove(rootsDirectory, gone);
    }
    this.#pending.add(folders);
  }

  /**
   * Scans the next folder, or the next part of a large one.
   *
   * @returns the files to read, or `undefined` when all folders are done
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
    const { path, id } = folder;
    try {
      const names = readDirectorySync(path);
      if (this.#isStillThere(folder)) return this.#unseen.keepDoubtful(folder, names) ? undefined : names;
      this.#warnings.push({ path, reason: reasonOfLost(folder, this.#options.places) });
    } catch (error) {
      this.#warnIn(folder, path, error);
    }
    // Everything below keeps its last known version: an unreadable folder is not a deleted one.
    this.#tally.addKnownIn(id);
    return undefined;
  }

  /** Returns whether a folder is what it was when it was found: something may have been mounted or unmounted since. */
  #isStillThere({ path, stat, place }: Folder): boolean {
    try {
      const now = statSync(fileSystemPath(path), { bigint: true });
      if (isSameFolder(stat, now)) return true;
      // FAT numbers folders anew, and does not know when they were born.
      const hasNoBirth = stat.birthtimeNs === 0n && now.birthtimeNs === 0n && now.dev === stat.dev;
      return hasNoBirth && this.#options.places.of(path)?.number === place;
    } catch (error) {
      if (systemCodeOf(error) === undefined) throw error;
      return false;
    }
  }

  *#compare(folder: Folder, listed: string[]): Generator<void> {
    const { names, online } = namesBehind(folder.path, listed);
    const known = this.#catalog.children(folder.id)[Symbol.iterator]();
    let entry = nextOf(known);
    const scope = this.#enterScope(folder, names);
    const folders: Folder[] = [];
    for (const [index, name] of names.entries()) {
      // Both lists have the same order, so an entry that sorts before `name` is gone.
      while (entry && entry.name !== name && comparePaths(entry.name, name) < 0) {
        this.#unseen.forget(folder, entry, entryPathIn(folder.path, entry.name), scope);
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
    for (; entry; entry = nextOf(known)) {
      this.#unseen.forget(folder, entry, entryPathIn(folder.path, entry.name), scope);
    }
    this.#pending.add(folders);
  }

  #enterScope(folder: Folder, names: readonly string[]): ExclusionScope {
    try {
      return this.#options.exclusion.enter(folder.scope, folder.path, (name) => names.includes(name));
    } catch (error) {
      this.#warn(`${folder.path}/${IGNORE_FILE}`, error);
      return this.#options.exclusion.enterWithoutIgnoreFile(folder.scope, folder.path);
    }
  }

  #visitName(folder: Folder, name: string, known: KnownEntry | undefined, scope: ExclusionScope): Folder | undefined {
    const path = entryPathIn(folder.path, name);
    let stat: BigIntStats;
    try {
      stat = lstatSync(fileSystemPath(path), { bigint: true });
    } catch (error) {
      const isDeleted = systemCodeOf(error) === 'ENOENT' && this.#isStillThere(folder);
      if (!isDeleted) this.#warnIn(folder, path, error);
      if (known && isDeleted) this.#unseen.forget(folder, known, path, scope);
      else if (known) this.#tally.addKnown(known);
      return undefined;
    }
    const rule = this.#options.exclusion.excludes(scope, path, stat.isDirectory());
    if (rule) {
      this.#options.exclusion.leaveOut(rule, path, stat);
      if (known) this.#catalog.remove(folder.id, known);
      return undefined;
    }
    return this.#visit({ folder, name, path, real: path, stat, known }, scope, folder);
  }

  #visit(entry: SeenEntry, scope: ExclusionScope, parent?: Folder): Folder | undefined {
    const { path, stat } = entry;
    if (stat.isDirectory()) return this.#visitDirectory(entry, scope, parent);
    if (stat.isFile()) this.#visitFile(entry, scope, parent);
    else if (stat.isSymbolicLink()) this.#visitSymlink(entry, scope, parent);
    else {
      this.#notes.push({ path, reason: 'special-file' });
      this.#makeRoom(entry, scope);
    }
    return undefined;
  }

  /** Removes what had an entry's name before, and was of another kind. Returns false if it has to stay, and the entry has no room. */
  #makeRoom({ folder, path, known }: SeenEntry, scope: ExclusionScope, kind?: KnownEntry['kind']): boolean {
    return !known || known.kind === kind || this.#unseen.forget(folder, known, path, scope);
  }

  /** A file that is here only as a placeholder with a name of its own. */
  #leaveOnline(folder: Folder, name: string, known: KnownEntry | undefined, scope: ExclusionScope): undefined {
    const path = entryPathIn(folder.path, name);
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
    if (reason !== undefined) this.#warnings.push({ path, reason });
    if (known?.kind === FILE) return this.#tally.addKnown(known);
    if (known) this.#catalog.remove(directory, known);
  }

  #visitFile(entry: SeenEntry, scope: ExclusionScope, parent: Folder | undefined): void {
    const { folder, name, path, real, stat, known } = entry;
    packStat(stat, this.#words);
    const isUnchanged = known?.kind === FILE && hasSameSignature(known.stat, this.#packed);
    // A file can be mounted on, too: what is there without it is the file below.
    const place = this.#placeOfFile(entry, parent);
    // Sizes, times and inodes prove nothing across two disks: images that a build makes have the same.
    const isRead = !isUnchanged || known.place !== place || this.#options.rehash;
    const wasMounted = known?.kind === FILE && this.#options.places.wasMountPoint(path, known.place, place);
    if (wasMounted && !isUnchanged && !this.#options.accepts(path)) return this.#unseen.keep(known, path);
    if (this.#unseen.keepOther(entry, { place, isChanged: !isUnchanged }, parent)) return;
    if (isRead && this.#online.hasFile(path)) return this.#keepOnline(folder.id, path, known, this.#packed);
    // A folder that became a file is removed at once; a file keeps its last version until the new one is read.
    if (!this.#makeRoom(entry, scope, FILE)) return;
    this.#tally.addFile(Number(stat.size), !isRead);
    const detail = isRead ? this.#detail(real, false) : undefined;
    if (detail === undefined) return;
    this.#found.push({
      directory: folder.id,
      name,
      path,
      size: Number(stat.size),
      stat: Buffer.from(this.#packed),
      detail,
      place,
      isKnown: known?.kind === FILE,
    });
  }

  /** Each file has to be asked about only where something is mounted. */
  #placeOfFile(entry: SeenEntry, parent: Folder | undefined): number {
    const isOfFolder = !parent || (entry.stat.dev === parent.stat.dev && !this.#options.places.hasMountIn(parent.path));
    return isOfFolder ? entry.folder.place : this.#enter(entry, parent).place.number;
  }

  #visitSymlink(entry: SeenEntry, scope: ExclusionScope, parent: Folder | undefined): void {
    const { folder, name, path, stat, known } = entry;
    if (
      this.#unseen.keepOther(entry, { place: folder.place, isChanged: true }, parent) ||
      !this.#makeRoom(entry, scope, SYMLINK)
    )
      return;
    this.#tally.addLink();
    packStat(stat, this.#words);
    const { id, place } = folder;
    if (known?.kind === SYMLINK && known.place === place && known.stat.equals(this.#packed)) return;
    const detail = this.#detail(path, true);
    if (detail === undefined) return;
    this.#catalog.put(id, { name, kind: SYMLINK, stat: packedStat(stat), child: null, detail, place });
  }

  #visitDirectory(entry: SeenEntry, scope: ExclusionScope, parent: Folder | undefined): Folder | undefined {
    const { folder, name, path, real, known } = entry;
    if (this.#options.oneFileSystem && parent && entry.stat.dev !== parent.stat.dev) {
      this.#notes.push({ path, reason: 'other-file-system' });
      // What is below the mount point is hidden, and was not deleted.
      if (known?.place === folder.place) this.#tally.addKnown(known);
      else if (known) this.#catalog.remove(folder.id, known);
      return undefined;
    }
    if (this.#online.hasFolder(path)) {
      this.#warnings.push({ path, reason: 'online-only-folder' });
      if (known) this.#tally.addKnown(known);
      return undefined;
    }
    if (!this.#makeRoom(entry, scope, DIRECTORY) || this.#unseen.keepSubvolume(entry)) return undefined;
    const { place: within, stat } = this.#enter(entry, parent);
    const before = known?.kind === DIRECTORY ? known : undefined;
    const wasDeeper = before !== undefined && depthOf(before.place) > depthOf(within.number);
    const isMoved = parent?.isMoved === true || (wasDeeper && this.#content.isAllIn(before, path));
    if (wasDeeper && !isMoved && !this.#options.accepts(path)) return this.#unseen.keep(before, path);
    this.#tally.addFolder();
    packStat(stat, this.#words);
    const id = before?.child ?? this.#catalog.newDirectory();
    const place = within.number;
    if (before?.place !== place || !before.stat.equals(this.#packed)) {
      const detail = this.#detail(real, false) ?? null;
      this.#catalog.put(folder.id, { name, kind: DIRECTORY, stat: packedStat(stat), child: id ?? null, detail, place });
    }
    const mount = place === folder.place ? folder.mount : path;
    const top = parent && place === folder.place ? parent.top : { path, directory: before?.child ?? undefined };
    return { path, id, scope, stat, within, place, mount, known: before, top, isMoved };
  }

  #enter(entry: SeenEntry, parent: Folder | undefined): { readonly place: Place; readonly stat: BigIntStats } {
    const { path, stat, within } = entry;
    if (!parent) return { place: within!, stat };
    return this.#options.places.enter({ place: parent.within, device: parent.stat.dev }, path, stat);
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

  #warnIn(folder: Folder, path: string, error: unknown): void {
    if (systemCodeOf(error) !== 'ENOENT') return this.#warn(path, error);
    this.#warnings.push({ path, reason: reasonOfLost(folder, this.#options.places) });
  }

  #warn(path: string, error: unknown): void {
    this.#warnings.push({ path, reason: reasonOf(error) });
  }
}

function nextOf<Item>(items: Iterator<Item>): Item | undefined {
  const next = items.next();
  return next.done ? undefined : next.value;
}
