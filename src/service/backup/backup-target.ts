import type { BackupInitHead } from '../../protocol/backup.ts';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import type { EmittedEvent } from '../../protocol/webhooks.ts';
import { deviceToBackUp } from '../auth/permissions.ts';
import type { ServiceContext } from '../context.ts';
import type { Caller } from '../caller.ts';
import { ServiceProblem } from '../request/problem.ts';
import type { BackupSession, NewSession } from '../store/backup/session-store.ts';

/** UTF-16 code units that the name of a backup set may have. */
const MAXIMUM_SET_NAME = 500;

/** What the caller may start a session for: 403, 404 or 422 where it may not. */
export async function backupTarget(
  context: ServiceContext,
  caller: Caller,
  { device_id: deviceId, backup_set: setName }: BackupInitHead,
): Promise<NewSession> {
  const device = await deviceToBackUp(context, caller, deviceId);
  if (setName.length > MAXIMUM_SET_NAME || !setName.isWellFormed()) {
    throw new ServiceProblem('unprocessable', { detail: 'backup_set is too long, or no Unicode text' });
  }
  return { accountId: device.accountId, deviceId: device.id, setName, now: context.clock.now() };
}

export function startedEvent(session: BackupSession): EmittedEvent {
  return {
    event: 'backup.started',
    data: {
      session_id: session.id,
      device_id: session.deviceId,
      device_name: session.deviceName,
      backup_set: session.setName,
      start_time: formatTimestamp(session.createdAt),
    },
  };
}
