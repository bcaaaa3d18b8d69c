import { setImmediate as nextTurn } from 'node:timers/promises';
import { HoldfastError } from '../../../base/errors.ts';
import type { ListedEntry } from '../../../engine/restore/types.ts';
import type { BrowsedEntry } from '../../../ipc/contract/restore.ts';
import { comparePaths, isWithin, withoutTrailingSlash } from '../../../protocol/path.ts';
import { RestoreIndex, type IndexedRows } from './restore-index.ts';

/** Entries that are taken in a few milliseconds: between them, questions are answered. */
const STEP_ENTRIES = 1_000;

export interface TreeRows extends IndexedRows {
  readonly isComplete: boolean;
}

/** The tree of one restore point, read once from its beginning to its end, and browsed meanwhile. */
export class RestoreTree {
  readonly #index: RestoreIndex;
  readonly #ending = new AbortController();
  /** Renewed whenever more has come. */
  #more = Promise.withResolvers<void>();
  #last: string | undefined;
  #isWhole = false;
  #error: unknown;

  /**
   * @param scratch an existing folder of ours
   * @param read entries in path order, in batches
   */
  constructor(scratch: string, read: (signal: AbortSignal) => AsyncIterable<readonly ListedEntry[]>) {
    this.#index = new RestoreIndex(scratch);
    void this.#read(read).catch((error: unknown) => {
      this.#error = error;
      this.#tell();
    });
  }

  /** What stopped the reading. */
  get error(): unknown {
    return this.#error;
  }

  /**
   * Opens a folder. One that is whole within `patienceMs` is shown folders first, by name; any other in the order in
   * which it is read, so that no row ever moves.
   */
  async open(path: string, patienceMs: number): Promise<number> {
    await this.#whenComplete(path, patienceMs);
    const isSorted = this.#isComplete(path);
    if (isSorted && !this.#index.has(path)) throw new HoldfastError('path_not_found', { path });
    return this.#index.open(path, isSorted);
  }

  /** @throws HoldfastError what stopped the reading; `path_not_found` where the folder never came */
  rows(listing: number, path: string, from: number, count: number): TreeRows {
    this.#throwIfFailed();
    const isComplete = this.#isComplete(path);
    const rows = this.#index.rows(listing, from, count);
    if (isComplete && rows.total === 0 && !this.#index.has(path)) throw new HoldfastError('path_not_found', { path });
    return { ...rows, isComplete };
  }

  /** Those of the paths that there are, once it has been read so far. */
  async find(paths: readonly string[]): Promise<readonly BrowsedEntry[]> {
    const wanted = paths.map(withoutTrailingSlash).toSorted(comparePaths);
    const last = wanted.at(-1);
    if (last === undefined) return [];
    // One that others follow is whole when these are; folders that lead to the last one end with it.
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
    this.#tell();
  }

  async #read(read: (signal: AbortSignal) => AsyncIterable<readonly ListedEntry[]>): Promise<void> {
    for await (const entries of read(this.#ending.signal)) {
      for (let start = 0; start < entries.length; start += STEP_ENTRIES) {
        this.#ending.signal.throwIfAborted();
        const step = entries.slice(start, start + STEP_ENTRIES);
        this.#index.add(step);
        this.#last = step.at(-1)!.path;
        this.#tell();
        await nextTurn();
      }
    }
    this.#ending.signal.throwIfAborted();
    this.#index.finish();
    this.#isWhole = true;
    this.#tell();
  }

  #tell(): void {
    this.#more.resolve();
    this.#more = Promise.withResolvers<void>();
  }

  /** In path order nothing of a folder can follow what stands behind it. */
  #isComplete(path: string): boolean {
    if (this.#isWhole || path === '' || this.#last === undefined) return this.#isWhole;
    return comparePaths(this.#last, path) > 0 && !isWithin(this.#last, path);
  }

  async #whenComplete(path: string, patienceMs: number | undefined): Promise<void> {
    const over = Promise.withResolvers<'over'>();
    const timer = patienceMs === undefined ? undefined : setTimeout(() => over.resolve('over'), patienceMs);
    try {
      for (;;) {
        this.#throwIfFailed();
        if (this.#isComplete(path)) return;
        if ((await Promise.race([this.#more.promise, over.promise])) === 'over') return;
      }
    } finally {
      clearTimeout(timer);
    }
  }

  #throwIfFailed(): void {
    if (this.#error !== undefined) throw this.#error as Error;
  }
}
