import type { Clock } from '../../../base/clock.ts';

/** A difference that a slow answer can make; below it our own clock is right enough. */
const TOLERANCE_MS = 30_000;

/** The time as the service sees it: ours, unless its Date headers differ from it by more than 30 s. */
export class ServiceClock {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #onSkew: (skewMs: number) => void;
  /** Nothing before the first answer. */
  #skewMs: number | undefined;
  #isTold = false;

  /**
   * @param onSkew told with the first answer, and of each change by more than 30 s; positive where the service's clock is
   *   ahead of ours, 0 where ours is right enough
   */
  constructor(clock: Pick<Clock, 'now'>, onSkew: (skewMs: number) => void = () => undefined) {
    this.#clock = clock;
    this.#onSkew = onSkew;
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return this.#clock.now() + (this.#skewMs ?? 0);
  }

  /** By how many milliseconds our own clock is ahead of the service's; negative where it is behind, 0 where it is right enough. */
  get aheadMs(): number {
    return -(this.#skewMs ?? 0);
  }

  /** Takes the Date header of an answer that came just now. */
  observe(date: string | undefined): void {
    // What stands between us and the service may write its own.
    if (!this.#isTold) this.#take(date);
  }

  /** Takes the time that the service itself has just said it goes by. */
  trust(time: string): void {
    this.#isTold = true;
    this.#take(time);
  }

  #take(date: string | undefined): void {
    const time = date === undefined ? Number.NaN : Date.parse(date);
    if (Number.isNaN(time)) return;
    const difference = time - this.#clock.now();
    const skew = Math.abs(difference) > TOLERANCE_MS ? difference : 0;
    // Date counts seconds: smaller changes are its rounding and the way of the answer.
    if (skew !== 0 && this.#skewMs !== undefined && Math.abs(skew - this.#skewMs) <= TOLERANCE_MS) return;
    if (skew === this.#skewMs) return;
    this.#skewMs = skew;
    this.#onSkew(skew);
  }
}
