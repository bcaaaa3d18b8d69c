import type { BrowsedEntry, ListingOrder } from '../../../../ipc/contract/restore/restore.ts';
import type { Failure } from '../../../../base/errors/failure.ts';
import { call } from '../../../bridge/bridge.ts';
import { failureOf } from '../../../bridge/use-call.ts';
import { Observable } from '../../../shared/observable.ts';

/** A folder of a restore point. */
export interface Folder {
  readonly set: string;
  readonly device?: string | undefined;
  readonly destination?: string | undefined;
  readonly restorePoint: string;
  /** Empty for the level above the roots of the set. */
  readonly path: string;
}

const PAGE = 200;
/** Pages to keep: 12,000 rows. */
const KEPT = 60;
/** Pages that may be visible at a time. */
const MOST_SHOWN = 2;
/** Milliseconds between two requests for a folder that is still being read. */
const READING = 250;

export const BY_NAME: ListingOrder = { by: 'name', isDescending: false };

interface Rows {
  readonly entries: readonly BrowsedEntry[];
  readonly total: number;
  readonly isComplete: boolean;
  readonly isSorted: boolean;
}

export interface ListingView {
  readonly kind: 'opening' | 'reading' | 'complete' | 'failed';
  readonly total: number;
  readonly failure?: Failure;
}

