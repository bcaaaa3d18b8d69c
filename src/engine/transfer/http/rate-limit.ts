import type { Clock } from '../../../base/clock.ts';

/** Bytes a second, at this moment; nothing where there is no limit. */
export type Rate = () => number | undefined;

/** What an idle line saves up, so that a timer that is late costs nothing. */
const BURST_SECONDS = 0.25;
/** What goes at once: so small that many requests share a line evenly, and so large that it is worth a timer. */
const PIECE_SECONDS = 0.05;
const SMALLEST_PIECE = 1024;
const LARGEST_PIECE = 64 * 1024;
/** A rate that has changed counts after so long, even for those who wait already. */
const LOOK_MS = 200;

/**
 * A token bucket: over any time no more bytes pass than the rate gives, and a quarter of a second's worth. All who take from
 * it share the rate, in the order in which they came.
 */
export class RateLimit {
  readonly #rate: Rate;
  readonly #clock: Clock;
  /** Bytes that may pass now; below zero they are owed. */
  #saved = 0;
  #savedAt: number;
  #queue: Promise<void> = Promise.resolve();

  constructor(rate: Rate, clock: Clock) {
    this.#rate = rate;
    this.#clock = clock;
    this.#savedAt = clock.now();
  }

  /** Bytes that should be taken at once. */
  get piece(): number {
    const rate = this.#rate() ?? Number.POSITIVE_INFINITY;
    return Math.round(Math.min(LARGEST_PIECE, Math.max(SMALLEST_PIECE, rate * PIECE_SECONDS)));
  }

  /** Resolves when so many bytes may pass; rejects with the signal's reason. More than a piece holds up all others. */
  take(bytes: number, signal?: AbortSignal): Promise<void> {
    const turn = this.#queue.then(() => this.#pay(bytes, signal));
    this.#queue = turn.catch(() => undefined);
    return turn;
  }

  async #pay(bytes: number, signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      signal?.throwIfAborted();
      const rate = this.#rate();
      if (rate === undefined) {
        this.#saved = 0;
        this.#savedAt = this.#clock.now();
        return;
      }
      const most = Math.max(rate * BURST_SECONDS, this.piece);
      this.#save(rate, most);
      const lacking = Math.min(bytes, most) - this.#saved;
      if (lacking <= 0) break;
      await this.#clock.sleep(Math.min(LOOK_MS, Math.ceil((lacking / rate) * 1000)), signal);
    }
    this.#saved -= bytes;
  }

  #save(rate: number, most: number): void {
    const now = this.#clock.now();
    // Clocks are set back now and then.
    const elapsed = Math.max(0, now - this.#savedAt) / 1000;
    this.#savedAt = now;
    this.#saved = Math.min(most, this.#saved + rate * elapsed);
  }
}
