import { isDeepStrictEqual } from 'node:util';
import { INTERNAL, type Failure } from '../../../base/errors/failure.ts';
import { GENERAL_REASONS } from '../../../ipc/general-reasons.ts';
import type { Need } from '../../../model/need.ts';
import type { Place } from '../../../model/destination.ts';
import { setThatLacks } from '../../history/set-history.ts';
import {
  named,
  waitsForDestination,
  type Concern,
  type DestinationFacts,
  type HealthFacts,
  type PlacedSet,
  type SetFacts,
} from './health-facts.ts';

const SIGNED_OUT: readonly string[] = ['signed_out', 'device_refused'];
const MISSING: readonly string[] = ['destination_missing'];
const CLOCK: readonly string[] = ['clock_wrong'];

/**
 * Returns what else needs care, the worst first. What concerns all destinations alike is one need without a destination.
 *
 * @param sets each at all destinations
 * @param late the sets that some destinations lack
 */
export function concernsOf(
  sets: readonly (readonly PlacedSet[])[],
  facts: HealthFacts,
  late: readonly Concern[],
): readonly Concern[] {
  const clock = clockConcern(sets.flat(), facts);
  return [
    ...facts.destinations.flatMap(signedOutOf),
    ...facts.destinations.flatMap(missingOf),
    ...facts.destinations.flatMap(lossesOf),
    ...(clock ? [clock] : []),
    ...sets.flatMap(failuresOf),
    ...late,
    ...(facts.restores ?? []).map((need) => ({ need, isPressing: isFailedRestore(need) })),
    ...phraseOf(sets.flat(), facts),
    ...sets.flatMap(absentFoldersOf).map((need) => ({ need, isPressing: true })),
    ...sets.flatMap(failedCommandOf).map((need) => ({ need, isPressing: true })),
    ...sets.flatMap(warningsOf).map((need) => ({ need, isPressing: true })),
    // The backups are made all the same.
    ...(facts.report ? [{ need: { kind: 'report-failed' as const, ...facts.report }, isPressing: false }] : []),
  ];
}

function signedOutOf({ sets, place }: DestinationFacts): readonly Concern[] {
  if (!sets.some((set) => hasFailedBy(set, SIGNED_OUT))) return [];
  return [{ need: { kind: 'signed-out', ...named(place) }, isPressing: true }];
}

/** A missing disk that is waited for does not need attention, until its backups are old. Without a disk to plug in, it does at once. */
function missingOf({ sets, place, missingLocation: location, isLost = false }: DestinationFacts): readonly Concern[] {
  if (location === undefined) return [];
  const isWaitedFor = !isLost && sets.some(waitsForDestination);
  if (!isLost && !isWaitedFor && !sets.some((set) => hasFailedBy(set, MISSING))) return [];
  return [{ need: { kind: 'destination-missing', location, ...named(place) }, isPressing: !isWaitedFor }];
}

/** The next backup of a set stores what restore points lack, as far as it is still on this computer. What is not, no run brings back. */
function lossesOf({ sets, place, losses }: DestinationFacts): readonly Concern[] {
  if (!losses) return [];
  const { run, files, points } = losses;
  const waiting = setThatLacks(losses, sets);
  if (!waiting) return [];
  return [
    { need: { kind: 'content-missing', set: waiting.name, run, files, points, ...named(place) }, isPressing: true },
  ];
}

/** A wrong clock, as known now or as reported by a failed backup. Backups succeed as long as the service's time can be used. */
function clockConcern(sets: readonly PlacedSet[], { clockAheadMs }: HealthFacts): Concern | undefined {
  const set = sets.find((one) => hasFailedBy(one, CLOCK));
  if (!set && clockAheadMs === undefined) return undefined;
  const failure = set?.lastBackup?.failure;
  const aheadMs = clockAheadMs ?? (failure?.code === 'clock_wrong' ? failure.details.aheadMs : undefined);
  return { need: { kind: 'clock-wrong', ...(aheadMs !== undefined && { aheadMs }) }, isPressing: set !== undefined };
}

