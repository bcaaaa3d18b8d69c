import { DAY } from '../../model/units.ts';
import type { LedgerListing } from '../ledger/ledger-files.ts';
import type { Repository } from '../repository.ts';

/** A difference that a wrong time zone or a store of whole days cannot explain. */
const WRONG_BY_MS = DAY;

/**
 * Returns the time by which restore points are judged: this computer's, or the store's where that contradicts it. Restore points of a clock that is ahead
 * count as days as soon as that clock believes them, and take the places of the real ones (docs/decisions/history/0354-clocks-that-were-wrong.md).
 *
 * The segment that this computer has just written has both times. The store's counts only if it is the earlier one by more than a day, and not before
 * everything that was backed up: a store without a clock would keep all for ever.
 */
export function judgingTime(
  { clock, projection, writerKey, device }: Pick<Repository, 'clock' | 'projection' | 'writerKey' | 'device'>,
  listing: LedgerListing,
): number {
  const now = clock.now();
  const newest = listing.get(writerKey.id)?.at(-1);
  const stated = projection.ledgers.writer(writerKey.id);
  if (newest?.created === undefined || stated?.number !== newest.number) return now;
  const isJustWritten = Math.abs(now - stated.time) < WRONG_BY_MS;
  if (!isJustWritten || stated.time - newest.created <= WRONG_BY_MS) return now;
  const times = projection.points.timesOf(device.id).map(({ restorePoint }) => restorePoint);
  return times.some((time) => time <= newest.created!) ? newest.created : now;
}
