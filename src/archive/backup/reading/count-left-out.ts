import { setImmediate as nextTurn } from 'node:timers/promises';
import { throwIfInterrupted } from '../../../jobs/interruption.ts';
import type { LeftOut } from '../../scan/left-out.ts';
import type { ScanCounts } from '../../scan/types.ts';

/** Entries that are counted before the event loop gets a turn. */
const COUNTED_PER_STEP = 300;

/** What counting may cost: entries that are looked at, and milliseconds. */
interface CountingBudget {
  readonly entries: number;
  readonly ms: number;
}

/** A dry run answers what would be left out. */
export const WITHOUT_LIMIT: CountingBudget = { entries: Number.POSITIVE_INFINITY, ms: Number.POSITIVE_INFINITY };

/** A small part of what the scan has looked at, so that it costs no more than that part of the run. On a slow disk each entry may be a seek. */
export function budgetFor({ entries }: ScanCounts): CountingBudget {
  return { entries: 300 + Math.floor(entries / 100), ms: 500 };
}

/** Counts the files of the folders that were left out. */
export async function countLeftOut(
  leftOut: LeftOut,
  { entries, ms }: CountingBudget,
  signal: AbortSignal | undefined,
): Promise<void> {
  using counting = leftOut;
  const end = performance.now() + ms;
  for (let counted = 0; counted < entries && performance.now() < end; counted += COUNTED_PER_STEP) {
    if (!counting.count(Math.min(COUNTED_PER_STEP, entries - counted))) return;
    throwIfInterrupted(signal);
    await nextTurn();
  }
}