/** The failures of a set that no other need covers: one if all destinations failed alike, as without the source. */
function failuresOf(places: readonly PlacedSet[]): readonly Concern[] {
  const failed = places.filter((place) => hasFailed(place) && !isCovered(place));
  const [first, ...others] = failed.map(failureNeed);
  if (!first) return [];
  const isAlike =
    failed.length === places.length && others.every(({ failure }) => isDeepStrictEqual(failure, first.failure));
  if (isAlike) return [{ need: first, isPressing: true }];
  return failed.map((place) => ({ need: { ...failureNeed(place), ...named(place.at.place) }, isPressing: true }));
}

function failureNeed({ name, lastBackup }: PlacedSet): Extract<Need, { kind: 'failed' }> {
  const failure: Failure = lastBackup?.failure ?? INTERNAL;
  return { kind: 'failed', set: name, failure, at: lastBackup!.endedAt };
}

function isCovered(place: PlacedSet): boolean {
  const isMissing = place.at.missingLocation !== undefined && hasFailedBy(place, MISSING);
  return isMissing || hasFailedBy(place, [...SIGNED_OUT, ...CLOCK]);
}

/** A disk that it waits for may be connected. */
function isFailedRestore(need: Need): boolean {
  return need.kind !== 'restore-unfinished' || need.failure !== undefined;
}

/** Without a backup the phrase is not needed. */
function phraseOf(sets: readonly PlacedSet[], { isPhraseConfirmed, isRunning }: HealthFacts): readonly Concern[] {
  if (isPhraseConfirmed) return [];
  const isPressing = isRunning || sets.some(({ lastGoodAt }) => lastGoodAt !== undefined);
  return [{ need: { kind: 'phrase-unconfirmed' }, isPressing }];
}

/** A folder that is missing is so for all destinations. */
function absentFoldersOf(places: readonly PlacedSet[]): readonly Need[] {
  const absent = new Map(
    places.flatMap(({ name: set, absentFolders }) =>
      absentFolders.map(({ folder, problem }) => [folder, { kind: 'folder-missing', set, folder, problem }] as const),
    ),
  );
  return [...absent.values()];
}

/** The command runs once after all destinations. */
function failedCommandOf(places: readonly PlacedSet[]): readonly Need[] {
  const failed = places.find(({ hasCommandFailed, isBackingUp }) => hasCommandFailed === true && !isBackingUp);
  return failed?.lastBackup ? [{ kind: 'command-failed', set: failed.name, run: failed.lastBackup.id }] : [];
}

/** Warnings about files, which every destination has, are one need; those about a destination itself are another. */
function warningsOf(places: readonly PlacedSet[]): readonly Need[] {
  const warned = places.filter(
    ({ newWarnings, lastBackup }) => newWarnings.length > 0 && lastBackup?.outcome === 'warnings',
  );
  const [first] = warned;
  if (!first) return [];
  const known = warned.map(({ newWarnings }) => new Set(newWarnings));
  const isShared = (text: string): boolean => warned.length > 1 && known.every((texts) => texts.has(text));
  const shared = new Set(first.newWarnings.filter(isShared));
  const own = warned.flatMap((placed) => {
    return warningNeed(
      placed,
      placed.newWarnings.filter((text) => !shared.has(text)),
      placed.at.place,
    );
  });
  return [...warningNeed(first, [...shared], undefined), ...own];
}

/** @param warnings each begins with its reason */
function warningNeed(
  { name, lastBackup }: PlacedSet,
  warnings: readonly string[],
  place: Place | undefined,
): readonly Need[] {
  if (warnings.length === 0) return [];
  const isGeneral = warnings.some((text) => GENERAL_REASONS.has(text.split(' ', 1)[0]!));
  const about = isGeneral ? { isGeneral } : {};
  return [{ kind: 'warnings', set: name, run: lastBackup!.id, count: warnings.length, ...about, ...named(place) }];
}

function hasFailed({ isBackingUp, lastBackup }: SetFacts): boolean {
  return !isBackingUp && lastBackup?.outcome === 'failed';
}

function hasFailedBy(set: SetFacts, codes: readonly string[]): boolean {
  return hasFailed(set) && codes.includes(set.lastBackup?.failure?.code ?? '');
}
