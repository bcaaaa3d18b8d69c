import { HoldfastError } from '../base/errors/errors.ts';
import type { Clock } from '../base/clock.ts';
import { Retrier, RetryableFailure, type RetryPolicy } from '../remote/http/retrier.ts';
import { MINUTE } from '../model/units.ts';

/** A store that is away for longer fails the run, which is repeated later. */
const POLICY: RetryPolicy = { attempts: 6, firstPauseMs: 500, longestPauseMs: 20_000, maxWaitMs: 2 * MINUTE };

/** What a store needs besides its address. */
export interface StorageParts {
  readonly clock: Clock;
  readonly policy?: RetryPolicy | undefined;
}

/** Creates the retrier of one store. */
export function storageRetrier({ clock, policy = POLICY }: StorageParts): Retrier {
  return new Retrier({ clock, policy });
}

/** Returns the failure of an attempt that did not reach the store, or lost its connection. */
export function unreached(address: string, reason: string, cause: unknown): RetryableFailure {
  const error = new HoldfastError('service_unreachable', { address, reason }, { cause, retryable: true });
  return new RetryableFailure('service_unreachable', false, error);
}
