import { join } from 'node:path';
import { z } from 'zod';
import { JsonFile } from '../../../base/json-file.ts';
import { ALARM_REASONS } from '../../../ipc/contract/alarm.ts';
import type { Home } from '../../home/home.ts';

/** A run that looked like ransomware at work, and for which removals are held. */
const alarm = z.object({
  /** Nothing where it was none of this computer's sets, as far as the destination tells. */
  set: z.string().optional(),
  /** When it was seen first; milliseconds since the epoch. */
  at: z.number(),
  reasons: z.array(z.enum(ALARM_REASONS)),
  /** In the journal of this computer. */
  run: z.int().optional(),
  /** The newest restore point from before it. */
  safePoint: z.string().optional(),
});
export type Alarm = Readonly<z.infer<typeof alarm>>;

const alarmRecord = z.object({
  version: z.literal(1),
  /** This computer, as the destination knows it: at another one there are other alarms. */
  device: z.string(),
  /** The newest whole backup of each set that the destination was asked about. */
  asked: z.record(z.string(), z.int()),
  alarms: z.array(alarm),
  /** Those that a person was told of. */
  told: z.array(z.string()),
});
export type AlarmRecord = Readonly<z.infer<typeof alarmRecord>>;

export function noAlarms(device: string): AlarmRecord {
  return { version: 1, device, asked: {}, alarms: [], told: [] };
}

function fileOf(home: Home): JsonFile<typeof alarmRecord> {
  return new JsonFile(join(home.folder, 'alarms.json'), alarmRecord);
}

/** Nothing where there is none that can be read: then the destination is asked once more. */
export function loadAlarms(home: Home): AlarmRecord | undefined {
  return fileOf(home).readSync(() => undefined);
}

export function saveAlarms(home: Home, record: AlarmRecord): void {
  try {
    fileOf(home).writeSync(record);
  } catch {
    // Asked and told again after the next start.
  }
}
