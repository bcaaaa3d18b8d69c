import { decide, type Facts, type Verdict } from '../../schedule/decide.ts';
import { decideVerification, verificationRules } from '../../schedule/decide-verification.ts';
import type { EndedRun } from '../../schedule/ended-run.ts';
import type { Memory } from '../../schedule/memory.ts';
import type { Recollection } from '../../schedule/remember.ts';
import type { Schedule } from '../../model/schedule/schedule.ts';
import type { ConfiguredSet } from '../../model/set.ts';
import { parseSchedule } from '../../model/schedule/grammar.ts';
import type { OngoingRun, Scheduled, ScheduledDestination } from './ports.ts';

/** The facts that decisions about all sets share. */
export interface SharedFacts extends Pick<Facts, 'now' | 'gaps' | 'readings' | 'networkSince' | 'pause' | 'busy'> {
  readonly ongoing: OngoingRun | undefined;
  /** While `false`, all conditions count as met and all destinations as present. */
  readonly areConditionsKnown: boolean;
  /** The ids of absent destinations. */
  readonly absent: ReadonlySet<string>;
}

/** The facts of one set. */
export interface SetFacts {
  readonly memoryOf: (scheduled: Scheduled) => Memory | undefined;
  readonly lastRun: (scheduled: Scheduled) => EndedRun | undefined;
  /** True if some changes of the set go unnoticed. */
  readonly isPartial: boolean;
}

/** The verdict about the backups of a set to one destination or, without a destination, about its verifications or drills. */
export interface ScheduledVerdict {
  readonly set: ConfiguredSet;
  readonly destination: string | undefined;
  readonly kind?: Scheduled['kind'];
  readonly rules: Pick<Recollection, 'schedule' | 'finalCodes'>;
  readonly verdict: Verdict;
}

/** Decides about the backups of a set to each destination, and about its verifications and drills if they are scheduled. */
export function decideSet(
  set: ConfiguredSet,
  destinations: readonly ScheduledDestination[],
  { memoryOf, lastRun, isPartial }: SetFacts,
  { ongoing, areConditionsKnown, absent, ...shared }: SharedFacts,
): readonly ScheduledVerdict[] {
  const common = { ...shared, conditions: areConditionsKnown ? set.conditions : undefined };
  const factsOf = (scheduled: Scheduled): Omit<Facts, 'schedule'> => ({
    ...common,
    memory: memoryOf(scheduled),
    lastRun: lastRun(scheduled),
    running: ongoing && {
      set: ongoing.set,
      isThis: isOf(ongoing, scheduled),
      since: ongoing.startedAt,
      trigger: ongoing.trigger,
    },
  });
  const backups = destinations.map((destination): ScheduledVerdict => {
    const { id, location } = destination;
    const schedule = scheduleOf(set, destination);
    const absentLocation = absent.has(id) ? location : undefined;
    const facts = { ...factsOf({ set: set.name, destination: id }), schedule, absentLocation, isPartial };
    return { set, destination: id, rules: { schedule }, verdict: decide(facts) };
  });
  // A check reads from the nearest destination that is present.
  const isAnyPresent = destinations.some(({ id }) => !absent.has(id));
  const checkOf = (everyDays: number, kind: Scheduled['kind']): ScheduledVerdict => {
    const verdict = decideVerification({
      ...factsOf({ set: set.name, kind }),
      everyDays,
      hasBackup: backups.some((backup) => backup.verdict.memory.lastGoodAt !== undefined),
      absentLocation: isAnyPresent ? undefined : destinations[0]?.location,
    });
    return { set, destination: undefined, kind, rules: verificationRules(everyDays), verdict };
  };
  return [
    ...backups,
    ...(set.verification ? [checkOf(set.verification.everyDays, undefined)] : []),
    ...(set.drill ? [checkOf(set.drill.everyDays, 'drill')] : []),
  ];
}

/** Returns whether a run is one of these, and has not ended there. */
function isOf({ set, kind, destinations, remaining }: OngoingRun, scheduled: Scheduled): boolean {
  const { destination } = scheduled;
  if (set !== scheduled.set) return false;
  if (destination === undefined) return kind === (scheduled.kind ?? 'verify');
  if (kind !== 'backup' || destinations?.includes(destination) === false) return false;
  return remaining === undefined || remaining.some((target) => target.destination === destination);
}

/** Parses the schedule of a set at a destination. One that this version does not know counts as manual. */
export function scheduleOf(set: ConfiguredSet, destination: ScheduledDestination): Schedule {
  return parseSchedule(destination.schedule ?? set.schedule ?? 'manual') ?? { kind: 'manual' };
}
