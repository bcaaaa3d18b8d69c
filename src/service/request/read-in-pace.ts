import type { ByteLease } from './byte-budget.ts';
import { inTime } from './in-time.ts';
import { ServiceProblem } from './problem.ts';
import { MINUTE } from '../../model/units.ts';

export interface Pace {
  /** Milliseconds in which the next bytes arrive. */
  readonly nextWithin: number;
  /** Milliseconds after which `bytesPerSecond` counts. */
  readonly freely: number;
  /** Bytes per second on average. */
  readonly bytesPerSecond: number;
}

const TOO_SLOW = 'the bytes arrive too slowly';

/** Modems were as fast. A client that sends less would hold memory for hours. */
export const UPLOAD_PACE: Pace = { nextWithin: 30_000, freely: MINUTE, bytesPerSecond: 4096 };

/**
 * Reads a body into memory. The lease grows with what has arrived, and is the caller's to release.
 *
 * @throws ServiceProblem `request_timeout` if the client is slower than the pace; what the lease throws
 */
export async function readInPace(
  body: AsyncIterable<Uint8Array>,
  lease: ByteLease,
  { nextWithin, freely, bytesPerSecond }: Pace = UPLOAD_PACE,
): Promise<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]();
  const read: Uint8Array[] = [];
  const began = performance.now();
  let length = 0;
  try {
    for (;;) {
      const next = await inTime(pieces.next(), nextWithin, TOO_SLOW);
      if (next.done === true) return Buffer.concat(read, length);
      lease.reserve(next.value.length);
      read.push(next.value);
      length += next.value.length;
      const took = performance.now() - began;
      if (took > freely && (length / took) * 1000 < bytesPerSecond)
        throw new ServiceProblem('request_timeout', { detail: TOO_SLOW });
    }
  } catch (error) {
    // Not awaited: it would wait for the bytes that do not come.
    void pieces.return?.()?.catch(() => undefined);
    throw error;
  }
}
