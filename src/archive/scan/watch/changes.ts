/** Changes since the last `take`. */
export interface Changes {
  /** Milliseconds since the epoch. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** Entry paths of folders with changes; `undefined` if there are too many. */
  readonly directories: readonly string[] | undefined;
}

/** Listing more folders does not speed up a run, which scans all of them in any case. */
const MOST_DIRECTORIES = 10_000;

/** Collects changes, each folder once, in bounded memory. */
export class ChangeCollection {
  readonly #directories = new Set<string>();
  #times: { readonly firstAt: number; readonly lastAt: number } | undefined;
  #hasOverflowed = false;

  /** @param at milliseconds since the epoch */
  add(directory: string, at: number): void {
    this.#times = { firstAt: this.#times?.firstAt ?? at, lastAt: at };
    if (this.#hasOverflowed) return;
    this.#directories.add(directory);
    if (this.#directories.size <= MOST_DIRECTORIES) return;
    this.#directories.clear();
    this.#hasOverflowed = true;
  }

  /** Returns the collected changes; `undefined` if there are none. */
  pending(): Changes | undefined {
    return this.#times && { ...this.#times, directories: this.#hasOverflowed ? undefined : [...this.#directories] };
  }

  /** Returns the collected changes and clears them. */
  take(): Changes | undefined {
    const taken = this.pending();
    this.#times = undefined;
    this.#hasOverflowed = false;
    this.#directories.clear();
    return taken;
  }
}