/** A folder of any size. It fetches the pages that are visible and keeps those that were visible last. */
export class Listing extends Observable {
  readonly #folder: Folder;
  readonly #pages = new Map<number, readonly BrowsedEntry[]>();
  readonly #asked = new Set<number>();
  #handle: Promise<string> | undefined;
  #order: ListingOrder;
  /** Counts the orders: pages of an earlier one are dropped. */
  #ordering = 0;
  #view: ListingView = { kind: 'opening', total: 0 };
  #isClosed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(folder: Folder, order: ListingOrder = BY_NAME) {
    super();
    this.#folder = folder;
    this.#order = order;
  }

  /** Changes with the order of the rows. */
  get ordering(): number {
    return this.#ordering;
  }

  get view(): ListingView {
    return this.#view;
  }

  /** Opens the folder, also after `close`. */
  start(): void {
    this.#isClosed = false;
    if (this.#view.kind === 'failed') this.#change({ kind: 'opening', total: 0 });
    this.#fetch(0);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /** Sorts the rows. */
  sort(order: ListingOrder): void {
    if (order.by === this.#order.by && order.isDescending === this.#order.isDescending) return;
    this.#order = order;
    this.#reopen();
  }

  /** Returns a row, or `undefined` if its page is not here. */
  row(index: number): BrowsedEntry | undefined {
    return this.#pages.get(Math.floor(index / PAGE))?.[index % PAGE];
  }

  /** Fetches the rows `from` to `to - 1`. */
  want(from: number, to: number): void {
    if (to <= from || this.#view.kind === 'failed') return;
    const last = Math.floor((to - 1) / PAGE);
    for (let page = Math.floor(from / PAGE); page <= last; page += 1) {
      const held = this.#pages.get(page);
      const whole = Math.min(PAGE, this.#view.total - page * PAGE);
      if (held) {
        // Moves it to the end: the oldest are dropped first.
        this.#pages.delete(page);
        this.#pages.set(page, held);
      }
      if (!held || held.length < whole) this.#fetch(page);
    }
  }

  /**
   * Finds the next row from `from` on whose name begins with `start`, in any case, and wraps around. Returns
   * `undefined` if there is none or the signal aborts.
   */
  async find(start: string, from: number, signal: AbortSignal): Promise<number | undefined> {
    const jump = async (handle: Promise<string>): Promise<number | undefined> =>
      (await call('restore.jump', { listing: await handle, start, from })).row;
    const handle = this.#open();
    const row = await jump(handle).catch(() => {
      // The agent has dropped the listing.
      if (this.#handle === handle) this.#handle = undefined;
      return jump(this.#open());
    });
    return signal.aborted ? undefined : row;
  }

  /** Finds the row of a path, first on the page of the row where it is expected. */
  indexOf(path: string, expectedRow: number, signal: AbortSignal): Promise<number | undefined> {
    return this.#search((entry) => entry.path === path, expectedRow - (expectedRow % PAGE), signal);
  }

  /** Returns the rows `from` to `to`. */
  async range(from: number, to: number): Promise<readonly BrowsedEntry[]> {
    const entries: BrowsedEntry[] = [];
    for (let page = Math.floor(from / PAGE); page <= Math.floor(to / PAGE); page += 1) {
      const rows = this.#pages.get(page) ?? (await this.#read(page)).entries;
      entries.push(...rows.slice(Math.max(0, from - page * PAGE), to + 1 - page * PAGE));
    }
    return entries;
  }

  async #search(
    isWanted: (entry: BrowsedEntry) => boolean,
    from: number,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { total } = this.#view;
    if (total === 0) return undefined;
    const pages = Math.ceil(total / PAGE);
    const first = Math.floor(from / PAGE);
    for (let step = 0; step <= pages; step += 1) {
      const page = (first + step) % pages;
      const entries = this.#pages.get(page) ?? (await this.#read(page)).entries;
      if (signal.aborted) return undefined;
      const at = entries.findIndex((entry, index) => {
        const row = page * PAGE + index;
        const isAhead = step === 0 ? row >= from : step < pages || row < from;
        return isAhead && isWanted(entry);
      });
      if (at !== -1) return page * PAGE + at;
    }
    return undefined;
  }

  #open(): Promise<string> {
    this.#handle ??= call('restore.open', { ...this.#folder, order: this.#order }).then(({ listing }) => listing);
    return this.#handle;
  }

  async #read(page: number): Promise<Rows> {
    const handle = this.#open();
    try {
      return await call('restore.rows', { listing: await handle, from: page * PAGE, count: PAGE });
    } catch (error) {
      // The agent keeps few listings. One that it has dropped is opened again, and its order may have changed.
      if (this.#handle === handle) {
        this.#handle = undefined;
        this.#pages.clear();
      }
      throw error;
    }
  }

  #fetch(page: number): void {
    if (this.#asked.has(page) || this.#isClosed) return;
    this.#asked.add(page);
    const ordering = this.#ordering;
    const ifCurrent =
      <Value>(act: (value: Value) => void) =>
      (value: Value): void => {
        if (ordering === this.#ordering) act(value);
      };
    this.#read(page)
      .catch(() => this.#read(page))
      .then(
        ifCurrent((rows: Rows) => {
          this.#asked.delete(page);
          this.#take(page, rows);
        }),
        ifCurrent((error: unknown) => {
          this.#asked.delete(page);
          this.#change({ kind: 'failed', total: 0, failure: failureOf(error) });
        }),
      );
  }

  #take(page: number, { entries, total: known, isComplete, isSorted }: Rows): void {
    // It was slow to read, and is complete now.
    if (isComplete && !isSorted) return this.#reopen();
    this.#pages.delete(page);
    this.#pages.set(page, entries);
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= KEPT) break;
      this.#pages.delete(oldest);
    }
    const total = Math.max(this.#view.total, known);
    this.#change({ kind: isComplete ? 'complete' : 'reading', total });
    clearTimeout(this.#timer);
    if (!isComplete && !this.#isClosed) this.#timer = setTimeout(() => this.#fetch(page), READING);
  }

  /** Opens the folder in another order. The pages that are shown are fetched again. */
  #reopen(): void {
    const shown = [...this.#pages.keys()];
    this.#ordering += 1;
    this.#handle = undefined;
    this.#pages.clear();
    this.#asked.clear();
    clearTimeout(this.#timer);
    this.changed();
    for (const page of shown.length === 0 ? [0] : shown.slice(-MOST_SHOWN)) this.#fetch(page);
  }

  #change(view: ListingView): void {
    this.#view = view;
    this.changed();
  }
}
