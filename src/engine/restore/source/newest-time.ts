import type { ServiceClient } from '../../transfer/ports.ts';

/** The service's clock may be so far ahead of ours, and its Date header be rounded, without anybody noticing. */
const UNNOTICED_MS = 60_000;

/** The last one that ISO 8601 writes with four digits for the year. */
const END_OF_TIME = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * A time that no restore point is later than. Restore points never go back: where the clock was ahead once, all that were
 * made since are in the future, and asking for what was there by now would give an old one. A service that lists restore
 * points is known to take any time; others are asked for the newest that is known here, or for now. Only an answer tells
 * the service's time: a clock that is behind would miss the newest ones.
 *
 * @param known the newest restore point that this computer knows of, ISO 8601
 * @returns milliseconds since the epoch
 */
export async function newestTime(
  service: Pick<ServiceClient, 'capabilities' | 'now'>,
  known: string | undefined,
  signal: AbortSignal | undefined,
): Promise<number> {
  if ((await service.capabilities(signal)).has('restore_points')) return END_OF_TIME;
  return Math.max(service.now() + UNNOTICED_MS, known === undefined ? 0 : Date.parse(known));
}
