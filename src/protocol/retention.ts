import { z } from 'zod';
import { identifier } from './identifier.ts';
import { timestamp } from './timestamp.ts';

/** Path for retention, relative to the service's base address. */
export const RETENTION_ENDPOINT = '/functions/v1/retention';

/** Periods of which the newest restore point is kept. */
export const RETENTION_PERIODS = ['hourly', 'daily', 'weekly', 'monthly', 'yearly'] as const;
export type RetentionPeriod = (typeof RETENTION_PERIODS)[number];

const count = z.int().min(0).max(100_000).default(0);
const days = z.int().min(0).max(36_500);

/**
 * Rules for the restore points to keep. Each count is the number of latest periods with a restore point of which the newest one
 * is kept. Periods are calendar periods in `time_zone`, an IANA name; weeks begin on Monday.
 */
export const retentionPolicy = z
  .object({
    /** Keeps all restore points of this many days (of 24 hours) before the newest one. */
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

const set = { device_id: identifier, backup_set: z.string().min(1) };
const point = { ...set, backup_id: identifier };

/** A query or change. Devices may only use `show` and `preview`. */
export const retentionRequest = z.discriminatedUnion('action', [
  z.object({ action: z.literal('show'), ...set }),
  /** Previews the effect of `policy`, or by default of the set's own policy. */
  z.object({ action: z.literal('preview'), ...set, policy: retentionPolicy.optional() }),
  /** `null` keeps everything. */
  z.object({ action: z.literal('set'), ...set, policy: retentionPolicy.nullable() }),
  z.object({ action: z.literal('apply'), ...set }),
  z.object({ action: z.literal('pin'), ...point }),
  z.object({ action: z.literal('unpin'), ...point }),
  z.object({ action: z.literal('remove'), ...point }),
  /** Sets the minimum age for removals, for the set or the whole account. It can only be raised. */
  z.object({ action: z.literal('lock'), ...set, scope: z.enum(['set', 'account']), minimum_days: days }),
  /** Ends the hold on removals after suspected ransomware. */
  z.object({ action: z.literal('release'), ...set }),
]);
export type RetentionRequest = z.infer<typeof retentionRequest>;

/** `loss`: it tells that another one, which is kept, lost most of the files. */
export const KEPT_BECAUSE = ['newest', 'pinned', 'keep_all', ...RETENTION_PERIODS, 'loss'] as const;

/** `in_use`: a backup or restore is using it. */
export const retainedPoint = z.object({
  restore_point: timestamp,
  /** As in the list of restore points. */
  completed_at: timestamp.optional(),
  backup_id: identifier,
  pinned: z.boolean(),
  /** Why it is kept; empty if the policy would remove it. */
  kept_because: z.array(z.enum(KEPT_BECAUSE)),
  locked_until: timestamp.nullable(),
  in_use: z.boolean(),
});
export type RetainedPoint = z.infer<typeof retainedPoint>;

/** Bytes of unreferenced blobs, and the time at which their space is freed. */
export const freedSpace = z.object({ at: timestamp, bytes: z.int().nonnegative() });

/** `reasons` are those of `security.ransomware_detected`. */
export const suspiciousRun = z.object({ detected_at: timestamp, reasons: z.array(identifier).max(100) });
export type SuspiciousRun = z.infer<typeof suspiciousRun>;

export const retentionState = z.object({
  policy: retentionPolicy.nullable(),
  /** The newest restore point when the policy was set; null if there was none. An earlier policy may have removed what was there. */
  policy_since: timestamp.nullable().optional(),
  /** The longer one of the set's and the account's. */
  minimum_days: days,
  account_minimum_days: days,
  /** Start of the hold on removals because of suspected ransomware. */
  held_since: timestamp.nullable(),
  /** Suspicious runs of this set since then, newest first; empty if the hold is due to another set. */
  held_for: z.array(suspiciousRun).optional(),
  /** Newest first. */
  points: z.array(retainedPoint).refine(areDistinct, { message: 'has a restore point twice' }),
  /** Space of unreferenced chunks of the whole account. */
  freeing: z.array(freedSpace),
});
export type RetentionState = z.infer<typeof retentionState>;

export const retentionAnswer = z.object({
  state: retentionState,
  /** Restore points that were removed, or in a preview would be. */
  removed: z.int().nonnegative(),
  /** In a preview: the space that the removals will free, earliest first. */
  frees: z.array(freedSpace),
  /** At a destination of one's own: no other computer ever wrote there, so that a person may free at once what is freed later. */
  can_free_now: z.boolean().optional(),
  /** At a destination of one's own: it keeps what is deleted as old versions, so that its space is free only once these are gone. */
  keeps_deleted: z.boolean().optional(),
});
export type RetentionAnswer = z.infer<typeof retentionAnswer>;

function areDistinct(points: readonly RetainedPoint[]): boolean {
  return new Set(points.map(({ backup_id: id }) => id)).size === points.length;
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
