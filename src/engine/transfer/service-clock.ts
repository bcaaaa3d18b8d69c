import type { Clock } from '../clock.ts';

/** A difference that a slow answer can make; below it our own clock is right enough. */
const TOLERANCE_MS = 30_000;

/** The time as the service sees it: ours, unless its Date headers differ from it by more than 30 s. */
export class ServiceClock {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #onSkew: (skewMs: number) => void;
  #skewMs = 0;

  /** @param onSkew told once for each change by more than 30 s; positive where the service's clock is ahead of ours */
  constructor(clock: Pick<Clock, 'now'>, onSkew: (skewMs: number) => void = () => undefined) {
    this.#clock = clock;
    this.#onSkew = onSkew;
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return this.#clock.now() + this.#skewMs;
  }

  /** Takes the Date header of an answer that came just now. */
  observe(date: string | undefined): void {
    const time = date === undefined ? Number.NaN : Date.parse(date);
    if (Number.isNaN(time)) return;
    const difference = time - this.#clock.now();
    const skew = Math.abs(difference) > TOLERANCE_MS ? difference : 0;
    // Date counts seconds: smaller changes are its rounding and the way of the answer.
    if (skew !== 0 && Math.abs(skew - this.#skewMs) <= TOLERANCE_MS) return;
    if (skew === this.#skewMs) return;
    this.#skewMs = skew;
    if (skew !== 0) this.#onSkew(skew);
  }
}
