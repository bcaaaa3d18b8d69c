import { formatTimestamp } from '../../protocol/timestamp.ts';
import type { ServiceContext } from '../context.ts';
import { ServiceProblem } from '../request/problem.ts';
import type { BackupSetRow, RestorePointRow } from '../backup/store/session.ts';

export interface ChosenPoint {
  readonly set: BackupSetRow;
  readonly point: RestorePointRow;
}

/**
 * Finds the newest restore point of a set at or before a time.
 *
 * @param time milliseconds since the epoch
 * @throws ServiceProblem `not_found` for an unknown set; `no_restore_point` with the first one after the time, if there is any
 */
export async function chooseRestorePoint(
  { metadata }: ServiceContext,
  deviceId: string,
  setName: string,
  time: number,
): Promise<ChosenPoint> {
  const set = await metadata.sessions.findSet(deviceId, setName);
  if (!set) throw new ServiceProblem('not_found', { detail: 'the device has no such backup set' });
  const point = await metadata.sessions.restorePointAt(set.number, time);
  if (point) return { set, point };
  const next = await metadata.sessions.restorePointAfter(set.number, time);
  throw new ServiceProblem('no_restore_point', {
    nearestRestorePoints: next ? [formatTimestamp(next.restorePoint)] : [],
  });
}
