import type { AppState, ConfiguredDestination } from '../../ipc/state.ts';
import type { Decision } from '../../model/schedule/decision.ts';
import type { Failure } from '../../base/errors/failure.ts';
import { DAY } from '../../model/units.ts';

/**
 * The most important fact about a destination. `absent`: it is not connected. `failed`: the newest backup of a set failed there.
 * `behind`: its copy is older than the days after which the person wants to be told. `interrupted`: the next backup continues one.
 * `good`: nothing of these; there may be no copy yet.
 */
export type Condition = 'running' | 'absent' | 'failed' | 'behind' | 'interrupted' | 'good';

/** A destination, and the copy of all sets there. */
export interface Standing {
  readonly destination: ConfiguredDestination;
  /** The number of sets with a backup there. */
  readonly backedUp: number;
  /** The age of the copy: the oldest of the newest backups of the sets. `undefined` unless every set has one. */
  readonly copyAt: number | undefined;
  readonly condition: Condition;
  /** The reason, if the condition is `failed`. */
  readonly failure: Failure | undefined;
  /** The decision that takes effect first. `undefined` without sets. */
  readonly decision: Decision | undefined;
}

type StandingFacts = Pick<AppState, 'destinations' | 'preferences'>;

/** Returns the standing of each destination, in order of preference. `now` in milliseconds. */
export function standingsOf({ destinations, preferences }: StandingFacts, now: number): readonly Standing[] {
  const days = preferences.notifications.noBackupDays;
  return destinations.map((destination) => standingOf(destination, days, now));
}

function standingOf(destination: ConfiguredDestination, staleDays: number, now: number): Standing {
  const { sets } = destination;
  const ends = sets.flatMap(({ lastGoodAt }) => lastGoodAt ?? []);
  const copyAt = sets.length > 0 && ends.length === sets.length ? Math.min(...ends) : undefined;
  const isStale = copyAt !== undefined && staleDays > 0 && now - copyAt >= staleDays * DAY;
  return {
    destination,
    backedUp: ends.length,
    copyAt,
    condition: conditionOf(destination, isStale),
    failure: sets.find(({ state }) => state === 'failed')?.failure,
    decision: firstDecision(sets.map(({ decision }) => decision)),
  };
}

function conditionOf({ sets, isAtHand }: ConfiguredDestination, isStale: boolean): Condition {
  const has = (wanted: ConfiguredDestination['sets'][number]['state']): boolean =>
    sets.some(({ state }) => state === wanted);
  if (has('running')) return 'running';
  // Its backups fail because it is absent.
  if (!isAtHand) return 'absent';
  if (has('failed')) return 'failed';
  if (isStale) return 'behind';
  return has('interrupted') ? 'interrupted' : 'good';
}

/** Returns whether a destination has a copy of every set, and its newest backups did not fail. */
export function isBackedUp({ copyAt, condition }: Standing): boolean {
  return copyAt !== undefined && condition !== 'failed' && condition !== 'behind';
}

const ORDER: readonly Decision['kind'][] = ['running', 'waiting', 'quiet', 'next', 'watching', 'manual'];

function firstDecision(decisions: readonly Decision[]): Decision | undefined {
  return decisions.toSorted((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) || timeOf(a) - timeOf(b))[0];
}

function timeOf(decision: Decision): number {
  switch (decision.kind) {
    case 'next':
      return decision.at;
    case 'quiet':
      return decision.until;
    case 'waiting':
    case 'running':
      return decision.since;
    case 'manual':
    case 'watching':
      return 0;
  }
}
