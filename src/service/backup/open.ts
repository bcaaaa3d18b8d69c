import type { BackupInitHead } from '../../protocol/backup.ts';
import type { ServiceContext } from '../context.ts';
import type { Caller } from '../caller.ts';
import type { BackupSession } from '../store/backup/session-store.ts';
import { backupTarget, startedEvent } from './backup-target.ts';

/** Starts a session whose manifest is not known yet, and that takes any chunk until it is. */
export async function openBackup(
  context: ServiceContext,
  caller: Caller,
  head: BackupInitHead,
): Promise<BackupSession> {
  return context.metadata.sessions.wait(await backupTarget(context, caller, head), startedEvent);
}
