import type { Clock } from '../../base/clock.ts';
import type { HoldfastError } from '../../base/errors/errors.ts';
import { MINUTE } from '../../model/units.ts';
import { Endurance, Outage } from './outage.ts';

export interface RetryPolicy {
  /** Attempts with an error response or a broken connection before the call fails. */
  readonly attempts: number;
  /** The pause before attempt n is random, up to `firstPauseMs` × 2ⁿ and at most `longestPauseMs`. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** Longest time that a call waits for an unreachable service, in attempts and pauses; also the longest Retry-After that is accepted. */
  readonly maxWaitMs: number;
}

/** Used by runs, which survive a restart of the service or a change of networks. */
export const RUN_RETRY_POLICY: RetryPolicy = {
  attempts: 12,
  firstPauseMs: 500,
  longestPauseMs: MINUTE,
  maxWaitMs: 10 * MINUTE,
};

/** Used by setup and queries that a person waits for. */
export const INTERACTIVE_RETRY_POLICY: RetryPolicy = {
  attempts: 3,
  firstPauseMs: 500,
  longestPauseMs: 2_000,
  maxWaitMs: 3_000,
};

/** Returns a policy that waits for another time. It does not pause longer either before it asks again for what it got a wrong answer to. */
export function withLongestWait(policy: RetryPolicy, maxWaitMs: number): RetryPolicy {
  const { firstPauseMs, longestPauseMs } = policy;
  return { ...policy, maxWaitMs, longestPauseMs: Math.min(longestPauseMs, Math.max(firstPauseMs, maxWaitMs)) };
}

/** Why calls are waiting. */
export type WaitingReason = 'service_unreachable' | 'service_silent' | 'service_busy';

/** Target of a call: either may be reachable without the other. */
export type Target = 'service' | 'storage';

/** Thrown by an attempt that failed but may succeed when repeated. */
export class RetryableFailure extends Error {
  override readonly name = 'RetryableFailure';
  readonly reason: WaitingReason;
  /** True if the server was reached: then attempts are counted, otherwise time. */
  readonly reached: boolean;
  /** From the Retry-After header. */
  readonly retryAfterMs: number | undefined;
  /** Thrown when retries are exhausted. */
  readonly error: HoldfastError;

  constructor(reason: WaitingReason, reached: boolean, error: HoldfastError, retryAfterMs?: number) {
    super(error.message, { cause: error });
    this.reason = reason;
    this.reached = reached;
    this.error = error;
    this.retryAfterMs = retryAfterMs;
  }
}

/** A connection broke that may have carried bytes until then, so that the attempt's own time was no waiting. */
export class BrokenConnection extends RetryableFailure {
  constructor(reached: boolean, error: HoldfastError) {
    super('service_unreachable', reached, error);
  }
}

export interface RetrierParts {
  readonly clock: Clock;
  readonly policy: RetryPolicy;
  /** Returns numbers from 0 to less than 1. */
  readonly random?: () => number;
  /** Called when the reason for waiting changes, with `undefined` when no call waits any more. */
  readonly onWaiting?: (reason: WaitingReason | undefined) => void;
}

/**
 * Repeats whole exchanges. Each attempt makes its own body, signature and presigned address and reads its response to the
 * end. Pauses grow exponentially with full jitter and are at least `Retry-After`.
 */
export class Retrier {
  readonly #clock: Clock;
  readonly #policy: RetryPolicy;
  readonly #random: () => number;
  readonly #onWaiting: (reason: WaitingReason | undefined) => void;
  /** Waiting calls with their reasons. */
  readonly #waiting = new Map<object, WaitingReason>();
  /** Pauses of calls that could not reach a target. */
  readonly #unreachable: Readonly<Record<Target, Set<AbortController>>> = { service: new Set(), storage: new Set() };
  readonly #outages: Readonly<Record<Target, Outage>>;
  #reported: WaitingReason | undefined;

  constructor(parts: RetrierParts) {
    this.#clock = parts.clock;
    this.#policy = parts.policy;
    this.#random = parts.random ?? Math.random;
    this.#onWaiting = parts.onWaiting ?? (() => undefined);
    this.#outages = { service: new Outage(this.#clock), storage: new Outage(this.#clock) };
  }

