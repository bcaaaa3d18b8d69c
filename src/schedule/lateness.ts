import type { Hold } from './memory.ts';
import type { EndedRun } from './ended-run.ts';
import type { LastMoment } from '../model/schedule/decision.ts';
import { MINUTE } from '../model/units.ts';

/** A time in which nothing could begin. Milliseconds since the epoch. */
export interface Gap {
  readonly kind: 'asleep' | 'off';
  readonly from: number;
  readonly to: number;
}

/** A shorter delay needs no reason. */
const LATE_MS = MINUTE;

interface Delays {
  readonly gaps: readonly Gap[];
  readonly hold: Hold | undefined;
  /** The previous run of the same set. */
  readonly before: Pick<EndedRun, 'startedAt' | 'endedAt'> | undefined;
}

/** Determines what took most of the time between a moment and its run. A pause counts while the computer sleeps, too. */
export function momentOf(dueAt: number, ranAt: number, { gaps, hold, before }: Delays): LastMoment {
  const moment = { dueAt, ranAt };
  const late = ranAt - dueAt;
  if (late <= LATE_MS) return moment;
  const asleep = overlap(gaps, 'asleep', dueAt, ranAt);
  const off = overlap(gaps, 'off', dueAt, ranAt);
  const held = hold && longestOf(hold, ranAt);
  const isPause = held?.reason.kind === 'paused' && held.milliseconds >= late / 2;
  if (!isPause && Math.max(asleep, off) >= late - asleep - off) {
    return { ...moment, lateBy: asleep < off ? 'off' : 'asleep' };
  }
  const isOver = before !== undefined && before.startedAt < dueAt && dueAt < before.endedAt;
  if (!held) return isOver ? { ...moment, lateBy: 'busy' } : moment;
  const waitedFor = held.reason;
  const isBusy = waitedFor.kind === 'busy' || waitedFor.kind === 'other-run';
  return { ...moment, lateBy: isBusy ? 'busy' : 'waited', waitedFor };
}

function overlap(gaps: readonly Gap[], kind: Gap['kind'], from: number, to: number): number {
  return gaps
    .filter((gap) => gap.kind === kind)
    .reduce((sum, gap) => sum + Math.max(0, Math.min(to, gap.to) - Math.max(from, gap.from)), 0);
}

function longestOf({ reason, reasonSince, longest }: Hold, now: number): NonNullable<Hold['longest']> {
  const milliseconds = now - reasonSince;
  return longest && longest.milliseconds > milliseconds ? longest : { reason, milliseconds };
}
