import pLimit from 'p-limit';
import type { KnownRoot, SetRun } from '../../../catalog/entries/entries.ts';
import { isWithin } from '../../../model/entry-path.ts';
import { entryPathGiven } from '../../../os/filesystem/names/entry-path.ts';
import { systemFunctionWarnings } from '../../../os/filesystem/system-functions.ts';
import type { RunWarning } from '../../../jobs/run-warning.ts';
import { Exclusion } from '../../scan/exclusion.ts';
import { Places } from '../../scan/places.ts';
import { RemainingFiles } from '../../scan/remaining-files.ts';
import { recheckRoot } from '../../scan/source-check.ts';
import type { TreeMount } from '../../../format/tree/record.ts';
import type { BackupDependencies, BackupRequest } from '../types.ts';
import type { NewestTree } from '../../../read/source/tree.ts';
import { EarlyUpload } from '../upload/early-upload.ts';
import { isUnreadReason } from '../../scan/warning-reason.ts';
import type { ChangedFile } from '../upload/upload-chunks.ts';
import { checkRoots, type AbsentRoot, type CheckedRoots } from './check-roots.ts';
import { ancestorIn, requireEarlierEntries } from './earlier-entries.ts';
import { rereadChangedFiles } from './reread-changed-files.ts';
import { mountsOf, requireMounts } from './tree-mounts.ts';
import { updateCatalog, type CatalogUpdate, type CatalogUpdateObserver } from './update-catalog.ts';
import { FilesInCopies, removeOldCopies } from './volume-copies.ts';

const NOT_CHECKED: CheckedRoots = {
  present: [],
  absent: [],
  redirected: [],
  accepts: () => false,
  places: new Places(),
  remaining: new RemainingFiles(new Exclusion([], [], []), { oneFileSystem: false }),
};

/** The set as it was scanned and read. */
export interface ReadSet {
  readonly run: SetRun;
  readonly update: CatalogUpdate;
}

/**
 * What a run does once for all of its destinations: it checks the sources, scans them, and brings the catalog up to date.
 */
export class SharedReading {
  readonly early: EarlyUpload;
  /** Disposed of when no destination needs the files any more. */
  readonly copies: FilesInCopies;
  /** Settles when the set was read. */
  readonly done: Promise<ReadSet>;
  /** Rejects if the set cannot be read; never resolves. */
  readonly failed: Promise<never>;
  readonly #request: BackupRequest;
  readonly #dependencies: BackupDependencies;
  readonly #signal: AbortSignal | undefined;
  readonly #settle: PromiseWithResolvers<ReadSet>;
  #filesReadAgain = 0;
  readonly #warnings: RunWarning[] = [];
  readonly #oneAtATime = pLimit(1);
  #roots: CheckedRoots | undefined;
  #unseen: CatalogUpdate['unseen'] = { named: [], silent: [], bare: [], visiting: [] };

  constructor(
    request: BackupRequest,
    dependencies: BackupDependencies,
    { targets, signal }: { readonly targets: number; readonly signal: AbortSignal | undefined },
  ) {
    this.#request = request;
    this.#dependencies = dependencies;
    this.copies = new FilesInCopies(dependencies.volumeCopies);
    this.#signal = signal;
    this.#settle = Promise.withResolvers();
    this.done = this.#settle.promise;
    this.failed = this.done.then(() => new Promise<never>(() => undefined));
    this.failed.catch(() => undefined);
    this.early = new EarlyUpload({
      chunkSubKeys: dependencies.keys.chunk,
      compression: request.set.compression ?? 'default',
      readers: dependencies.pool.capacity,
      lanes: targets,
      signal,
    });
  }

  /** Problems so far that did not make the run fail. */
  get warnings(): readonly RunWarning[] {
    return this.#warnings;
  }

  /** Where the sources led when they were checked; those that are absent, at the newest restore point. */
  get roots(): readonly KnownRoot[] {
    const present = this.#checked.present.map(({ path, real }) => ({ path, real }));
    return [...present, ...this.absent.flatMap(({ known }) => known ?? [])];
  }

  /** The sources that the run does without. */
  get absent(): readonly AbsentRoot[] {
    return this.#checked.absent;
  }

  /** What the run does without: sources, and disks in them. */
  get missing(): readonly { readonly path: string }[] {
    return [...this.absent, ...this.#unseen.named, ...this.#unseen.silent];
  }

  get #checked(): CheckedRoots {
    return this.#roots ?? NOT_CHECKED;
  }

