import { join } from 'node:path';
import { z } from 'zod';
import { JsonFile } from '../../../base/files/json-file.ts';
import { ALARM_REASONS } from '../../../model/need.ts';
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

const destinationRecord = z.object({
  /** The newest complete backup of each set that was checked. */
  checked: z.record(z.string(), z.int()),
  alarms: z.array(alarm),
});
/** What is known of one destination. */
export type DestinationRecord = Readonly<z.infer<typeof destinationRecord>>;

export const NOTHING_KNOWN: DestinationRecord = { checked: {}, alarms: [] };

const alarmRecord = z.object({
  version: z.literal(1),
  /** By the id of the destination. */
  destinations: z.record(z.string(), destinationRecord),
  /** The sets that a notification was sent for, with the time of the newest alarm that it covers. */
  notified: z.array(alarm.pick({ set: true, at: true })),
});
export type AlarmRecord = Readonly<z.infer<typeof alarmRecord>>;

export const NO_ALARMS: AlarmRecord = { version: 1, destinations: {}, notified: [] };

/** Combines the alarms of all destinations: one for each set, the first of several, with all reasons. */
export function combinedAlarms({ destinations }: AlarmRecord): readonly Alarm[] {
  const alarms = Object.values(destinations).flatMap((record) => record.alarms);
  return Array.from(Map.groupBy(alarms, ({ set }) => set).values(), combined);
}

function combined(ofSet: readonly Alarm[]): Alarm {
  const first = ofSet.reduce((earliest, each) => (each.at < earliest.at ? each : earliest));
  return { ...first, reasons: ALARM_REASONS.filter((reason) => ofSet.some((each) => each.reasons.includes(reason))) };
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
