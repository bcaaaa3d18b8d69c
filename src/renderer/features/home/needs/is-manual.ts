import type { AppState } from '../../../../ipc/state.ts';
import type { Place } from '../../../../model/destination.ts';

/** Returns whether nothing but a person starts the backups of a set. */
export function isManual(
  { set, destination }: { set: string; destination?: Place | undefined },
  state: AppState,
): boolean {
  const own = state.sets.find(({ name }) => name === set)?.schedule;
  const there = state.destinations.find(({ id }) => id === destination?.id)?.schedule;
  return (there ?? own) === 'manual';
}
