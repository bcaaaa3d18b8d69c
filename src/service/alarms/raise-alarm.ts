import type { BackupStats } from '../../protocol/backup.ts';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import type { ServiceContext } from '../context.ts';
import { alertManagers } from '../mail/alert-managers.ts';
import { judgeRun, mostFilesOf, reportedActivity } from '../../rules/ransomware.ts';

/** The session of a backup. */
interface JudgedSession {
  readonly id: string;
  readonly accountId: string;
  readonly deviceId: string;
  readonly deviceName: string;
  readonly setNumber: number;
  readonly setName: string;
}

/**
 * Evaluates a run before it completes. If it looks like ransomware, raises one alarm, and nothing of the account is
 * deleted until a person releases it. The run itself completes: it only adds a restore point.
 *
 * @param now the time of its restore point in milliseconds: every earlier one is from before the alarm
 */
export async function raiseAlarm(
  context: ServiceContext,
  session: JudgedSession,
  stats: BackupStats,
  now: number,
): Promise<void> {
  const { alarms, retention, sessions } = context.metadata;
  const changes = await alarms.changesOf(session.id);
  if (!changes) return;
  const points = await sessions.restorePoints(session.setNumber);
  const mostFiles = mostFilesOf(
    points.map(({ files, restorePoint: time }) => ({ files, time })),
    now,
  );
  const { reasons, filesRewritten, newDataPercent } = judgeRun({ ...changes, mostFiles }, reportedActivity(stats));
  if (reasons.length === 0 || (await alarms.isRaised(session.id))) return;
  const { id, accountId, deviceId, deviceName, setNumber, setName } = session;
  // First, so that a crash in between leaves nothing unprotected; the agent retries and the alarm follows.
  await retention.hold(accountId, now);
  await alarms.raise(
    { accountId, sessionId: id, deviceId, setNumber, setName, reasons, raisedAt: now },
    {
      event: 'security.ransomware_detected',
      data: {
        session_id: id,
        device_id: deviceId,
        device_name: deviceName,
        backup_set: setName,
        detected_at: formatTimestamp(now),
        reasons: [...reasons],
        files_before: changes.filesBefore,
        files_rewritten: filesRewritten,
        new_data_percent: newDataPercent,
        suspicious_names: stats.suspicious_names ?? null,
        incompressible_files: stats.incompressible_files ?? null,
        damaged_files: stats.damaged_files ?? null,
        replaced_files: stats.replaced_files ?? null,
        intact_files: stats.intact_files ?? null,
      },
    },
  );
  await alertManagers(context, accountId, 'alarm', (mail) => mail.texts.alarm(deviceName, setName, mail.link()));
}
