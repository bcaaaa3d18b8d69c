import type { Clock } from '../../base/clock.ts';
import { KIB } from '../../model/units.ts';

/** Current limit in bytes per second; `undefined` for none. */
export type Rate = () => number | undefined;

/** Credit that an idle connection accumulates, so that late timers cost no throughput. */
const BURST_SECONDS = 0.25;
/** Size of a piece: small enough for requests to share the rate evenly, large enough to be worth a timer. */
const PIECE_SECONDS = 0.05;
const SMALLEST_PIECE = 1024;
const LARGEST_PIECE = 64 * KIB;
/** Delay after which a changed rate applies to waiting requests. */
const RATE_CHECK_MS = 200;

/**
 * A token bucket: any period passes at most its share of the rate plus a burst of a quarter of a second. Requests share it
 * first come, first served.
 */
export class RateLimit {
  readonly #rate: Rate;
  readonly #clock: Clock;
  /** Bytes that may pass now; negative after a piece larger than the burst. */
  #credit = 0;
  #creditedAt: number;
  #queue: Promise<void> = Promise.resolve();

  constructor(rate: Rate, clock: Clock) {
    this.#rate = rate;
    this.#clock = clock;
    this.#creditedAt = clock.now();
  }

  /** Bytes to take at once. */
  get pieceBytes(): number {
    const rate = this.#rate() ?? Number.POSITIVE_INFINITY;
    return Math.round(Math.min(LARGEST_PIECE, Math.max(SMALLEST_PIECE, rate * PIECE_SECONDS)));
  }

  /** Resolves when the bytes may pass; rejects with the signal's reason. More than a piece delays all other requests. */
  take(bytes: number, signal?: AbortSignal): Promise<void> {
    const turn = this.#queue.then(() => this.#takeCredit(bytes, signal));
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  async #takeCredit(bytes: number, signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      signal?.throwIfAborted();
      const rate = this.#rate();
      if (rate === undefined) {
        this.#credit = 0;
        this.#creditedAt = this.#clock.now();
        return;
      }
      const most = Math.max(rate * BURST_SECONDS, this.pieceBytes);
      this.#refill(rate, most);
      const lacking = Math.min(bytes, most) - this.#credit;
      if (lacking <= 0) break;
      await this.#clock.sleep(Math.min(RATE_CHECK_MS, Math.ceil((lacking / rate) * 1000)), signal);
    }
    this.#credit -= bytes;
  }

  #refill(rate: number, most: number): void {
    const now = this.#clock.now();
    // The clock may be set back.
    const elapsed = Math.max(0, now - this.#creditedAt) / 1000;
    this.#creditedAt = now;
    this.#credit = Math.min(most, this.#credit + rate * elapsed);
  }
}
