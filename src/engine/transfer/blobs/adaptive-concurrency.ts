import type { Clock } from '../../../base/clock.ts';

export interface ConcurrencyRange {
  readonly least: number;
  readonly most: number;
}

/** What a transfer costs beside its bytes, as bytes: so that small blobs count by their number. */
const TRANSFER_COST = 16 * 1024;
/** A rate is taken over at least this long and this many rounds of the limit. */
const EPOCH_MS = 500;
const EPOCH_ROUNDS = 2;
/** Changes of the rate below these are noise. */
const BETTER = 1.05;
const WORSE = 0.8;

/**
 * Runs transfers side by side, as many as pay off: one more as long as the throughput grows, one less when it falls, half
 * when the network or the service complains (additive increase, multiplicative decrease).
 */
export class AdaptiveConcurrency {
  readonly #range: ConcurrencyRange;
  readonly #clock: Pick<Clock, 'now'>;
  #limit: number;
  #running = 0;
  readonly #queue = new Set<() => void>();
  #rate = 0;
  #epochStart: number;
  #epochWeight = 0;
  #epochTransfers = 0;
  /** Whether the limit held anybody back in this epoch; where it did not, the rate says nothing about it. */
  #saturated = false;

  constructor(range: ConcurrencyRange, clock: Pick<Clock, 'now'>) {
    this.#range = range;
    this.#clock = clock;
    this.#limit = range.least;
    this.#epochStart = clock.now();
  }

  get limit(): number {
    return this.#limit;
  }

  /** Runs `work` when its turn comes. */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.#running >= this.#limit) await this.#turn(signal);
    else this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#admit();
    }
  }

  /** A transfer of so many bytes went well. */
  succeeded(bytes: number): void {
    this.#epochWeight += bytes + TRANSFER_COST;
    this.#epochTransfers += 1;
    const elapsed = this.#clock.now() - this.#epochStart;
    if (this.#epochTransfers < this.#limit * EPOCH_ROUNDS || elapsed < EPOCH_MS) return;
    const rate = this.#epochWeight / elapsed;
    if (this.#saturated) this.#adapt(rate);
    this.#beginEpoch();
  }

  /** The connection broke, or the other side had too much to do. */
  failed(): void {
    this.#setLimit(Math.floor(this.#limit / 2));
    this.#rate = 0;
    this.#beginEpoch();
  }

  #adapt(rate: number): void {
    if (rate > this.#rate * BETTER) this.#setLimit(this.#limit + 1);
    else if (rate < this.#rate * WORSE) this.#setLimit(this.#limit - 1);
    this.#rate = rate;
  }

  #beginEpoch(): void {
    this.#epochStart = this.#clock.now();
    this.#epochWeight = 0;
    this.#epochTransfers = 0;
    this.#saturated = this.#queue.size > 0;
  }

  #setLimit(limit: number): void {
    this.#limit = Math.min(this.#range.most, Math.max(this.#range.least, limit));
    this.#admit();
  }

  #admit(): void {
    for (const enter of this.#queue) {
      if (this.#running >= this.#limit) return;
      this.#queue.delete(enter);
      this.#running += 1;
      enter();
    }
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    this.#saturated = true;
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        this.#queue.delete(enter);
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.#queue.add(enter);
    });
  }
}
