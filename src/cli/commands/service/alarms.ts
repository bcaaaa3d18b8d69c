import { Command } from 'commander';
import type { Alarm } from '../../../service/administration/service-alarms.ts';
import { outcome } from '../../outcome.ts';
import type { Run } from '../../runner.ts';
import { alignColumns } from '../../columns.ts';
import { printable, timeText } from '../../text.ts';
import { ownerAction, withOwner } from './owner-options.ts';

export function alarmsCommand(run: Run): Command {
  return withOwner(new Command('alarms'))
    .description('Lists runs with signs of ransomware. Nothing is removed after one until: holdfast retention release.')
    .action(
      ownerAction(run, async (owner) => {
        const { listServiceAlarms } = await import('../../../service/administration/service-alarms.ts');
        const alarms = await listServiceAlarms(owner);
        return outcome({ alarms: alarms.map(alarmJson) }, alarmLines(alarms));
      }),
    );
}

function alarmJson({ id, sessionId, deviceId, setName, reasons, raisedAt }: Alarm): object {
  return {
    alarm_id: id,
    session_id: sessionId,
    device_id: deviceId,
    backup_set: setName,
    reasons,
    raised: new Date(raisedAt).toISOString(),
  };
}

function alarmLines(alarms: readonly Alarm[]): string[] {
  if (alarms.length === 0) return ['No run showed signs of ransomware.'];
  return alignColumns(
    alarms.map(({ raisedAt, deviceId, setName, reasons }) => [
      timeText(raisedAt),
      deviceId,
      printable(setName),
      reasons.join(','),
    ]),
  );
}
