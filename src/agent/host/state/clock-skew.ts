import { DEVICE_SIGNATURE_WINDOW } from '../../../protocol/auth.ts';
import type { Clock } from '../../../base/clock.ts';
import type { StateChanges } from '../state-changes.ts';

/** Smaller differences are harmless: a service accepts signatures that are off by as much. */
const TOLERANCE_MS = DEVICE_SIGNATURE_WINDOW * 1000;

/** The difference between this computer's clock and the service's, as of the service's last response. */
export class ClockSkew {
  readonly #clock: Clock;
  readonly #changes: StateChanges;
  #known: { readonly aheadMs: number; readonly drift: number } | undefined;

  constructor(clock: Clock, changes: StateChanges) {
    this.#clock = clock;
    this.#changes = changes;
  }

  /** By how many milliseconds this computer's clock is ahead, if that is too much. */
  get aheadMs(): number | undefined {
    // After the clock was set, only the next response shows the difference.
    const isSet = this.#known && Math.abs(driftOf(this.#clock) - this.#known.drift) > TOLERANCE_MS;
    return isSet ? undefined : this.#known?.aheadMs;
  }

  /** @param skewMs milliseconds, positive if the service's clock is ahead */
  update(skewMs: number): void {
    const isRight = Math.abs(skewMs) < TOLERANCE_MS;
    this.#known = isRight ? undefined : { aheadMs: -skewMs, drift: driftOf(this.#clock) };
    this.#changes.notify();
  }
}

/** Changes when a clock is set. */
function driftOf(clock: Clock): number {
  return clock.now() - performance.now();
}
