import { HoldfastError } from '../base/errors/errors.ts';
import type { Clock } from '../base/clock.ts';
import {
  BrokenConnection,
  Retrier,
  RetryableFailure,
  withLongestWait,
  type RetryPolicy,
  type WaitingReason,
} from '../remote/http/retrier.ts';
import { MINUTE } from '../model/units.ts';

/** A store that is away for longer fails the run, which is repeated later. */
const POLICY: RetryPolicy = { attempts: 6, firstPauseMs: 500, longestPauseMs: 20_000, maxWaitMs: 2 * MINUTE };

/** Why a store's calls are waiting. */
export type StoreWaitingReason = 'destination_unreachable' | 'destination_busy';

/** What a store needs besides its address. */
export interface StorageParts {
  readonly clock: Clock;
  readonly policy?: RetryPolicy | undefined;
  /** For how long the store may be away, if not for as long as the policy says. */
  readonly maxWaitMs?: number | undefined;
  /** Called when the reason for waiting changes, with `undefined` when no call waits any more. */
  readonly onWaiting?: ((reason: StoreWaitingReason | undefined) => void) | undefined;
}

/** Returns for how long the calls to a store wait while it is away. */
export function longestWait({ policy = POLICY, maxWaitMs = policy.maxWaitMs }: StorageParts): number {
  return maxWaitMs;
}

/** Creates the retrier of one store. */
export function storageRetrier(parts: StorageParts): Retrier {
  const { clock, policy = POLICY, onWaiting } = parts;
  const limits = withLongestWait(policy, longestWait(parts));
  return new Retrier({
    clock,
    policy: limits,
    ...(onWaiting && { onWaiting: (reason) => onWaiting(reasonOf(reason)) }),
  });
}

function reasonOf(reason: WaitingReason | undefined): StoreWaitingReason | undefined {
  if (reason === undefined) return undefined;
  return reason === 'service_busy' ? 'destination_busy' : 'destination_unreachable';
}

/** Why an attempt did not reach the store. */
interface Unreached {
  readonly address: string;
  readonly reason: string;
  /** Whether a connection broke that may have carried bytes until then. */
  readonly isBroken: boolean;
}

/** Returns the failure of an attempt that did not reach the store, or lost its connection. */
export function unreached({ address, reason, isBroken }: Unreached, cause: unknown): RetryableFailure {
  const error = new HoldfastError('service_unreachable', { address, reason }, { cause, retryable: true });
  return isBroken ? new BrokenConnection(false, error) : new RetryableFailure('service_unreachable', false, error);
}
