import type { Alarm } from '../alarms/alarm-file.ts';
import type { Decision, Health, LastRun, Need } from '../../../ipc/state.ts';

const DAY_MS = 86_400_000;

/** What counts of a set. */
export interface SetFacts {
  readonly name: string;
  readonly decision: Decision;
  /** A backup of it goes on. */
  readonly isBackingUp: boolean;
  /** The newest backup that ended. */
  readonly lastBackup: LastRun | undefined;
  /** When the newest backup that is whole ended, in milliseconds since the epoch. */
  readonly lastGoodAt: number | undefined;
  /** Warnings of the newest backup that are not old ones. */
  readonly newWarnings: number;
  /** The newest verification that came to its end, where it found damage. */
  readonly damageFoundBy: number | undefined;
}

/** Everything that decides how things stand. */
export interface HealthFacts {
  readonly now: number;
  readonly sets: readonly SetFacts[];
  /** Something goes on, whatever it is. */
  readonly isRunning: boolean;
  readonly isPaused: boolean;
  /** Days without a backup that are too many; 0 for never. */
  readonly noBackupDays: number;
  readonly isPhraseConfirmed: boolean;
  /** Where backups go, while it is not there. */
  readonly missingPlace: string | undefined;
  /** By how many milliseconds this computer's clock is ahead of the service's, where that is too much; negative behind it. */
  readonly clockAheadMs?: number | undefined;
  /** Runs that looked like ransomware at work, while nobody has said that they were none. */
  readonly alarms: readonly Alarm[];
  /** Of restores that have not gone on by themselves. */
  readonly restores?: readonly Need[];
}

export interface HealthVerdict {
  readonly health: Health;
  /** Since when it is so; for `protected` when the last backup ended; nothing where nobody knows. */
  readonly since?: number;
  /** The worst first: the sentence about the whole is that of the first. */
  readonly needs: readonly Need[];
}

/** How a home that was set up stands. Pure: all that it depends on is said. */
export function healthOf(facts: HealthFacts): HealthVerdict {
  const own = facts.alarms.filter(({ set }) => set !== undefined).map(suspicion);
  const risks = [...own, ...(facts.sets.length === 0 ? [NO_SET] : facts.sets.flatMap((set) => risksOf(set, facts)))];
  const cares = caresOf(facts);
  const needs = [...risks.filter((need) => !isToldByFailure(need, facts)), ...cares];
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

/** A first backup that failed is told with its reason, and its button makes the next one: a second line adds nothing. */
function isToldByFailure(need: Need, { sets }: HealthFacts): boolean {
  if (need.kind !== 'first-backup') return false;
  return sets.some(({ name, lastBackup }) => name === need.set && lastBackup?.outcome === 'failed');
}

const NO_SET: Need = { kind: 'no-set' };

/** What could be lost now. While a backup goes on, what it will settle is not asked for. */
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
  // What another computer of the account did puts nothing of this one at risk.
  const cares: Need[] = facts.alarms.filter(({ set }) => set === undefined).map(suspicion);
  const failed = facts.sets.filter((set) => !set.isBackingUp && set.lastBackup?.outcome === 'failed');
  if (failed.some((set) => hasFailedBy(set, SIGNED_OUT))) cares.push({ kind: 'signed-out' });
  const place = facts.missingPlace;
  const isMissed = failed.some((set) => hasFailedBy(set, MISSING)) || facts.sets.some(waitsForDestination);
  if (place !== undefined && isMissed) cares.push({ kind: 'destination-missing', place });
  const clock = clockCare(failed, facts);
  if (clock) cares.push(clock);
  for (const set of failed) {
    // The need above says it better, and once.
    if (hasFailedBy(set, [...SIGNED_OUT, ...CLOCK]) || (place !== undefined && hasFailedBy(set, MISSING))) continue;
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

/** What is known now of the clock, or what a backup has failed by. */
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

/** A disk that is waited for is no reason to worry before it has been away for too long. */
function isPressing(care: Need, { sets, isRunning }: HealthFacts): boolean {
  if (care.kind === 'destination-missing') return !sets.some(waitsForDestination);
  // Where the service's time can be gone by, backups go on.
  if (care.kind === 'clock-wrong') return sets.some((set) => hasFailedBy(set, CLOCK));
  // What it waits for may come by itself.
  if (care.kind === 'restore-unfinished') return care.failure !== undefined;
  // Before there is anything to open, its phrase opens nothing.
  if (care.kind === 'phrase-unconfirmed') return isRunning || sets.some(({ lastGoodAt }) => lastGoodAt !== undefined);
  return true;
}

function waitsForDestination({ decision }: SetFacts): boolean {
  return decision.kind === 'waiting' && decision.reason.kind === 'destination';
}

/** Sets that wait because everything is paused do not wait for anything of their own. */
function isWaiting(decision: Decision): decision is Extract<Decision, { kind: 'waiting' }> {
  return decision.kind === 'waiting' && decision.reason.kind !== 'paused';
}

function sinceOf(cares: readonly Need[]): { since?: number } {
  const times = cares.flatMap((care) => (care.kind === 'failed' ? care.at : []));
  return times.length === 0 ? {} : { since: Math.min(...times) };
}
