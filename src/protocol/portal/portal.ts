import { z } from 'zod';
import { newPassword } from '../accounts.ts';
import { user } from '../auth.ts';
import { failedPayment } from './billing.ts';
import { passkeyAssertion } from './passkeys.ts';
import { timestamp } from '../timestamp.ts';
import { eventType } from '../webhooks.ts';

/**
 * Paths for the service's own web page. They are not part of the interface and may change with any version, since page and
 * service always have the same version. A cookie authenticates the requests.
 */
export const PORTAL_ENDPOINTS = {
  state: '/portal/v1/state',
  setUp: '/portal/v1/set-up',
  signIn: '/portal/v1/sign-in',
  verify: '/portal/v1/verify',
  passkeyOptions: '/portal/v1/passkey-options',
  enrol: '/portal/v1/enrol',
  join: '/portal/v1/join',
  recover: '/portal/v1/recover',
  reset: '/portal/v1/reset',
  provider: '/portal/v1/provider',
  signOut: '/portal/v1/sign-out',
  attention: '/portal/v1/attention',
  members: '/portal/v1/members',
  devices: '/portal/v1/devices',
  device: '/portal/v1/devices/:device_id',
  backupSets: '/portal/v1/backup-sets',
  usage: '/portal/v1/usage',
  plan: '/portal/v1/plan',
  payments: '/portal/v1/plan/payments',
  webhooks: '/portal/v1/webhooks',
  webhook: '/portal/v1/webhooks/:webhook_id',
  webhookSecret: '/portal/v1/webhooks/:webhook_id/secret',
  deliveries: '/portal/v1/webhooks/:webhook_id/deliveries',
  webhookTest: '/portal/v1/webhooks/:webhook_id/test',
  replay: '/portal/v1/webhooks/:webhook_id/replay',
  resend: '/portal/v1/webhooks/:webhook_id/deliveries/:delivery_id/resend',
} as const;

/** Prefix for paths of the interface: requests there are authenticated by the cookie in place of an access token. */
export const PORTAL_GATEWAY = '/portal/v1/api';

export const portalState = z.discriminatedUnion('kind', [
  /** The service has no account yet. */
  z.object({ kind: z.literal('set-up') }),
  /** `providers`: names of identity providers for sign-in. */
  z.object({
    kind: z.literal('signed-out'),
    providers: z.array(z.string()),
    /** Whether the service mails links for new passwords. */
    password_reset: z.boolean(),
  }),
  z.object({ kind: z.literal('signed-in'), user, account_id: z.string() }),
]);
export type PortalState = z.infer<typeof portalState>;
export type SignedIn = Extract<PortalState, { kind: 'signed-in' }>;

const token = z.string().min(1).max(4_096);

export const setUpRequest = z.object({ setup_token: token, email: z.email().max(254), password: newPassword });
export type SetUpRequest = z.infer<typeof setUpRequest>;
export const portalVerifyRequest = z.union([
  z.object({ mfa_token: token, factor_id: token, code: z.string().min(1).max(64) }),
  z.object({ mfa_token: token, credential: passkeyAssertion }),
]);
export type PortalVerifyRequest = z.infer<typeof portalVerifyRequest>;
export const portalPasskeyRequest = z.object({ mfa_token: token });
export const portalEnrolRequest = z.object({ enrolment_token: token });
/** Response to a sign-in. Recovery codes are included once, with the first factor. */
export const portalSignedIn = z.object({ recovery_codes: z.array(z.string()) });
export type PortalSignedIn = z.infer<typeof portalSignedIn>;

export const portalBackupSet = z.object({
  device_id: z.string(),
  device_name: z.string(),
  name: z.string(),
  restore_points: z.int(),
  last_restore_point: timestamp.nullable(),
  /** The files of the newest restore point. */
  files: z.int(),
  bytes: z.int(),
});
export type PortalBackupSet = z.infer<typeof portalBackupSet>;
/** One page of sets, and the number of those that match. */
export const portalBackupSets = z.object({ backup_sets: z.array(portalBackupSet), total: z.int() });
export type PortalBackupSets = z.infer<typeof portalBackupSets>;

