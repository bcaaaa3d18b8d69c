import type { S3Client } from '@aws-sdk/client-s3';
import type { Clock } from '../../base/clock.ts';
import { systemCodeOf } from '../../base/errors/errors.ts';
import { Endurance, Outage } from '../../remote/http/outage.ts';
import { BucketError, statusOf, toBucketError } from './bucket-error.ts';

/** For how long all calls of a client wait for a store that does not respond. */
export interface WaitingLimit {
  readonly clock: Pick<Clock, 'now'>;
  readonly maxWaitMs: number;
}

/** A connection broke that may have carried bytes until then. */
const BROKEN = new Set(['ECONNRESET', 'ECONNABORTED', 'EPIPE']);

/**
 * Lets calls fail once a client has waited long enough. The client itself only counts attempts, each of which may take a minute
 * until it ends in silence.
 */
export function limitWaiting(client: S3Client, { clock, maxWaitMs }: WaitingLimit): Outage {
  const outage = new Outage(clock);
  client.middlewareStack.add(
    (next) => {
      // One call: each of its attempts comes by here.
      const endurance = new Endurance(clock, maxWaitMs, outage);
      let failedAt: number | undefined;
      return async (args) => {
        outage.check();
        if (failedAt !== undefined) endurance.addPause(clock.now() - failedAt);
        endurance.begin();
        try {
          const result = await next(args);
          outage.reached();
          return result;
        } catch (error) {
          if (statusOf(error) !== undefined) {
            outage.reached();
            endurance.forget();
            throw error;
          }
          const isBroken = BROKEN.has(systemCodeOf(error) ?? '');
          if (!isBroken) endurance.addAttempt();
          failedAt = clock.now();
          if (!endurance.isOver) throw error;
          // The client repeats what has one of its own errors as its cause.
          const failure = new BucketError('unreachable', toBucketError(error).detail);
          if (!isBroken) outage.establish(failure, endurance.contacts);
          throw failure;
        }
      };
    },
    { step: 'finalizeRequest', name: 'limitedWaiting' },
  );
  return outage;
}
