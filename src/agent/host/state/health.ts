import type { Alarm } from '../alarms/alarm-file.ts';
import type { Decision, Health, LastRun, Need } from '../../../ipc/state.ts';

const DAY_MS = 86_400_000;

/** The facts about a set. */
export interface SetFacts {
  readonly name: string;
  readonly decision: Decision;
  readonly isBackingUp: boolean;
  /** The newest backup that ended. */
  readonly lastBackup: LastRun | undefined;
  /** When the newest complete backup ended, in milliseconds since the epoch. */
  readonly lastGoodAt: number | undefined;
  /** The number of warnings of the newest backup that are new. */
  readonly newWarnings: number;
  /** The newest completed verification, if it found damage. */
  readonly damageFoundBy: number | undefined;
}

/** Everything that the health depends on. */
export interface HealthFacts {
  readonly now: number;
  readonly sets: readonly SetFacts[];
  /** True if a run of any kind is active. */
  readonly isRunning: boolean;
  readonly isPaused: boolean;
  /** The number of days without a backup that is reported; 0 for never. */
  readonly noBackupDays: number;
  readonly isPhraseConfirmed: boolean;
  /** The destination, while it is not connected. */
  readonly missingLocation: string | undefined;
  /** By how many milliseconds this computer's clock is ahead of the service's (negative: behind), if that is too much. */
  readonly clockAheadMs?: number | undefined;
  /** The check that found damage of the destination, until a repair. */
  readonly destinationDamage?: number | undefined;
  /** Suspicious runs that nobody has released. */
  readonly alarms: readonly Alarm[];
  /** Needs of restores that did not continue by themselves. */
  readonly restores?: readonly Need[];
}

export interface HealthVerdict {
  readonly health: Health;
  /** Since when; for `protected`, when the last backup ended. */
  readonly since?: number;
  /** The worst first: the headline is that of the first. */
  readonly needs: readonly Need[];
}

/** Determines the health of a home that was set up. Pure. */
export function healthOf(facts: HealthFacts): HealthVerdict {
  const own = facts.alarms.filter(({ set }) => set !== undefined).map(suspicion);
  const damage = facts.destinationDamage;
  const damaged: Need[] = damage === undefined ? [] : [{ kind: 'destination-damaged', run: damage }];
  const risks = [
    ...own,
    ...damaged,
    ...(facts.sets.length === 0 ? [NO_SET] : facts.sets.flatMap((set) => risksOf(set, facts))),
  ];
  const cares = caresOf(facts);
  const needs = [...risks.filter((need) => !isCoveredByFailure(need, facts)), ...cares];
  const waiting = facts.sets.flatMap(({ decision }) => (isWaiting(decision) ? [decision.since] : []));
  if (risks.length > 0) return { health: 'at-risk', needs };
  if (cares.some((care) => isPressing(care, facts))) return { health: 'attention', needs, ...sinceOf(cares) };
  if (facts.isRunning) return { health: 'running', needs };
  if (waiting.length > 0) return { health: 'waiting', needs, since: Math.min(...waiting) };
  if (facts.isPaused) return { health: 'paused', needs };
  const ends = facts.sets.flatMap(({ lastGoodAt }) => lastGoodAt ?? []);
  return { health: 'protected', needs, since: Math.max(...ends) };
}

function suspicion({ reasons, ...alarm }: Alarm): Need {
  return { kind: 'suspicious-run', ...alarm, reasons: [...reasons] };
}

/** A failed first backup is listed with its reason and a button for the next one. */
function isCoveredByFailure(need: Need, { sets }: HealthFacts): boolean {
  if (need.kind !== 'first-backup') return false;
  return sets.some(({ name, lastBackup }) => name === need.set && lastBackup?.outcome === 'failed');
}

const NO_SET: Need = { kind: 'no-set' };

/** Reasons why data could be lost now. Omits what an active backup will settle. */
function risksOf(set: SetFacts, { now, noBackupDays }: HealthFacts): Need[] {
  const risks: Need[] = [];
  if (set.damageFoundBy !== undefined)
    risks.push({ kind: 'verification-failed', set: set.name, run: set.damageFoundBy });
  if (set.isBackingUp) return risks;
  if (set.lastGoodAt === undefined) return [...risks, { kind: 'first-backup', set: set.name }];
  const days = Math.floor((now - set.lastGoodAt) / DAY_MS);
  if (noBackupDays > 0 && days >= noBackupDays) risks.push({ kind: 'no-backup-for', set: set.name, days });
  return risks;
}

