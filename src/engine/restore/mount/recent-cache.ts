/** A value with its weight, in the unit of the cache's limit. */
export interface Weighed<Value> {
  readonly value: Value;
  readonly weight: number;
}

interface Entry<Value> {
  readonly value: Promise<Value>;
  /** 0 while it is loaded. */
  weight: number;
}

/** Keeps what was used last, up to a total weight. Concurrent requests for one key share a load; a failure is not kept. */
export class RecentCache<Value> {
  readonly #limit: number;
  readonly #entries = new Map<string, Entry<Value>>();
  #weight = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** The total weight of what is kept. */
  get weight(): number {
    return this.#weight;
  }

  get(key: string, load: () => Promise<Weighed<Value>>): Promise<Value> {
    const known = this.#entries.get(key);
    if (!known) return this.add(key, load());
    this.#entries.delete(key);
    this.#entries.set(key, known);
    return known.value;
  }

  /** Adds what is being loaded already; its failure need not be awaited. */
  add(key: string, loading: Promise<Weighed<Value>>): Promise<Value> {
    const entry: Entry<Value> = { value: loading.then(({ value }) => value), weight: 0 };
    this.delete(key);
    this.#entries.set(key, entry);
    loading.then(
      ({ weight }) => this.#loaded(key, entry, weight),
      () => this.#entries.get(key) === entry && this.#entries.delete(key),
    );
    entry.value.catch(() => undefined);
    return entry.value;
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry && this.#entries.delete(key)) this.#weight -= entry.weight;
  }

  #loaded(key: string, entry: Entry<Value>, weight: number): void {
    if (this.#entries.get(key) !== entry) return;
    entry.weight = weight;
    this.#weight += weight;
    for (const [oldest, { weight: freed }] of this.#entries) {
      if (this.#weight <= this.#limit) return;
      // What is still loaded frees nothing yet.
      if (freed > 0) this.delete(oldest);
    }
  }
}

/** Waits for shared work until the signal is aborted. The work goes on for others. */
export async function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
