import { lockEnd, witnessTimes } from '../../rules/removal-decision.ts';
import type { MetadataStore } from '../metadata-store.ts';

/** The restore points of some sets, as far as they prevent an erasure. */
export interface Protection {
  /** When the minimum retention of all of them has passed; 0 without one. */
  readonly lockedUntil: number;
  /** True if a restore of one is in progress. */
  readonly isInUse: boolean;
  /** True while nothing of the account is removed, after an alarm. */
  readonly isHeld: boolean;
}

/**
 * Returns what protects sets from an erasure. The longest minimum of the account counts for each of its sets: the runs of one set
 * witness the age of those of the others (`witnessTimes`), and must not go before these.
 */
export async function protectionOf(
  { erasures, retention }: Pick<MetadataStore, 'erasures' | 'retention'>,
  accountId: string,
  sets: readonly number[],
  now: number,
): Promise<Protection> {
  const days = await erasures.longestMinimum(accountId);
  let lockedUntil = 0;
  let isInUse = false;
  for (const setNumber of sets) {
    const { points, runs } = await retention.facts({ accountId, setNumber }, now);
    const witnessed = witnessTimes(runs);
    for (const { sequence, restorePoint, inUse } of points) {
      lockedUntil = Math.max(lockedUntil, lockEnd(witnessed.get(sequence) ?? restorePoint, days));
      isInUse ||= inUse;
    }
  }
  return { lockedUntil, isInUse, isHeld: await retention.isHeld(accountId) };
}
