import type { BrowsedEntry } from '../../../../ipc/contract/restore.ts';
import type { Failure } from '../../../../base/failure.ts';
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
/** Milliseconds between two requests for a folder that is still being read. */
const READING = 250;

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
  #view: ListingView = { kind: 'opening', total: 0 };
  #isClosed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(folder: Folder) {
    super();
    this.#folder = folder;
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
    const wanted = start.toLocaleLowerCase();
    const { total } = this.#view;
    if (total === 0) return undefined;
    const pages = Math.ceil(total / PAGE);
    const first = Math.floor(from / PAGE);
    for (let step = 0; step <= pages; step += 1) {
      const page = (first + step) % pages;
      const entries = this.#pages.get(page) ?? (await this.#read(page)).entries;
      if (signal.aborted) return undefined;
      const at = entries.findIndex(({ name }, index) => {
        const row = page * PAGE + index;
        const isAhead = step === 0 ? row >= from : step < pages || row < from;
        return isAhead && name.toLocaleLowerCase().startsWith(wanted);
      });
      if (at !== -1) return page * PAGE + at;
    }
    return undefined;
  }

  async #read(page: number): Promise<{ entries: readonly BrowsedEntry[]; total: number; isComplete: boolean }> {
    this.#handle ??= call('restore.open', this.#folder).then(({ listing }) => listing);
    const handle = this.#handle;
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
    this.#read(page)
      .catch(() => this.#read(page))
      .then(
        (answer) => this.#take(page, answer),
        (error: unknown) => this.#change({ kind: 'failed', total: 0, failure: failureOf(error) }),
      )
      .finally(() => this.#asked.delete(page));
  }

  #take(page: number, answer: { entries: readonly BrowsedEntry[]; total: number; isComplete: boolean }): void {
    this.#pages.delete(page);
    this.#pages.set(page, answer.entries);
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= KEPT) break;
      this.#pages.delete(oldest);
    }
    const total = Math.max(this.#view.total, answer.total);
    // The sizes of folders are known only now.
    if (answer.isComplete && this.#view.kind === 'reading')
      for (const held of this.#pages.keys()) if (held !== page) this.#fetch(held);
    this.#change({ kind: answer.isComplete ? 'complete' : 'reading', total });
    clearTimeout(this.#timer);
    if (!answer.isComplete && !this.#isClosed) this.#timer = setTimeout(() => this.#fetch(page), READING);
  }

  #change(view: ListingView): void {
    this.#view = view;
    this.changed();
  }
}
