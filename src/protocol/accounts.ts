import { z } from 'zod';
import { identifier, opaqueToken } from './identifier.ts';
import { mfaChallenge, mfaFactor } from './auth.ts';
import { passkey, passkeyAssertion } from './portal/passkeys.ts';
import { timestamp } from './timestamp.ts';

/** Roles in an account. An auditor reads everything but the contents of backups, and changes nothing. */
export const ROLES = ['owner', 'admin', 'member', 'auditor'] as const;
export type Role = (typeof ROLES)[number];

/** Paths for accounts, relative to the service's base address; the same as GoTrue's if it has them. */
export const ACCOUNT_ENDPOINTS = {
  signup: '/auth/v1/signup',
  settings: '/auth/v1/settings',
  recover: '/auth/v1/recover',
  passwordReset: '/auth/v1/password_reset',
  logout: '/auth/v1/logout',
  user: '/auth/v1/user',
  factors: '/auth/v1/factors',
  factor: '/auth/v1/factors/:factor_id',
  recoveryCodes: '/auth/v1/recovery_codes',
  confirmation: '/auth/v1/confirmation',
  confirmationOptions: '/auth/v1/confirmation/options',
  passkeyOptions: '/auth/v1/passkeys/options',
  passkeys: '/auth/v1/passkeys',
  passkey: '/auth/v1/passkeys/:passkey_id',
  sessions: '/auth/v1/sessions',
  session: '/auth/v1/sessions/:session_id',
  members: '/auth/v1/members',
  member: '/auth/v1/members/:user_id',
  memberFactors: '/auth/v1/members/:user_id/factors',
  invitations: '/auth/v1/invitations',
  invitation: '/auth/v1/invitations/:invitation_id',
  acceptInvitation: '/auth/v1/invitations/accept',
  audit: '/auth/v1/audit',
  auditExport: '/auth/v1/audit/export',
  erasures: '/auth/v1/erasures',
  erasure: '/auth/v1/erasures/:erasure_id',
  accountData: '/auth/v1/account_data',
  keys: '/.well-known/jwks.json',
  authorize: '/auth/v1/authorize',
  callback: '/auth/v1/callback',
} as const;

/** NIST SP 800-63B requires eight characters and no other rule. The maximum bounds the cost of hashing. */
export const newPassword = z.string().min(8).max(1_000);

const email = z.email().max(254);

/** `GET /auth/v1/settings`: options before sign-in. */
export const authSettings = z.object({
  signup: z.boolean(),
  providers: z.array(z.string()),
  /** Whether the service mails links for new passwords. */
  password_reset: z.boolean(),
});

export const recoverRequest = z.object({ email });

export const passwordResetRequest = z.object({ token: opaqueToken, password: newPassword });

export const signupRequest = z.object({ email, password: newPassword });

/**
 * Response to a correct password. People without a second factor get an `enrolment_token`, valid for ten minutes, which only
 * allows enrolling one.
 */
export const signInChallenge = mfaChallenge.extend({
  enrolment_token: opaqueToken.optional(),
  /** Whether the person has a passkey, which the portal accepts as well. */
  has_passkey: z.boolean().optional(),
});
export type SignInChallenge = z.infer<typeof signInChallenge>;

/** `code` is one of a factor that the person has; without a factor, an enrolment token takes its place. */
export const enrolFactorRequest = z.object({
  friendly_name: z.string().trim().min(1).max(100).optional(),
  code: z.string().min(1).max(512).optional(),
});

/** A factor that becomes active once a code is verified. `qr_code` is a data URL of an SVG image of `uri`. */
export const enrolledFactor = mfaFactor.extend({
  totp: z.object({ secret: z.string(), uri: z.string(), qr_code: z.string() }),
});
export type EnrolledFactor = z.infer<typeof enrolledFactor>;

/** A code of the second factor, for actions that an access token alone must not allow. */
export const confirmedRequest = z.object({ code: z.string().min(1).max(512) });

/** Either a code, or the signature of a passkey. */
export const confirmationRequest = z.union([confirmedRequest, z.object({ credential: passkeyAssertion })]);
export type ConfirmationRequest = z.infer<typeof confirmationRequest>;

/** Response to a code: until when the sign-in may do what a code is needed for. */
export const confirmation = z.object({ confirmed_until: timestamp });
export type Confirmation = z.infer<typeof confirmation>;