  /**
   * Calls fail at once for a moment after one has waited in vain for their target.
   *
   * @param attempt is passed its number, from 1; any error but a RetryableFailure ends the call
   */
  async run<T>(attempt: (number: number) => Promise<T>, signal?: AbortSignal, target: Target = 'service'): Promise<T> {
    const call = {};
    const outage = this.#outages[target];
    const endurance = new Endurance(this.#clock, this.#policy.maxWaitMs, outage);
    let failedResponses = 0;
    try {
      for (let number = 1; ; number += 1) {
        signal?.throwIfAborted();
        outage.check();
        endurance.begin();
        const outcome = await outcomeOf(attempt, number);
        if (!(outcome instanceof RetryableFailure)) {
          this.#reached(target);
          return outcome.result;
        }
        signal?.throwIfAborted();
        const pause = this.#pauseAfter(outcome, number);
        if (outcome.reached) failedResponses += 1;
        if (outcome.reason === 'service_unreachable') {
          if (!(outcome instanceof BrokenConnection)) endurance.addAttempt();
          endurance.addPause(pause);
        } else {
          this.#reached(target);
          endurance.forget();
        }
        if (endurance.isOver) {
          this.#giveUp(outcome, target, endurance);
          throw outcome.error;
        }
        if (failedResponses >= this.#policy.attempts || pause > this.#longestPause()) throw outcome.error;
        this.#wait(call, outcome.reason);
        if (outcome.reason === 'service_unreachable') await this.#pauseUntilReached(pause, target, signal);
        else await this.#clock.sleep(pause, signal);
      }
    } finally {
      this.#wait(call, undefined);
    }
  }

  /** Makes one attempt, also at a target that others have waited for in vain. @throws the error of a RetryableFailure; what the attempt throws */
  async once<T>(attempt: () => Promise<T>, target: Target = 'service'): Promise<T> {
    const outcome = await outcomeOf(attempt, 1);
    const isFailure = outcome instanceof RetryableFailure;
    if (!isFailure || outcome.reason !== 'service_unreachable') this.#reached(target);
    if (isFailure) throw outcome.error;
    return outcome.result;
  }

  #reached(target: Target): void {
    this.#outages[target].reached();
    this.#endPauses(target);
  }

  /** A connection that breaks is none of an outage: only one file may be what the server does not give out. */
  #giveUp(failure: RetryableFailure, target: Target, { contacts }: Endurance): void {
    if (failure instanceof BrokenConnection) return;
    if (this.#outages[target].establish(failure.error, contacts)) this.#endPauses(target);
  }

  #endPauses(target: Target): void {
    this.#unreachable[target].forEach((pause) => pause.abort());
  }

  /** Ends the pause early when another call reaches the target, or gives up. */
  async #pauseUntilReached(milliseconds: number, target: Target, signal: AbortSignal | undefined): Promise<void> {
    const reached = new AbortController();
    this.#unreachable[target].add(reached);
    try {
      await this.#clock.sleep(milliseconds, signal ? AbortSignal.any([signal, reached.signal]) : reached.signal);
    } catch (error) {
      if (signal?.aborted || !reached.signal.aborted) throw error;
    } finally {
      this.#unreachable[target].delete(reached);
    }
  }

  #pauseAfter({ retryAfterMs }: RetryableFailure, number: number): number {
    const { firstPauseMs, longestPauseMs } = this.#policy;
    const jitter = this.#random() * Math.min(longestPauseMs, firstPauseMs * 2 ** (number - 1));
    // Clients with the same Retry-After should not all come back at once.
    return retryAfterMs === undefined ? jitter : retryAfterMs + this.#random() * firstPauseMs;
  }

  #longestPause(): number {
    return Math.max(this.#policy.longestPauseMs, this.#policy.maxWaitMs) + this.#policy.firstPauseMs;
  }

  #wait(call: object, reason: WaitingReason | undefined): void {
    if (reason === undefined) this.#waiting.delete(call);
    else this.#waiting.set(call, reason);
    const reasons = [...this.#waiting.values()];
    const main = reasons.includes('service_unreachable') ? 'service_unreachable' : reasons[0];
    if (main === this.#reported) return;
    this.#reported = main;
    this.#onWaiting(main);
  }
}

async function outcomeOf<T>(
  attempt: (number: number) => Promise<T>,
  number: number,
): Promise<RetryableFailure | { readonly result: T }> {
  try {
    return { result: await attempt(number) };
  } catch (error) {
    if (error instanceof RetryableFailure) return error;
    throw error;
  }
}

/** Parses seconds or an HTTP date (RFC 9110, section 10.2.3). Returns milliseconds from `now`, or `undefined`. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const time = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}
