import type { Memory } from '../../schedule/memory.ts';
import { mayPreempt } from '../../schedule/preemption.ts';
import type { Scheduled } from './ports.ts';
import type { ScheduledVerdict, SharedFacts } from './set-decisions.ts';

/** A backup that has not ended at its destination. */
export interface PreemptedBackup {
  readonly scheduled: Scheduled;
  readonly memory: Memory;
  readonly hasSent: boolean;
}

/**
 * Returns the backups that are to be ended because they only hold up others: those of the active run, at the destinations
 * that it has not ended at, when a backup to another destination is due. `undefined` if there is no reason to.
 */
export function preemptedBackups(
  verdicts: readonly ScheduledVerdict[],
  { now, ongoing }: Pick<SharedFacts, 'now' | 'ongoing'>,
  memoryOf: (scheduled: Scheduled) => Memory | undefined,
): readonly PreemptedBackup[] | undefined {
  if (!ongoing?.remaining) return undefined;
  const { set, remaining } = ongoing;
  const heldUp = verdicts.filter(
    ({ destination, verdict: { decision } }) =>
      destination !== undefined &&
      decision.kind === 'waiting' &&
      decision.reason.kind === 'other-run' &&
      remaining.every((target) => target.destination !== destination),
  );
  if (heldUp.length === 0) return undefined;
  const laggards = remaining.flatMap((target) => {
    const scheduled = { set, destination: target.destination };
    const memory = memoryOf(scheduled);
    // The destination was removed meanwhile.
    return memory ? [{ ...target, scheduled, memory, fruitless: memory.preempted?.fruitless ?? 0 }] : [];
  });
  // It was ended already, and takes a moment to do so.
  if (laggards.some(({ memory }) => (memory.preempted?.at ?? 0) > ongoing.startedAt)) return undefined;
  const isTurn = heldUp.every(({ verdict }) => verdict.memory.preempted !== undefined);
  return mayPreempt(laggards, isTurn, now) ? laggards : undefined;
}
