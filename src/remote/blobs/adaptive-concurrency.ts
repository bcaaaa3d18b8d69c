import pLimit, { type LimitFunction } from 'p-limit';
import type { Clock } from '../../base/clock.ts';
import { KIB } from '../../model/units.ts';

export interface ConcurrencyRange {
  readonly least: number;
  readonly most: number;
}

/** Fixed cost of a transfer, in bytes, so that small blobs count by their number. */
const TRANSFER_COST = 16 * KIB;
/** Throughput is measured over at least this time and this many rounds of the limit. */
const EPOCH_MS = 500;
const EPOCH_ROUNDS = 2;
/** Changes of throughput between these factors are noise. */
const BETTER = 1.05;
const WORSE = 0.8;

/**
 * Runs transfers in parallel and adapts their number (additive increase, multiplicative decrease): one more while
 * throughput grows, one less when it falls, half when the network or the service fails.
 */
export class AdaptiveConcurrency {
  readonly #range: ConcurrencyRange;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #limiter: LimitFunction;
  /** Bytes per millisecond in the last epoch. */
  #throughput = 0;
  #epochStart: number;
  #epochWeight = 0;
  #epochTransfers = 0;
  /** True if a transfer had to wait in this epoch. If none had, its throughput says nothing about the limit. */
  #isSaturated = false;

  constructor(range: ConcurrencyRange, clock: Pick<Clock, 'now'>) {
    this.#range = range;
    this.#clock = clock;
    this.#limiter = pLimit(range.least);
    this.#epochStart = clock.now();
  }

  get limit(): number {
    return this.#limiter.concurrency;
  }

  /** Runs `work` in its turn. An abort before that rejects at once; later, `work` itself has to heed the signal. */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.#limiter.activeCount >= this.limit) this.#isSaturated = true;
    return await new Promise<T>((resolve, reject) => {
      const leave = (): void => reject(signal?.reason as Error);
      signal?.addEventListener('abort', leave, { once: true });
      this.#limiter(async () => {
        signal?.removeEventListener('abort', leave);
        signal?.throwIfAborted();
        return await work();
      }).then(resolve, reject);
    });
  }

  /** Records a successful transfer. */
  succeeded(bytes: number): void {
    this.#epochWeight += bytes + TRANSFER_COST;
    this.#epochTransfers += 1;
    const elapsed = this.#clock.now() - this.#epochStart;
    if (this.#epochTransfers < this.limit * EPOCH_ROUNDS || elapsed < EPOCH_MS) return;
    if (this.#isSaturated) this.#adapt(this.#epochWeight / elapsed);
    this.#beginEpoch();
  }

  /** Records a broken connection or an overloaded server. */
  failed(): void {
    this.#setLimit(Math.floor(this.limit / 2));
    this.#throughput = 0;
    this.#beginEpoch();
  }

  #adapt(throughput: number): void {
    if (throughput > this.#throughput * BETTER) this.#setLimit(this.limit + 1);
    else if (throughput < this.#throughput * WORSE) this.#setLimit(this.limit - 1);
    this.#throughput = throughput;
  }

  #beginEpoch(): void {
    this.#epochStart = this.#clock.now();
    this.#epochWeight = 0;
    this.#epochTransfers = 0;
    this.#isSaturated = this.#limiter.pendingCount > 0;
  }

  #setLimit(limit: number): void {
    this.#limiter.concurrency = Math.min(this.#range.most, Math.max(this.#range.least, limit));
  }
}
