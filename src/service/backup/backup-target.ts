import type { BackupInitHead } from '../../protocol/backup.ts';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import { deviceToBackUp } from '../devices/device-access.ts';
import type { ServiceContext } from '../context.ts';
import type { Caller } from '../caller.ts';
import { ServiceProblem } from '../request/problem.ts';
import type { BackupSession, NewSession } from './store/session.ts';
import { startedEvent } from './backup-events.ts';
import { requireRoomToGrow } from './room-to-grow.ts';

/** The most UTF-16 code units in the name of a backup set. */
const MAXIMUM_SET_NAME = 500;

/** Checks that the caller may start a session for a device and set. @throws ServiceProblem 403, 404 or 422 */
export async function backupTarget(
  context: ServiceContext,
  caller: Caller,
  { device_id: deviceId, backup_set: setName }: BackupInitHead,
): Promise<NewSession> {
  const device = await deviceToBackUp(context, caller, deviceId);
  if (setName.length > MAXIMUM_SET_NAME || !setName.isWellFormed()) {
    throw new ServiceProblem('unprocessable', { detail: 'backup_set is too long, or no Unicode text' });
  }
  const target = { accountId: device.accountId, deviceId: device.id, setName };
  await requireKept(context, target);
  return { ...target, now: context.clock.now() };
}

/** Refuses what goes into a set that is to be erased. @throws ServiceProblem 403 */
export async function requireKept(
  { metadata }: ServiceContext,
  { accountId, deviceId, setName }: Pick<NewSession, 'accountId' | 'deviceId' | 'setName'>,
): Promise<void> {
  const erasedAt = await metadata.erasures.dueAtOf({ accountId, deviceId, setName });
  if (erasedAt === undefined) return;
  const detail = `this backup set is to be erased at ${formatTimestamp(erasedAt)}, unless somebody cancels that`;
  throw new ServiceProblem('permission_denied', { detail });
}

/** Starts a session that accepts any chunk until its manifest arrives. */
export async function openBackup(
  context: ServiceContext,
  caller: Caller,
  head: BackupInitHead,
): Promise<BackupSession> {
  requireRoomToGrow(context);
  return context.metadata.sessions.wait(await backupTarget(context, caller, head), startedEvent);
}
