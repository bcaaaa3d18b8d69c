import { join } from 'node:path';
import { z } from 'zod';
import type { Memory } from '../../schedule/memory.ts';
import { failure } from '../../base/calls/answer.ts';
import { JsonFile } from '../../base/files/json-file.ts';
import { lastMoment, waitReason } from '../../model/schedule/decision.ts';
import type { Home } from '../home/home.ts';

const time = z.number();

const memory = z.object({
  schedule: z.string(),
  servedThrough: time,
  lastGoodAt: time.optional(),
  seenRun: time.optional(),
  ownRun: z.object({ from: time, to: time }).optional(),
  trouble: z
    .object({
      count: z.int().min(1),
      at: time,
      retryAt: time,
      isInterrupted: z.boolean(),
      resumesItself: z.boolean().optional(),
      failure,
    })
    .optional(),
  preempted: z.object({ at: time, fruitless: z.int().min(0) }).optional(),
  changes: z.object({ firstAt: time, lastAt: time }).optional(),
  notBefore: time.optional(),
  hold: z
    .object({
      since: time,
      reason: waitReason,
      reasonSince: time,
      longest: z.object({ reason: waitReason, milliseconds: z.number() }).optional(),
    })
    .optional(),
  lastMoment: lastMoment.optional(),
}) satisfies z.ZodType<Memory>;

const scheduleState = z.object({
  version: z.literal(1),
  /** The last evaluation. */
  seenAt: time,
  pause: z.object({ since: time, until: time.optional() }).optional(),
  /** Of the backups of a set to one destination or, without a destination, of its verifications or drills. */
  memories: z.array(
    z.object({ set: z.string(), destination: z.string().optional(), kind: z.literal('drill').optional(), memory }),
  ),
});
/** The scheduler's memory across restarts. Times in milliseconds since the epoch. */
export type ScheduleState = Readonly<z.infer<typeof scheduleState>>;

export function scheduleFile(home: Home): string {
  return join(home.folder, 'schedule.json');
}

/** Returns `undefined` for a missing or damaged file, which costs at most one superfluous run. */
export function loadScheduleState(home: Home): ScheduleState | undefined {
  return fileOf(home).readSync(() => undefined);
}

/** @throws HoldfastError `home_unwritable` */
export function saveScheduleState(home: Home, state: ScheduleState): void {
  fileOf(home).writeSync(state);
}

function fileOf(home: Home): JsonFile<typeof scheduleState> {
  return new JsonFile(scheduleFile(home), scheduleState);
}
