import { z } from 'zod';
import { timestamp } from './timestamp.ts';

/** Path of everything about keeping and removing restore points, below the service's base address. */
export const RETENTION_ENDPOINT = '/functions/v1/retention';

/** Of each period the newest restore point stays. */
export const RETENTION_PERIODS = ['hourly', 'daily', 'weekly', 'monthly', 'yearly'] as const;
export type RetentionPeriod = (typeof RETENTION_PERIODS)[number];

const count = z.int().min(0).max(100_000).default(0);
const days = z.int().min(0).max(36_500);

/**
 * Which restore points of a set stay. A number says of how many periods that have a restore point, newest first, the newest
 * one stays. Periods are those of the calendar of `time_zone`, an IANA name; weeks begin on Monday.
 */
export const retentionPolicy = z
  .object({
    /** Everything of the last so many days (of 24 hours) before the newest restore point stays. */
    keep_all_days: days.default(0),
    hourly: count,
    daily: count,
    weekly: count,
    monthly: count,
    yearly: count,
    time_zone: z.string().max(100).refine(isTimeZone, { message: 'is no IANA time zone' }).default('UTC'),
  })
  .refine((policy) => policy.keep_all_days + RETENTION_PERIODS.reduce((sum, period) => sum + policy[period], 0) > 0, {
    message: 'the policy keeps nothing',
  });
export type RetentionPolicy = z.infer<typeof retentionPolicy>;

const set = { device_id: z.string().min(1), backup_set: z.string().min(1) };
const point = { ...set, backup_id: z.string().min(1) };

/** One question or change; all but `show` and `preview` are for people only, never for a device. */
export const retentionRequest = z.discriminatedUnion('action', [
  z.object({ action: z.literal('show'), ...set }),
  /** What `policy` would drop, or the set's own where it is left out. */
  z.object({ action: z.literal('preview'), ...set, policy: retentionPolicy.optional() }),
  /** Without a policy everything is kept. */
  z.object({ action: z.literal('set'), ...set, policy: retentionPolicy.nullable() }),
  z.object({ action: z.literal('apply'), ...set }),
  z.object({ action: z.literal('pin'), ...point }),
  z.object({ action: z.literal('unpin'), ...point }),
  z.object({ action: z.literal('remove'), ...point }),
  /** No restore point goes before it has so many days; only ever more. For the set, or the whole account. */
  z.object({ action: z.literal('lock'), ...set, scope: z.enum(['set', 'account']), minimum_days: days }),
  /** Lets restore points be removed again after something that looked like ransomware. */
  z.object({ action: z.literal('release'), ...set }),
]);
export type RetentionRequest = z.infer<typeof retentionRequest>;

export const KEPT_BECAUSE = ['newest', 'pinned', 'keep_all', ...RETENTION_PERIODS] as const;

/** `locked` until a time; `in_use` while a backup or a restore works with it. */
export const retainedPoint = z.object({
  restore_point: timestamp,
  backup_id: z.string(),
  pinned: z.boolean(),
  /** Why it stays; none where the policy drops it. */
  kept_because: z.array(z.enum(KEPT_BECAUSE)),
  locked_until: timestamp.nullable(),
  in_use: z.boolean(),
});
export type RetainedPoint = z.infer<typeof retainedPoint>;

/** Bytes of blobs that nothing else needs, and when their space comes back. */
export const freedSpace = z.object({ at: timestamp, bytes: z.int().nonnegative() });
export type FreedSpace = z.infer<typeof freedSpace>;

/** `reasons` as `security.ransomware_detected` has them. */
export const suspiciousRun = z.object({ detected_at: timestamp, reasons: z.array(z.string()) });
export type SuspiciousRun = z.infer<typeof suspiciousRun>;

export const retentionState = z.object({
  policy: retentionPolicy.nullable(),
  /** In force for the set: the longer one of its own and the account's. */
  minimum_days: days,
  account_minimum_days: days,
  /** Since when nothing is removed, because of something that looked like ransomware. */
  held_since: timestamp.nullable(),
  /** The runs of this set since then that did, newest first; it may have been one of another set. */
  held_for: z.array(suspiciousRun).optional(),
  /** Newest first. */
  points: z.array(retainedPoint),
  /** Space of chunks that nothing needs any more, of the whole account. */
  freeing: z.array(freedSpace),
});
export type RetentionState = z.infer<typeof retentionState>;

export const retentionAnswer = z.object({
  state: retentionState,
  /** Restore points that were removed, or would be now. */
  removed: z.int().nonnegative(),
  /** Of a preview: what dropping frees, once everything that is dropped can go; earliest first. */
  frees: z.array(freedSpace),
});
export type RetentionAnswer = z.infer<typeof retentionAnswer>;

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
