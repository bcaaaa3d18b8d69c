import type { Need } from '../../../model/need.ts';
import { named, waitsForDestination, type Concern, type HealthFacts, type PlacedSet } from './health-facts.ts';
import { DAY } from '../../../model/units.ts';

export interface Lateness {
  readonly risks: readonly Need[];
  readonly concerns: readonly Concern[];
}

type LateNeed = Extract<Need, { kind: 'first-backup' | 'no-backup-for' }>;

interface LatePlace {
  readonly place: PlacedSet;
  readonly need: LateNeed;
}

/**
 * Returns what a set lacks: one risk if no destination has a recent backup, else a concern for each destination that has none. Omits
 * what an active backup will settle.
 *
 * @param places the set at each destination
 */
export function latenessOf(places: readonly PlacedSet[], facts: HealthFacts): Lateness {
  const late = places.flatMap((place): readonly LatePlace[] => {
    const need = lateNeed(place, facts);
    return need ? [{ place, need }] : [];
  });
  if (late.length === places.length) return { risks: worstOf(late), concerns: [] };
  return { risks: [], concerns: late.filter(({ place }) => !isExplained(place)).map(concernOf) };
}

function lateNeed(
  { name, isBackingUp, lastGoodAt }: PlacedSet,
  { now, noBackupDays }: HealthFacts,
): LateNeed | undefined {
  if (isBackingUp) return undefined;
  if (lastGoodAt === undefined) return { kind: 'first-backup', set: name };
  const days = Math.floor((now - lastGoodAt) / DAY);
  return noBackupDays > 0 && days >= noBackupDays ? { kind: 'no-backup-for', set: name, days } : undefined;
}

/** Reports the newest backup, wherever it is. */
function worstOf(late: readonly LatePlace[]): readonly Need[] {
  const days = late.flatMap(({ need }) => (need.kind === 'no-backup-for' ? need.days : []));
  const need = late[0]?.need;
  if (!need) return [];
  return [days.length === 0 ? need : { kind: 'no-backup-for', set: need.set, days: Math.min(...days) }];
}

/** The failure of its newest backup is a need of its own. */
function isExplained(place: PlacedSet): boolean {
  return place.lastBackup?.outcome === 'failed' && !waitsForDestination(place);
}

/** The first backup to a further destination is no reason for concern if it begins by itself. */
function concernOf({ place: { at, decision }, need }: LatePlace): Concern {
  const begins = decision.kind !== 'manual' && decision.kind !== 'waiting';
  return { need: { ...need, ...named(at.place) }, isPressing: need.kind !== 'first-backup' || !begins };
}
