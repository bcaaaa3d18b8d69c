/**
 * Watches over the other side's turns: it aborts its signal when one takes too long. How long this side takes to make what
 * it sends does not count.
 */
export class StallTimeout implements Disposable {
  readonly #longestMs: number;
  readonly #expiry = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(longestMs: number) {
    this.#longestMs = longestMs;
  }

  get signal(): AbortSignal {
    return this.#expiry.signal;
  }

  /** It is the other side's turn: to take what was sent, or to answer. */
  begin(): void {
    if (this.#timer) this.#timer.refresh();
    else this.#timer = setTimeout(() => this.#expiry.abort(), this.#longestMs);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  [Symbol.dispose](): void {
    this.end();
  }
}
