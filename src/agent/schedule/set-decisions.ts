import { decide, type Facts, type Verdict } from '../../engine/schedule/decide.ts';
import { decideVerification } from '../../engine/schedule/decide-verification.ts';
import type { Memory } from '../../engine/schedule/memory.ts';
import type { Schedule } from '../../engine/schedule/schedule.ts';
import type { ConfiguredSet } from '../home/settings.ts';
import { parseSchedule } from '../sets/schedule-spec.ts';
import type { LastRuns, OngoingRun } from './ports.ts';

/** The memories of a set's schedules. */
export interface SetMemory {
  readonly backup?: Memory | undefined;
  readonly verify?: Memory | undefined;
}

/** The facts that decisions about all sets share. */
export interface SharedFacts extends Pick<
  Facts,
  'now' | 'gaps' | 'readings' | 'networkSince' | 'pause' | 'busy' | 'absentLocation'
> {
  readonly ongoing: OngoingRun | undefined;
  /** While `false`, all conditions count as met. */
  readonly areConditionsKnown: boolean;
}

/** The facts of one set. */
export interface SetFacts {
  readonly memory: SetMemory;
  readonly lastRuns: LastRuns;
  /** True if some changes of the set go unnoticed. */
  readonly isPartial: boolean;
}

export interface SetVerdicts {
  readonly set: ConfiguredSet;
  readonly backup: Verdict;
  /** `undefined` if the set has no scheduled verification. */
  readonly verify: Verdict | undefined;
}

export function decideSet(
  set: ConfiguredSet,
  { memory, lastRuns, isPartial }: SetFacts,
  { ongoing, areConditionsKnown, ...shared }: SharedFacts,
): SetVerdicts {
  const facts = { ...shared, conditions: areConditionsKnown ? set.conditions : undefined };
  const running = (kind: OngoingRun['kind']): Facts['running'] =>
    ongoing && {
      set: ongoing.set,
      isThis: ongoing.set === set.name && ongoing.kind === kind,
      since: ongoing.startedAt,
      trigger: ongoing.trigger,
    };
  const backup = decide({
    ...facts,
    schedule: scheduleOf(set),
    memory: memory.backup,
    lastRun: lastRuns.backup,
    running: running('backup'),
    isPartial,
  });
  if (!set.verification) return { set, backup, verify: undefined };
  const verify = decideVerification({
    ...facts,
    everyDays: set.verification.everyDays,
    hasBackup: backup.memory.lastGoodAt !== undefined,
    memory: memory.verify,
    lastRun: lastRuns.verify,
    running: running('verify'),
  });
  return { set, backup, verify };
}

/** Parses the schedule of a set. One that this version does not know counts as manual. */
export function scheduleOf({ schedule = 'manual' }: ConfiguredSet): Schedule {
  try {
    return parseSchedule(schedule);
  } catch {
    return { kind: 'manual' };
  }
}