export const accountUser = z.object({
  id: z.string(),
  email: z.string(),
  role: z.string(),
  has_password: z.boolean(),
  factors: z.array(mfaFactor),
  passkeys: z.array(passkey),
  /** False if the service has no public address for which browsers make passkeys. */
  may_add_passkeys: z.boolean(),
  recovery_codes_left: z.int().nonnegative(),
});
export type AccountUser = z.infer<typeof accountUser>;

export const changePasswordRequest = z.object({ current_password: z.string().max(1_000), password: newPassword });

export const signInSession = z.object({
  id: z.string(),
  created_at: timestamp,
  last_used_at: timestamp,
  /** Truncated to 200 characters. */
  user_agent: z.string(),
  address: z.string(),
  current: z.boolean(),
});
export type SignInSession = z.infer<typeof signInSession>;

export const member = z.object({
  id: z.string(),
  email: z.string(),
  role: z.string(),
  mfa: z.boolean(),
  created_at: timestamp,
  /** The last use of a sign-in, or the last contact of a device that this person registered, whichever is later. */
  last_active_at: timestamp.nullable(),
  /** Devices that this person registered and that are not revoked. */
  devices: z.int(),
  /** Bytes that the devices of this person may back up, and do; `null` for no limit. */
  quota_bytes: z.int().nullable(),
  used_bytes: z.int(),
});
export type Member = z.infer<typeof member>;

export const changeMemberRequest = z.union([
  z.object({ role: z.enum(ROLES) }),
  /** Bytes; `null` for no limit. */
  z.object({ quota_bytes: z.int().positive().nullable() }),
]);

export const inviteRequest = z.object({ email, role: z.enum(['admin', 'member', 'auditor']) });

export const invitation = z.object({ id: z.string(), email: z.string(), role: z.string(), expires_at: timestamp });
export type Invitation = z.infer<typeof invitation>;

/** Includes the token that allows one person to join. No other response includes it. */
export const newInvitation = invitation.extend({
  token: z.string(),
  /** Whether the invitation was also mailed. */
  mailed: z.boolean(),
  /** Whether it was not mailed because too many were, to this address or by this account. */
  mail_limited: z.boolean().optional(),
});
export type NewInvitation = z.infer<typeof newInvitation>;

export const acceptInvitationRequest = z.object({ token: opaqueToken, password: newPassword });

/** `code_challenge` is the base64url SHA-256 of the client's verifier (RFC 7636, S256). */
export const authorizeQuery = z.object({
  provider: z.string().min(1).max(512),
  redirect_to: z.url(),
  code_challenge: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  code_challenge_method: z.string().regex(/^s256$/i),
  /** The token of an invitation, which a person joins by this sign-in. */
  invitation: opaqueToken.optional(),
});
export type AuthorizeQuery = z.infer<typeof authorizeQuery>;

export const pkceGrantRequest = z.object({
  auth_code: opaqueToken,
  code_verifier: z.string().regex(/^[A-Za-z0-9._~-]{43,128}$/),
});
export type PkceGrantRequest = z.infer<typeof pkceGrantRequest>;

export const renameDeviceRequest = z.object({ name: z.string().trim().min(1).max(200) });

/** What is to be erased. Everything below it goes with it. */
export const erasureRequest = z.discriminatedUnion('scope', [
  z.object({ scope: z.literal('set'), device_id: identifier, backup_set: z.string().min(1) }),
  z.object({ scope: z.literal('device'), device_id: identifier }),
  /** A person, who may have left before, with the devices that they registered. */
  z.object({ scope: z.literal('member'), user_id: identifier }),
  z.object({ scope: z.literal('account') }),
]);
export type ErasureRequest = z.infer<typeof erasureRequest>;

/** Fields that name the erased things are `null` once they are erased, or if the scope has none. */
export const erasure = z.object({
  id: z.string(),
  scope: z.string(),
  device_id: z.string().nullable(),
  device_name: z.string().nullable(),
  backup_set: z.string().nullable(),
  user_id: z.string().nullable(),
  email: z.string().nullable(),
  requested_at: timestamp,
  /** Nothing is erased before, and until then it can be cancelled. */
  due_at: timestamp,
  erased_at: timestamp.nullable(),
});
export type Erasure = z.infer<typeof erasure>;
