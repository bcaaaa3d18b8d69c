interface Running<T> {
  readonly result: Promise<T>;
  readonly abandon: AbortController;
  waiting: number;
}

/**
 * Shares one execution of asynchronous work among all callers that join while it is under way. An aborted caller leaves, and
 * the work continues for the others; when none is left, its signal is aborted. It never runs twice at once.
 */
export class SingleFlight<T> {
  readonly #work: (abandoned: AbortSignal) => Promise<T>;
  #running: Running<T> | undefined;

  constructor(work: (abandoned: AbortSignal) => Promise<T>) {
    this.#work = work;
  }

  async join(signal?: AbortSignal): Promise<T> {
    for (;;) {
      signal?.throwIfAborted();
      const running = (this.#running ??= this.#start());
      const abandoned = running.abandon.signal.aborted;
      try {
        return await waitFor(running, signal);
      } catch (error) {
        // Work that failed because it was abandoned starts anew for later callers.
        if (!abandoned) throw error;
      }
    }
  }

  #start(): Running<T> {
    const abandon = new AbortController();
    const result = this.#work(abandon.signal).finally(() => {
      this.#running = undefined;
    });
    return { result, abandon, waiting: 0 };
  }
}

function waitFor<T>(running: Running<T>, signal: AbortSignal | undefined): Promise<T> {
  running.waiting += 1;
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      running.waiting -= 1;
      if (running.waiting === 0) running.abandon.abort(signal?.reason);
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', leave, { once: true });
    void running.result.then(resolve, reject).finally(() => signal?.removeEventListener('abort', leave));
  });
}