function caresOf(facts: HealthFacts): Need[] {
  // Runs of the account's other computers are no risk to this one.
  const cares: Need[] = facts.alarms.filter(({ set }) => set === undefined).map(suspicion);
  const failed = facts.sets.filter((set) => !set.isBackingUp && set.lastBackup?.outcome === 'failed');
  if (failed.some((set) => hasFailedBy(set, SIGNED_OUT))) cares.push({ kind: 'signed-out' });
  const location = facts.missingLocation;
  const isMissed = failed.some((set) => hasFailedBy(set, MISSING)) || facts.sets.some(waitsForDestination);
  if (location !== undefined && isMissed) cares.push({ kind: 'destination-missing', location });
  const clock = clockCare(failed, facts);
  if (clock) cares.push(clock);
  for (const set of failed) {
    // A need above covers it.
    if (hasFailedBy(set, [...SIGNED_OUT, ...CLOCK]) || (location !== undefined && hasFailedBy(set, MISSING))) continue;
    const { failure = { code: 'internal', details: {} }, endedAt } = set.lastBackup!;
    cares.push({ kind: 'failed', set: set.name, failure, at: endedAt });
  }
  cares.push(...(facts.restores ?? []));
  if (!facts.isPhraseConfirmed) cares.push({ kind: 'phrase-unconfirmed' });
  for (const { name, newWarnings, lastBackup } of facts.sets) {
    if (newWarnings === 0 || lastBackup?.outcome !== 'warnings') continue;
    cares.push({ kind: 'warnings', set: name, run: lastBackup.id, count: newWarnings });
  }
  return cares;
}

const SIGNED_OUT: readonly string[] = ['signed_out', 'device_refused'];
const MISSING: readonly string[] = ['destination_missing'];
const CLOCK: readonly string[] = ['clock_wrong'];

/** A wrong clock, as known now or as reported by a failed backup. */
function clockCare(failed: readonly SetFacts[], { clockAheadMs }: HealthFacts): Need | undefined {
  const set = failed.find((one) => hasFailedBy(one, CLOCK));
  if (!set && clockAheadMs === undefined) return undefined;
  const failure = set?.lastBackup?.failure;
  const aheadMs = clockAheadMs ?? (failure?.code === 'clock_wrong' ? failure.details.aheadMs : undefined);
  return { kind: 'clock-wrong', ...(aheadMs !== undefined && { aheadMs }) };
}

function hasFailedBy({ lastBackup }: SetFacts, codes: readonly string[]): boolean {
  return codes.includes(lastBackup?.failure?.code ?? '');
}

/** Returns whether a care needs attention. A missing disk that is waited for does not, until `no-backup-for`. */
function isPressing(care: Need, { sets, isRunning }: HealthFacts): boolean {
  if (care.kind === 'destination-missing') return !sets.some(waitsForDestination);
  // Backups succeed as long as the service's time can be used.
  if (care.kind === 'clock-wrong') return sets.some((set) => hasFailedBy(set, CLOCK));
  // A disk that it waits for may be connected.
  if (care.kind === 'restore-unfinished') return care.failure !== undefined;
  // Without a backup the phrase is not needed.
  if (care.kind === 'phrase-unconfirmed') return isRunning || sets.some(({ lastGoodAt }) => lastGoodAt !== undefined);
  return true;
}

function waitsForDestination({ decision }: SetFacts): boolean {
  return decision.kind === 'waiting' && decision.reason.kind === 'destination';
}

/** Ignores sets that wait only because everything is paused. */
function isWaiting(decision: Decision): decision is Extract<Decision, { kind: 'waiting' }> {
  return decision.kind === 'waiting' && decision.reason.kind !== 'paused';
}

function sinceOf(cares: readonly Need[]): { since?: number } {
  const times = cares.flatMap((care) => (care.kind === 'failed' ? care.at : []));
  return times.length === 0 ? {} : { since: Math.min(...times) };
}
