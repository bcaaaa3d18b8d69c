import type { AppState } from '../../ipc/state.ts';

/** Returns whether all backups are lost with the disk that has the files, as far as it is known. */
export function isOnOneDisk({ destinations, sets, damage }: AppState): boolean {
  if (damage || destinations.length === 0 || !sets.some(({ lastPoint }) => lastPoint)) return false;
  return destinations.every(({ isOnSourceDisk }) => isOnSourceDisk === true);
}
