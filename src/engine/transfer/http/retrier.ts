import type { Clock } from '../../../base/clock.ts';
import type { HoldfastError } from '../../../base/errors.ts';

export interface RetryPolicy {
  /** Tries that the service may answer badly, or break off, before the call fails. */
  readonly attempts: number;
  /** The pause before try n is random between nothing and `firstPauseMs` × 2ⁿ, at most `longestPauseMs`. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** How long a call may pause in total while the service cannot be reached at all; also the longest Retry-After. */
  readonly maxWaitMs: number;
}

/** For runs: a service that restarts or a laptop that changes its network does not end them. */
export const RUN_RETRY_POLICY: RetryPolicy = {
  attempts: 12,
  firstPauseMs: 500,
  longestPauseMs: 60_000,
  maxWaitMs: 10 * 60_000,
};

/** For set-up and questions, where a person waits for the answer. */
export const INTERACTIVE_RETRY_POLICY: RetryPolicy = {
  attempts: 3,
  firstPauseMs: 500,
  longestPauseMs: 2_000,
  maxWaitMs: 3_000,
};

/** Why nothing moves just now. */
export type WaitingReason = 'service_unreachable' | 'service_silent' | 'service_busy';

/** What calls go to: it may be there while the other is not. */
export type Side = 'service' | 'storage';

/** Thrown by a try that failed in a way in which another one may not. */
export class RetryableFailure extends Error {
  override readonly name = 'RetryableFailure';
  readonly reason: WaitingReason;
  /** Whether the other side was there: then tries are counted, else the time. */
  readonly reached: boolean;
  /** What the service asked for. */
  readonly retryAfterMs: number | undefined;
  /** What to throw when patience has ended. */
  readonly outcome: HoldfastError;

  constructor(reason: WaitingReason, reached: boolean, outcome: HoldfastError, retryAfterMs?: number) {
    super(outcome.message, { cause: outcome });
    this.reason = reason;
    this.reached = reached;
    this.outcome = outcome;
    this.retryAfterMs = retryAfterMs;
  }
}

export interface RetrierParts {
  readonly clock: Clock;
  readonly policy: RetryPolicy;
  /** From 0 to less than 1. */
  readonly random?: () => number;
  /** Called when a call begins to wait, with nothing when none waits any more, and only on a change. */
  readonly onWaiting?: (reason: WaitingReason | undefined) => void;
}

/**
 * Repeats whole exchanges: what belongs to one try (the body, a signature, a presigned address, reading the answer to its
 * end) is made anew in each. Pauses grow exponentially with full jitter; `Retry-After` is the least that is waited.
 */
export class Retrier {
  readonly #clock: Clock;
  readonly #policy: RetryPolicy;
  readonly #random: () => number;
  readonly #onWaiting: (reason: WaitingReason | undefined) => void;
  /** The calls that wait now, and why. */
  readonly #waiting = new Map<object, WaitingReason>();
  /** Pauses of calls that could not get through to one side. */
  readonly #cutOff: Readonly<Record<Side, Set<AbortController>>> = { service: new Set(), storage: new Set() };
  #shown: WaitingReason | undefined;

  constructor(parts: RetrierParts) {
    this.#clock = parts.clock;
    this.#policy = parts.policy;
    this.#random = parts.random ?? Math.random;
    this.#onWaiting = parts.onWaiting ?? (() => undefined);
  }

  /** @param attempt gets the number of the try, from 1; whatever it throws but a RetryableFailure ends the call */
  async run<T>(attempt: (tries: number) => Promise<T>, signal?: AbortSignal, side: Side = 'service'): Promise<T> {
    const call = {};
    let badAnswers = 0;
    let waited = 0;
    try {
      for (let tries = 1; ; tries += 1) {
        signal?.throwIfAborted();
        const hindrance = await hindranceIn(attempt, tries);
        if (!(hindrance instanceof RetryableFailure)) {
          this.#cutOff[side].forEach((pause) => pause.abort());
          return hindrance.result;
        }
        signal?.throwIfAborted();
        const pause = this.#pauseAfter(hindrance, tries);
        if (hindrance.reached) {
          badAnswers += 1;
          waited = 0;
        } else {
          waited += pause;
        }
        if (badAnswers >= this.#policy.attempts || waited > this.#policy.maxWaitMs || pause > this.#longestPause()) {
          throw hindrance.outcome;
        }
        this.#wait(call, hindrance.reason);
        if (hindrance.reason === 'service_unreachable') await this.#pauseUntilReached(pause, side, signal);
        else await this.#clock.sleep(pause, signal);
      }
    } finally {
      this.#wait(call, undefined);
    }
  }

  /** Where one gets through, the line is back, and nobody has to sit out a pause that grew while it was cut. */
  async #pauseUntilReached(milliseconds: number, side: Side, signal: AbortSignal | undefined): Promise<void> {
    const reached = new AbortController();
    this.#cutOff[side].add(reached);
    try {
      await this.#clock.sleep(milliseconds, signal ? AbortSignal.any([signal, reached.signal]) : reached.signal);
    } catch (error) {
      if (signal?.aborted || !reached.signal.aborted) throw error;
    } finally {
      this.#cutOff[side].delete(reached);
    }
  }

  #pauseAfter(hindrance: RetryableFailure, tries: number): number {
    const { firstPauseMs, longestPauseMs } = this.#policy;
    const jitter = this.#random() * Math.min(longestPauseMs, firstPauseMs * 2 ** (tries - 1));
    // Those who were told the same time should not come back all at once.
    return hindrance.retryAfterMs === undefined ? jitter : hindrance.retryAfterMs + this.#random() * firstPauseMs;
  }

  #longestPause(): number {
    return Math.max(this.#policy.longestPauseMs, this.#policy.maxWaitMs) + this.#policy.firstPauseMs;
  }

  #wait(call: object, reason: WaitingReason | undefined): void {
    if (reason === undefined) this.#waiting.delete(call);
    else this.#waiting.set(call, reason);
    const reasons = [...this.#waiting.values()];
    const shown = reasons.includes('service_unreachable') ? 'service_unreachable' : reasons[0];
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#onWaiting(shown);
  }
}

async function hindranceIn<T>(
  attempt: (tries: number) => Promise<T>,
  tries: number,
): Promise<RetryableFailure | { readonly result: T }> {
  try {
    return { result: await attempt(tries) };
  } catch (error) {
    if (error instanceof RetryableFailure) return error;
    throw error;
  }
}

/** Seconds or an HTTP date (RFC 9110, section 10.2.3) as milliseconds from `now`; nothing where it is neither. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const time = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}
