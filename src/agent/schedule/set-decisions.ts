import { decide, type Facts, type Verdict } from '../../engine/schedule/decide.ts';
import { decideVerification } from '../../engine/schedule/decide-verification.ts';
import type { Memory } from '../../engine/schedule/memory.ts';
import type { Schedule } from '../../engine/schedule/schedule.ts';
import type { ActiveRun } from '../../ipc/state.ts';
import type { ConfiguredSet } from '../../ipc/contract/configured-set.ts';
import { parseSchedule } from '../sets/schedule-spec.ts';
import type { LastRuns } from './ports.ts';

/** What is remembered of a set. */
export interface SetMemory {
  readonly backup?: Memory | undefined;
  readonly verify?: Memory | undefined;
}

/** The run that goes on. */
export type Work = Pick<ActiveRun, 'set' | 'kind' | 'startedAt' | 'trigger'>;

/** What decisions about all sets have in common. */
export interface Surroundings extends Pick<
  Facts,
  'now' | 'gaps' | 'readings' | 'networkSince' | 'pause' | 'busy' | 'absentPlace'
> {
  readonly work: Work | undefined;
  /** Without it conditions are taken as holding. */
  readonly areConditionsKnown: boolean;
}

export interface SetVerdicts {
  readonly set: ConfiguredSet;
  readonly backup: Verdict;
  /** Nothing where a set is not verified by itself. */
  readonly verify: Verdict | undefined;
}

export function decideSet(
  set: ConfiguredSet,
  memory: SetMemory,
  lastRuns: LastRuns,
  isPartial: boolean,
  { work, areConditionsKnown, ...common }: Surroundings,
): SetVerdicts {
  const facts = { ...common, conditions: areConditionsKnown ? set.conditions : undefined };
  const running = (kind: Work['kind']): Facts['running'] =>
    work && {
      set: work.set,
      isThis: work.set === set.name && work.kind === kind,
      since: work.startedAt,
      trigger: work.trigger,
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

/** One that this version does not know is left to the person. */
export function scheduleOf({ schedule = 'manual' }: ConfiguredSet): Schedule {
  try {
    return parseSchedule(schedule);
  } catch {
    return { kind: 'manual' };
  }
}
