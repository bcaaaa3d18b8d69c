import type { Clock } from '../../base/clock.ts';

/** A slow response can cause differences up to this; they are ignored. */
const TOLERANCE_MS = 30_000;

/** The service's time: this computer's, corrected if the service's Date headers differ by more than 30 s. */
export class ServiceClock {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #onSkew: (skewMs: number) => void;
  /** `undefined` before the first response. */
  #skewMs: number | undefined;
  #isTrusted = false;

  /**
   * @param onSkew called with the first response and for each change by more than 30 s; positive if the service's clock is
   *   ahead, 0 if the clocks agree
   */
  constructor(clock: Pick<Clock, 'now'>, onSkew: (skewMs: number) => void = () => undefined) {
    this.#clock = clock;
    this.#onSkew = onSkew;
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return this.#clock.now() + (this.#skewMs ?? 0);
  }

  /** Milliseconds by which this computer's clock is ahead of the service's; negative if it is behind. */
  get aheadMs(): number {
    return -(this.#skewMs ?? 0);
  }

  /** Uses the Date header of a response that has just arrived. */
  observe(date: string | undefined): void {
    // A proxy may set its own Date.
    if (!this.#isTrusted) this.#update(date);
  }

  /** Uses the time that the service itself has just sent. */
  trust(time: string): void {
    this.#isTrusted = true;
    this.#update(time);
  }

  #update(date: string | undefined): void {
    const time = date === undefined ? Number.NaN : Date.parse(date);
    if (Number.isNaN(time)) return;
    const difference = time - this.#clock.now();
    const skew = Math.abs(difference) > TOLERANCE_MS ? difference : 0;
    // Smaller changes are due to latency and to Date's rounding to seconds.
    if (skew !== 0 && this.#skewMs !== undefined && Math.abs(skew - this.#skewMs) <= TOLERANCE_MS) return;
    if (skew === this.#skewMs) return;
    this.#skewMs = skew;
    this.#onSkew(skew);
  }
}
