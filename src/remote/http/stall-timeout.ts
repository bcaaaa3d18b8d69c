/** Aborts its signal when the server is silent for too long. The time to produce a request body does not count. */
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

  /** Starts or restarts waiting for the server to accept data or to respond. */
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
