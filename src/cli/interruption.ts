const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Ctrl-C, SIGTERM and SIGHUP, the end of the terminal: the first asks the run to end after the chunks in flight, the second ends the
 * process at once. Both leave a run that the next one continues. SIGHUP is never the second: a shell and the system both send it.
 */
export class Interruption implements Disposable {
  readonly #controller = new AbortController();
  readonly #onFirst: () => void;
  readonly #onSecond: () => void;
  readonly #listener = (signal: NodeJS.Signals): void => this.#interrupt(signal);

  /** @param onSecond is called just before the process ends */
  constructor(onFirst: () => void, onSecond: () => void) {
    this.#onFirst = onFirst;
    this.#onSecond = onSecond;
    for (const signal of SIGNALS) process.on(signal, this.#listener);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    for (const signal of SIGNALS) process.off(signal, this.#listener);
  }

  #interrupt(signal: NodeJS.Signals): void {
    if (this.signal.aborted && signal === 'SIGHUP') return;
    if (this.signal.aborted) {
      this.#onSecond();
      process.exit(130);
    }
    this.#onFirst();
    this.#controller.abort();
  }
}
