import { HoldfastError } from '../../engine/errors.ts';
import { comparePaths, isWithin } from '../../protocol/path.ts';
import type { ListedEntry } from '../../engine/restore/types.ts';
import type { IndexedRows } from './restore-index.ts';
import { RestoreIndexPort } from './restore-index-port.ts';

/** Entries are copied on their way to the thread; so many take a few milliseconds. */
const MESSAGE_ENTRIES = 1_000;

export interface TreeRows extends IndexedRows {
  readonly isComplete: boolean;
}

/** The tree of one restore point, read once from its beginning to its end, and browsed meanwhile. */
export class RestoreTree {
  readonly #index: RestoreIndexPort;
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
    this.#index = new RestoreIndexPort(scratch);
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
    if (isSorted && !(await this.#index.has(path))) throw new HoldfastError('path_not_found', { path });
    return this.#index.open(path, isSorted);
  }

  /** @throws HoldfastError what stopped the reading; `path_not_found` where the folder never came */
  async rows(listing: number, path: string, from: number, count: number): Promise<TreeRows> {
    this.#throwIfFailed();
    // Asked first: what has come by then is in the rows.
    const isComplete = this.#isComplete(path);
    const rows = await this.#index.rows(listing, from, count);
    if (isComplete && rows.total === 0 && !(await this.#index.has(path))) {
      throw new HoldfastError('path_not_found', { path });
    }
    return { ...rows, isComplete };
  }

  closeListing(listing: number): void {
    this.#index.close(listing).catch(() => undefined);
  }

  close(): void {
    this.#ending.abort(new HoldfastError('interrupted'));
    this.#index.end();
  }

  async #read(read: (signal: AbortSignal) => AsyncIterable<readonly ListedEntry[]>): Promise<void> {
    for await (const entries of read(this.#ending.signal)) {
      for (let start = 0; start < entries.length; start += MESSAGE_ENTRIES) {
        await this.#index.add(entries.slice(start, start + MESSAGE_ENTRIES));
      }
      this.#last = entries.at(-1)?.path ?? this.#last;
      this.#tell();
    }
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

  async #whenComplete(path: string, patienceMs: number): Promise<void> {
    const over = Promise.withResolvers<'over'>();
    const timer = setTimeout(() => over.resolve('over'), patienceMs);
    try {
      while (!this.#isComplete(path)) {
        this.#throwIfFailed();
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
