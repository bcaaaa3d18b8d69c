import { setImmediate as nextTurn } from 'node:timers/promises';
import { HoldfastError } from '../../../base/errors/errors.ts';
import type { ListedEntry } from '../../../read/list.ts';
import type { BrowsedEntry, ListingOrder } from '../../../ipc/contract/restore/restore.ts';
import { comparePaths, isWithin, withoutTrailingSlash } from '../../../model/entry-path.ts';
import { RestoreIndex, type IndexedRows } from './restore-index.ts';

/** Entries that are added within a few milliseconds: queries are served between such steps. */
const STEP_ENTRIES = 1_000;

export interface TreeRows extends IndexedRows {
  readonly isComplete: boolean;
}

/** The tree of one restore point, which can be browsed while it is read. */
export class RestoreTree {
  readonly #index: RestoreIndex;
  readonly #ending = new AbortController();
  /** Resolved and replaced whenever entries were added. */
  #more = Promise.withResolvers<void>();
  #last: string | undefined;
  #isRead = false;
  #error: unknown;

  /**
   * @param scratch an existing folder for temporary files
   * @param read entries in path order, in batches
   */
  constructor(scratch: string, read: (signal: AbortSignal) => AsyncIterable<readonly ListedEntry[]>) {
    this.#index = new RestoreIndex(scratch);
    void this.#read(read).catch((error: unknown) => {
      this.#error = error;
      this.#notify();
    });
  }

  /** The error that ended the reading, if any. */
  get error(): unknown {
    return this.#error;
  }

  /**
   * Opens a folder. If it is completely read within `timeoutMs`, its rows are sorted, folders first. Otherwise
   * they are in the order in which they are read, so that no row ever moves.
   */
  async open(path: string, order: ListingOrder, timeoutMs: number): Promise<number> {
    await this.#whenComplete(path, timeoutMs);
    const isSorted = this.#isComplete(path);
    if (isSorted && !this.#index.has(path)) throw new HoldfastError('path_not_found', { path });
    return this.#index.open(path, isSorted ? order : undefined);
  }

  /** @throws HoldfastError the error that ended the reading; `path_not_found` */
  rows(listing: number, path: string, from: number, count: number): TreeRows {
    this.#throwIfFailed();
    const isComplete = this.#isComplete(path);
    const rows = this.#index.rows(listing, from, count);
    if (isComplete && rows.total === 0 && !this.#index.has(path)) throw new HoldfastError('path_not_found', { path });
    return { ...rows, isComplete };
  }

  /** @throws HoldfastError the error that ended the reading */
  jump(listing: number, start: string, from: number): number | undefined {
    this.#throwIfFailed();
    return this.#index.jump(listing, start, from);
  }

  /** Returns the entries of the paths that exist, as soon as enough was read to know. */
  async find(paths: readonly string[]): Promise<readonly BrowsedEntry[]> {
    const wanted = paths.map(withoutTrailingSlash).toSorted(comparePaths);
    const last = wanted.at(-1);
    if (last === undefined) return [];
    // A path is complete when a later one is; folders above the last path end with it.
    const ends = wanted.filter((path) => isWithin(last, path));
    for (const path of ends.toReversed()) await this.#whenComplete(path, undefined);
    return this.#index.find(wanted);
  }

  closeListing(listing: number): void {
    this.#index.close(listing);
  }

  close(): void {
    this.#ending.abort(new HoldfastError('interrupted'));
    this.#error ??= new HoldfastError('interrupted');
    this.#index.end();
    this.#notify();
  }

  async #read(read: (signal: AbortSignal) => AsyncIterable<readonly ListedEntry[]>): Promise<void> {
    for await (const entries of read(this.#ending.signal)) {
      for (let start = 0; start < entries.length; start += STEP_ENTRIES) {
        this.#ending.signal.throwIfAborted();
        const step = entries.slice(start, start + STEP_ENTRIES);
        this.#index.add(step);
        this.#last = step.at(-1)!.path;
        this.#notify();
        await nextTurn();
      }
    }
    this.#ending.signal.throwIfAborted();
    this.#index.finish();
    this.#isRead = true;
    this.#notify();
  }

  #notify(): void {
    this.#more.resolve();
    this.#more = Promise.withResolvers<void>();
  }

  /** In path order, nothing of a folder follows a path that sorts after it. */
  #isComplete(path: string): boolean {
    if (this.#isRead || path === '' || this.#last === undefined) return this.#isRead;
    return comparePaths(this.#last, path) > 0 && !isWithin(this.#last, path);
  }

  async #whenComplete(path: string, timeoutMs: number | undefined): Promise<void> {
    const timeout = Promise.withResolvers<'timeout'>();
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => timeout.resolve('timeout'), timeoutMs);
    try {
      for (;;) {
        this.#throwIfFailed();
        if (this.#isComplete(path)) return;
        if ((await Promise.race([this.#more.promise, timeout.promise])) === 'timeout') return;
      }
    } finally {
      clearTimeout(timer);
    }
  }

  #throwIfFailed(): void {
    if (this.#error !== undefined) throw this.#error as Error;
  }
}
