import type { AppState, LockState } from '../../ipc/state.ts';
import { isOnOneDisk } from '../../strings/destinations/one-disk.ts';
import { partDone } from '../../strings/state-sentence.ts';

/** The state as the window may see it: all of it, or while the window is locked only the health, without names and paths. */
export function visibleState(state: AppState, lock: LockState): AppState {
  if (!lock.isLocked) return { ...state, lock };
  const { health, since, version, pause, preferences, damage, runs } = state;
  const [run] = runs;
  return {
    health,
    ...(since !== undefined && { since }),
    version,
    home: '',
    destinations: [],
    sets: [],
    runs: [],
    ...(pause && { pause }),
    needs: [],
    storage: { protectedBytes: 0 },
    days: [],
    preferences,
    ...(damage && { damage: { code: 'home_damaged', details: {} } }),
    lock: {
      ...lock,
      ...(run && { run: { kind: run.kind, part: partDone(run) } }),
      ...(isOnOneDisk(state) && { isOnOneDisk: true }),
    },
  };
}
