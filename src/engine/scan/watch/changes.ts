/** Where something changed since the last time that somebody asked. */
export interface Changes {
  /** Milliseconds since the epoch. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** Entry paths of folders in which something changed; nothing where they are too many to be of use. */
  readonly directories: readonly string[] | undefined;
}

/** Above it a run looks everywhere in its own order, and nothing is gained by naming folders. */
const MOST_DIRECTORIES = 10_000;

/** Collects changes, each folder once, in bounded memory. */
export class ChangeCollection {
  readonly #directories = new Set<string>();
  #times: { readonly firstAt: number; readonly lastAt: number } | undefined;
  #isTooMany = false;

  /** @param at milliseconds since the epoch */
  add(directory: string, at: number): void {
    this.#times = { firstAt: this.#times?.firstAt ?? at, lastAt: at };
    if (this.#isTooMany) return;
    this.#directories.add(directory);
    if (this.#directories.size <= MOST_DIRECTORIES) return;
    this.#directories.clear();
    this.#isTooMany = true;
  }

  /** What has come together; nothing where nothing changed. */
  pending(): Changes | undefined {
    return this.#times && { ...this.#times, directories: this.#isTooMany ? undefined : [...this.#directories] };
  }

  /** The same, and begins anew. */
  take(): Changes | undefined {
    const taken = this.pending();
    this.#times = undefined;
    this.#isTooMany = false;
    this.#directories.clear();
    return taken;
  }
}
