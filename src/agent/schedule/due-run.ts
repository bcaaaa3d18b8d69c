import type { Start } from '../../schedule/decide.ts';
import { joins } from '../../schedule/joins-run.ts';
import type { ConfiguredSet } from '../../model/set.ts';
import type { ScheduledVerdict } from './set-decisions.ts';

/** What a run serves. */
export interface DuePart extends Pick<ScheduledVerdict, 'destination' | 'kind' | 'rules'> {
  readonly start: Start;
}

/** A run that is to begin now. */
export interface DueRun {
  readonly set: ConfiguredSet;
  readonly kind: 'backup' | 'verify' | 'drill';
  /** The destinations of a backup, at least one; of a verification or a drill, itself. The first was due first. */
  readonly parts: readonly [DuePart, ...DuePart[]];
}

/**
 * Returns the run that was due first, with all that the set is due for, so that it is read once. Backups precede
 * verifications and drills.
 *
 * @param absent the ids of absent destinations
 */
export function nextRun(
  verdicts: readonly ScheduledVerdict[],
  { now, absent }: { readonly now: number; readonly absent: ReadonlySet<string> },
): DueRun | undefined {
  const backup = firstDue(verdicts.filter(({ destination }) => destination !== undefined));
  if (!backup) {
    const check = firstDue(verdicts);
    // A set that is due for both gets one after the other.
    return check && { set: check.set, kind: check.kind ?? 'verify', parts: [check.parts[0]] };
  }
  const { set, parts } = backup;
  const served = parts.filter(({ start }) => start.moment !== undefined).map(({ rules }) => rules.schedule);
  const joining = verdicts.flatMap(({ set: other, destination, rules, verdict }): DuePart[] => {
    if (other !== set || destination === undefined || absent.has(destination)) return [];
    if (verdict.start || !joins(verdict.decision, rules.schedule, served, now)) return [];
    const moment = { dueAt: now, ranAt: now };
    return [{ destination, rules, start: { trigger: 'schedule', dueAt: now, moment } }];
  });
  return { set, kind: 'backup', parts: [...parts, ...joining] };
}

/** Returns everything of one set that is due, beginning with what was due first of all. */
function firstDue(
  verdicts: readonly ScheduledVerdict[],
): (Pick<DueRun, 'set' | 'parts'> & Pick<ScheduledVerdict, 'kind'>) | undefined {
  const due = verdicts
    .flatMap(({ set, destination, kind, rules, verdict: { start } }) =>
      start ? [{ set, destination, kind, rules, start }] : [],
    )
    .toSorted((one, other) => one.start.dueAt - other.start.dueAt);
  const [first] = due;
  if (!first) return undefined;
  const others = due.slice(1).filter(({ set }) => set === first.set);
  return { set: first.set, kind: first.kind, parts: [first, ...others] };
}