  /** Checks the sources, unless that was done. @throws HoldfastError `source_*` */
  checkRoots(): void {
    if (this.#roots) return;
    this.#roots = checkRoots(this.#request, this.#dependencies.catalog);
    for (const { path, real } of this.#roots.present) this.copies.follow(path, real);
  }

  /** Returns the file systems on which the files of the set were seen. */
  mounts(run: SetRun): readonly TreeMount[] {
    const { roots, missing } = this;
    return mountsOf(this.#dependencies.catalog.entries, run, { roots, missing, places: this.#checked.places });
  }

  /** @throws HoldfastError `source_not_mounted` if the catalog does not know what was on a disk that is not there */
  requireMounts(mounts: readonly TreeMount[]): void {
    requireMounts(mounts, this.#checked, this.#optional);
  }

  /** @throws HoldfastError `source_*` if the catalog does not know the newest tree, and that has files which the run could not see */
  requireEarlier(newest: NewestTree, { run, update }: ReadSet): Promise<void> {
    const { present, places, remaining } = this.#checked;
    const roots = { present, places, remaining, accepts: (path: string) => this.#accepts(path) };
    return requireEarlierEntries(newest, { entries: this.#dependencies.catalog.entries, run, roots, update });
  }

  /**
   * Returns what finds out why a file could not be read in this run, although nobody said that it may be missing: its own path or that of a folder
   * that it is in; `undefined` if it could be.
   */
  unread(): (path: string) => string | undefined {
    const warned = this.#warnings.filter(({ reason }) => isUnreadReason(reason));
    const unread = new Set([...this.missing, ...warned].map(({ path }) => path).concat(this.#unseen.visiting));
    return (path) => (this.#accepts(path) ? undefined : ancestorIn(unread, path));
  }

  #accepts(path: string): boolean {
    return this.#checked.accepts(path) || this.#optional.some((folder) => isWithin(path, folder));
  }

  /** Entry paths of what may be absent. */
  get #optional(): readonly string[] {
    return (this.#request.set.optionalRoots ?? []).map(entryPathGiven);
  }

  /** Settles `done`. */
  async read(observer: CatalogUpdateObserver): Promise<void> {
    try {
      removeOldCopies(this.#dependencies.scratch);
      const run = this.#dependencies.catalog.entries.beginRun(this.#request.set.name);
      this.#warnings.push(...systemFunctionWarnings(this.#request.set.name));
      this.#warnings.push(...this.absent.flatMap(({ warning }) => warning ?? []), ...this.#checked.redirected);
      const update = await this.#update(run, observer);
      this.#warnings.push(...update.warnings);
      this.#unseen = update.unseen;
      this.recheckRoots();
      this.#settle.resolve({ run, update });
    } catch (error) {
      this.#settle.reject(error);
    }
  }

  /** Throws if a source has disappeared: it would look like one whose files were all deleted. */
  recheckRoots(): void {
    this.#checked.present.forEach(recheckRoot);
  }

  /** Number of files that were read again. Some may have been gone by then. */
  get filesReadAgain(): number {
    return this.#filesReadAgain;
  }

  /** Reads files again that have changed since. */
  async readAgain(changed: readonly ChangedFile[], run: SetRun, onRead: (path: string) => void): Promise<void> {
    this.#filesReadAgain += changed.length;
    const { catalog, pool, scratch } = this.#dependencies;
    const catalogRun = { entries: catalog.entries, run };
    const observer = { onRead, onWarning: this.#warn };
    const skipsOnline = this.#request.set.onlineFiles !== 'fetch';
    const { missing, copies } = this;
    const { places } = this.#checked;
    const parts = { catalogRun, pool, observer, signal: this.#signal, missing, skipsOnline, copies, scratch, places };
    await this.#oneAtATime(() => rereadChangedFiles(changed, parts));
  }

  readonly #warn = (warning: RunWarning): void => {
    if (!this.#warnings.some(({ path }) => path === warning.path)) this.#warnings.push(warning);
  };

  #update(run: SetRun, observer: CatalogUpdateObserver): Promise<CatalogUpdate> {
    const { catalog, pool } = this.#dependencies;
    return updateCatalog({
      request: this.#request,
      roots: this.#checked,
      entries: catalog.entries,
      run,
      rootsDirectory: run.rootsDirectory,
      pool,
      observer,
      signal: this.#signal,
      early: this.early,
      copies: this.copies,
      scratch: this.#dependencies.scratch,
    });
  }
}
