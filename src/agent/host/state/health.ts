import type { Alarm } from '../alarms/alarm-file.ts';
import type { Health } from '../../../ipc/state.ts';
import type { Need } from '../../../model/need.ts';
import { concernsOf } from './concerns.ts';
import { named, waitsForDestination, type DestinationFacts, type HealthFacts, type PlacedSet } from './health-facts.ts';
import { latenessOf } from './lateness.ts';

export interface HealthVerdict {
  readonly health: Health;
  /** Since when; for `protected`, when the last backup ended. */
  readonly since?: number;
  /** The worst first: the headline is that of the first. */
  readonly needs: readonly Need[];
}

/**
 * Determines the health of a home that was set up. Each destination counts. A set that is late or was never backed up is at risk
 * if no destination has a recent backup of it; otherwise the destination that lacks one needs attention. Pure.
 */
export function healthOf(facts: HealthFacts): HealthVerdict {
  const sets = placedSets(facts);
  const lateness = sets.map((set) => latenessOf(set, facts));
  // A computer that restores the backups of others need not have any of its own.
  const isWithoutAnything = sets.length === 0 && facts.restorableSets === 0;
  const risks = [
    ...facts.alarms.filter(({ set }) => set !== undefined).map(suspicion),
    ...facts.destinations.flatMap(damageOf),
    ...(isWithoutAnything ? [noSet(facts)] : []),
    ...sets.flatMap((set, index) => [...set.flatMap(failedCheckOf), ...lateness[index]!.risks]),
  ];
  const concerns = [
    // Runs of the account's other computers are no risk to this one.
    ...facts.alarms
      .filter(({ set }) => set === undefined)
      .map((alarm) => ({ need: suspicion(alarm), isPressing: true })),
    ...(sets.length === 0 && !isWithoutAnything ? [{ need: noSet(facts), isPressing: !facts.isRunning }] : []),
    ...concernsOf(
      sets,
      facts,
      lateness.flatMap(({ concerns: late }) => late),
    ),
  ];
  const needs = [...risks.filter((need) => !isCoveredByFailure(need, sets)), ...concerns.map(({ need }) => need)];
  const waiting = sets.flatMap((set) => set.flatMap((placed) => waitOf(placed, set)));
  if (risks.length > 0) return { health: 'at-risk', needs };
  if (concerns.some(({ isPressing }) => isPressing)) return { health: 'attention', needs, ...sinceOf(needs) };
  if (facts.isRunning) return { health: 'running', needs };
  if (waiting.length > 0) return { health: 'waiting', needs, since: Math.min(...waiting) };
  if (facts.isPaused) return { health: 'paused', needs };
  const ends = sets.flat().flatMap(({ lastGoodAt }) => lastGoodAt ?? []);
  return { health: 'protected', needs, since: Math.max(...ends) };
}

/** Returns each set at all destinations. */
function placedSets({ destinations }: HealthFacts): readonly (readonly PlacedSet[])[] {
  const [first] = destinations;
  return (first?.sets ?? []).map((_set, index) => destinations.map((at) => ({ ...at.sets[index]!, at })));
}

function suspicion({ reasons, ...alarm }: Alarm): Need {
  return { kind: 'suspicious-run', ...alarm, reasons: [...reasons] };
}

function damageOf({ place, damageFoundBy: run, isDoubtful = false }: DestinationFacts): readonly Need[] {
  if (run === undefined) return isDoubtful ? [{ kind: 'points-unlisted', ...named(place) }] : [];
  return [{ kind: 'destination-damaged', run, ...(isDoubtful && { isDoubtful }), ...named(place) }];
}

function failedCheckOf({ name, damageFoundBy: run, at: { place } }: PlacedSet): readonly Need[] {
  if (run === undefined) return [];
  return [{ kind: 'verification-failed', set: name, run, ...named(place) }];
}

/** A failed first backup is listed with its reason and a button for the next one. */
function isCoveredByFailure(need: Need, sets: readonly (readonly PlacedSet[])[]): boolean {
  if (need.kind !== 'first-backup') return false;
  return sets.flat().some(({ name, lastBackup }) => name === need.set && lastBackup?.outcome === 'failed');
}

function noSet({ restorableSets: restorable }: HealthFacts): Need {
  return restorable === undefined ? { kind: 'no-set' } : { kind: 'no-set', restorable };
}

/**
 * Ignores sets that wait only because everything is paused, and those that wait for one of several disks: a disk that is rarely
 * connected is no reason for concern before its backups are old.
 */
function waitOf({ decision }: PlacedSet, places: readonly PlacedSet[]): readonly number[] {
  if (decision.kind !== 'waiting' || decision.reason.kind === 'paused') return [];
  const isElsewhere = decision.reason.kind === 'destination' && !places.every(waitsForDestination);
  return isElsewhere ? [] : [decision.since];
}

function sinceOf(needs: readonly Need[]): { since?: number } {
  const times = needs.flatMap((need) => (need.kind === 'failed' ? need.at : []));
  return times.length === 0 ? {} : { since: Math.min(...times) };
}
