import type { MaybePromise } from '../base/maybe-promise.ts';

/** A value with its weight, in the unit of the cache's limit. */
export interface Weighed<Value> {
  readonly value: Value;
  readonly weight: number;
}

interface Entry<Value> {
  value: MaybePromise<Value>;
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

  get(key: string, load: () => Promise<Weighed<Value>>): MaybePromise<Value> {
    const known = this.#entries.get(key);
    if (!known) return this.add(key, load());
    this.#entries.delete(key);
    this.#entries.set(key, known);
    return known.value;
  }

  /** Adds what is being loaded already; its failure need not be awaited. */
  add(key: string, loading: Promise<Weighed<Value>>): Promise<Value> {
    const promise = loading.then(({ value }) => value);
    const entry: Entry<Value> = { value: promise, weight: 0 };
    this.delete(key);
    this.#entries.set(key, entry);
    loading.then(
      (loaded) => this.#loaded(key, entry, loaded),
      () => this.#entries.get(key) === entry && this.#entries.delete(key),
    );
    promise.catch(() => undefined);
    return promise;
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry && this.#entries.delete(key)) this.#weight -= entry.weight;
  }

  #loaded(key: string, entry: Entry<Value>, { value, weight }: Weighed<Value>): void {
    entry.value = value;
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
export function untilAborted<Result>(work: MaybePromise<Result>, signal: AbortSignal): MaybePromise<Result> {
  return work instanceof Promise ? unlessAborted(work, signal) : work;
}

async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
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
