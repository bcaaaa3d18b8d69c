/**
 * Ctrl-C and SIGTERM: the first asks the run to end after the chunks in flight, the second ends the process at once.
 * Both leave a run that the next one continues.
 */
export class Interruption implements Disposable {
  readonly #controller = new AbortController();
  readonly #onFirst: () => void;
  readonly #listener = (): void => this.#interrupt();

  constructor(onFirst: () => void) {
    this.#onFirst = onFirst;
    process.on('SIGINT', this.#listener);
    process.on('SIGTERM', this.#listener);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    process.off('SIGINT', this.#listener);
    process.off('SIGTERM', this.#listener);
  }

  #interrupt(): void {
    if (this.signal.aborted) process.exit(130);
    this.#onFirst();
    this.#controller.abort();
  }
}
