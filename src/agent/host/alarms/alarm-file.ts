import { join } from 'node:path';
import { z } from 'zod';
import { JsonFile } from '../../../base/json-file.ts';
import { ALARM_REASONS } from '../../../ipc/contract/alarm.ts';
import type { Home } from '../../home/home.ts';

/** A run that looked like ransomware, because of which the destination holds removals. */
const alarm = z.object({
  /** Missing if it was none of this computer's sets, as far as the destination reports. */
  set: z.string().optional(),
  /** When it was first detected; milliseconds since the epoch. */
  at: z.number(),
  reasons: z.array(z.enum(ALARM_REASONS)),
  /** Its id in this computer's journal. */
  run: z.int().optional(),
  /** The newest restore point from before it. */
  safePoint: z.string().optional(),
});
export type Alarm = Readonly<z.infer<typeof alarm>>;

const alarmRecord = z.object({
  version: z.literal(1),
  /** The id of this computer at the destination; another destination has other alarms. */
  device: z.string(),
  /** The newest complete backup of each set that was checked. */
  checked: z.record(z.string(), z.int()),
  alarms: z.array(alarm),
  /** The alarms that a notification was sent for. */
  notified: z.array(z.string()),
});
export type AlarmRecord = Readonly<z.infer<typeof alarmRecord>>;

export function noAlarms(device: string): AlarmRecord {
  return { version: 1, device, checked: {}, alarms: [], notified: [] };
}

function fileOf(home: Home): JsonFile<typeof alarmRecord> {
  return new JsonFile(join(home.folder, 'alarms.json'), alarmRecord);
}

/** Returns `undefined` if there is no readable file: then the destination is checked once more. */
export function loadAlarms(home: Home): AlarmRecord | undefined {
  return fileOf(home).readSync(() => undefined);
}

export function saveAlarms(home: Home, record: AlarmRecord): void {
  try {
    fileOf(home).writeSync(record);
  } catch {
    // It is checked and notified again after the next start.
  }
}
