import type { BrowsedEntry } from '../../../../ipc/contract/restore.ts';
import type { Failure } from '../../../../base/failure.ts';
import { call } from '../../../bridge/bridge.ts';
import { failureOf } from '../../../bridge/use-answer.ts';

/** Which folder of which restore point. */
export interface Folder {
  readonly set: string;
  readonly device?: string | undefined;
  readonly restorePoint: string;
  /** Empty for what stands above the roots of the set. */
  readonly path: string;
}

const PAGE = 200;
/** Pages that are kept: 12,000 rows. */
const KEPT = 60;
/** How often a folder that is still being read is asked how far that is. */
const READING = 250;

export interface ListingView {
  readonly kind: 'opening' | 'reading' | 'complete' | 'failed';
  readonly total: number;
  readonly failure?: Failure;
}

/**
 * A folder of any size, a page at a time: what is looked at is asked for, and what was not looked at for long is
 * forgotten. `subscribe` and `version` are for `useSyncExternalStore`.
 */
export class Listing {
  readonly #folder: Folder;
  readonly #pages = new Map<number, readonly BrowsedEntry[]>();
  readonly #asked = new Set<number>();
  readonly #listeners = new Set<() => void>();
  #handle: Promise<string> | undefined;
  #view: ListingView = { kind: 'opening', total: 0 };
  #version = 0;
  #isClosed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param round a number for each new try, which sets one listing apart from the next */
  constructor(folder: Folder, round = 0) {
    this.#folder = folder;
    this.#version = round;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly version = (): number => this.#version;

  get view(): ListingView {
    return this.#view;
  }

  /** Opens it, or opens it again after `close`. */
  start(): void {
    this.#isClosed = false;
    this.#fetch(0);
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /** A row, where it is known just now. */
  row(index: number): BrowsedEntry | undefined {
    return this.#pages.get(Math.floor(index / PAGE))?.[index % PAGE];
  }

  /** Sees to it that the rows `from` … `to - 1` become known. */
  want(from: number, to: number): void {
    if (to <= from || this.#view.kind === 'failed') return;
    const last = Math.floor((to - 1) / PAGE);
    for (let page = Math.floor(from / PAGE); page <= last; page += 1) {
      const held = this.#pages.get(page);
      const whole = Math.min(PAGE, this.#view.total - page * PAGE);
      if (held) {
        // The newest stand last.
        this.#pages.delete(page);
        this.#pages.set(page, held);
      }
      if (!held || held.length < whole) this.#fetch(page);
    }
  }

  /**
   * The first row from `start` on, around the end, whose name begins so, whatever the case; nothing where there is none
   * or `signal` ends the search.
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
      // The agent keeps the newest few only; one that it has dropped is opened anew, and may be in another order then.
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
    // What folders hold is known by now.
    if (answer.isComplete && this.#view.kind === 'reading')
      for (const held of this.#pages.keys()) if (held !== page) this.#fetch(held);
    this.#change({ kind: answer.isComplete ? 'complete' : 'reading', total });
    clearTimeout(this.#timer);
    if (!answer.isComplete && !this.#isClosed) this.#timer = setTimeout(() => this.#fetch(page), READING);
  }

  #change(view: ListingView): void {
    this.#view = view;
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }
}