/** One day (UTC) with at least one run. */
export const portalUsageDay = z.object({
  day: z.iso.date(),
  runs: z.int(),
  /** Plaintext bytes of all files of that day's runs. */
  bytes: z.int(),
  /** Those of them that the service did not have. */
  bytes_new: z.int(),
  /** Bytes of the account's blobs after the last run. */
  storage_used: z.int(),
});
export type PortalUsageDay = z.infer<typeof portalUsageDay>;
export const portalUsage = z.object({
  storage_used: z.int(),
  /** `null` for an account without a plan: then only the disk is a limit. */
  plan: z.object({ name: z.string(), quota: z.int().nullable() }).nullable(),
  /** Oldest first, without days that have no run. */
  days: z.array(portalUsageDay),
});
export type PortalUsage = z.infer<typeof portalUsage>;

/** Storage limit and payment state of the account. */
export const portalPlan = z.object({
  /** `null` for an account without a plan: then only the disk is a limit. */
  plan: z
    .object({
      name: z.string(),
      limit_bytes: z.int().nullable(),
      changed: timestamp,
      payment_failed: timestamp.nullable(),
    })
    .nullable(),
  storage_used: z.int(),
  /** True if the signed-in person may change it. */
  may_change: z.boolean(),
});
export type PortalPlan = z.infer<typeof portalPlan>;
export const changePlanRequest = z.object({
  name: z.string().trim().min(1).max(100),
  limit_bytes: z.int().positive().nullable(),
});
export type ChangePlanRequest = z.infer<typeof changePlanRequest>;
export const notePaymentRequest = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('failed'), ...failedPayment.shape }),
  z.object({ kind: z.literal('received') }),
]);
export type NotePaymentRequest = z.infer<typeof notePaymentRequest>;

export const portalWebhook = z.object({
  id: z.string(),
  url: z.string(),
  /** An empty list means all. */
  events: z.array(z.string()),
  created: timestamp,
  disabled: timestamp.nullable(),
  /** Why the service itself switched it off. */
  disabled_because: z.enum(['gone', 'failing']).nullable(),
  /** The first failed attempt since the last delivery that succeeded. */
  failing_since: timestamp.nullable(),
});
export type PortalWebhook = z.infer<typeof portalWebhook>;
export const portalWebhooks = z.object({ webhooks: z.array(portalWebhook) });
export type PortalWebhooks = z.infer<typeof portalWebhooks>;
export const createWebhookRequest = z.object({ url: z.string().min(1).max(2_048), events: z.array(eventType) });
export const changeWebhookRequest = z.union([z.object({ enabled: z.boolean() }), createWebhookRequest]);
export type ChangeWebhookRequest = z.infer<typeof changeWebhookRequest>;
/** Deliveries of events from `from` up to `to`. */
export const replayRequest = z.object({ from: timestamp, to: timestamp, only_given_up: z.boolean() });
export type ReplayRequest = z.infer<typeof replayRequest>;
export const replayed = z.object({ deliveries: z.int() });
export type Replayed = z.infer<typeof replayed>;

/** Shown once. */
export const webhookSecret = z.object({ webhook_id: z.string(), signing_secret: z.string() });
export type WebhookSecret = z.infer<typeof webhookSecret>;

export const portalDelivery = z.object({
  id: z.string(),
  event: z.string(),
  created: timestamp,
  attempts: z.int(),
  state: z.enum(['delivered', 'waiting', 'given-up']),
  next_attempt: timestamp.nullable(),
  last_status: z.int().nullable(),
  last_error: z.string().nullable(),
  /** The JSON that is sent. */
  body: z.string(),
});
export type PortalDelivery = z.infer<typeof portalDelivery>;
export const portalDeliveries = z.object({ deliveries: z.array(portalDelivery) });
export type PortalDeliveries = z.infer<typeof portalDeliveries>;
