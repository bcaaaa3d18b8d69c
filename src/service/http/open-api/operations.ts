import { z } from 'zod';
import * as accounts from '../../../protocol/accounts.ts';
import * as audit from '../../../protocol/portal/audit.ts';
import * as auth from '../../../protocol/auth.ts';
import { backupPackRequest, restorePackRequest } from '../../../protocol/bodies/blob-pack.ts';
import * as backup from '../../../protocol/backup.ts';
import { billingNotice } from '../../../protocol/portal/billing.ts';
import { deviceList } from '../../../protocol/devices.ts';
import * as extensions from '../../../protocol/extensions.ts';
import * as passkeys from '../../../protocol/portal/passkeys.ts';
import * as restore from '../../../protocol/restore.ts';
import { retentionAnswer, retentionRequest } from '../../../protocol/retention.ts';
import { logoutQuery } from '../account-routes.ts';
import { deviceQuery, setQuery } from '../device-routes.ts';

/** Who may call: a person or device with an access token, or by other means. */
export type Credential = 'access-token' | 'mfa-token' | 'address' | 'none';

/** A documented operation. The schemas are those that validate requests and describe responses everywhere else. */
export interface Operation {
  readonly summary: string;
  readonly credential?: Credential;
  /** The body as JSON, or bytes. */
  readonly request?: z.ZodType | 'bytes';
  readonly query?: z.ZodObject;
  /** Without one the response has no body that a client needs. */
  readonly response?: z.ZodType | 'bytes';
  /** The status of a success; 200 by default. */
  readonly status?: number;
}

const passwordGrant = z.union([auth.mfaChallenge, auth.refreshedSession, accounts.signInChallenge]);
const list = <Item extends z.ZodType>(name: string, item: Item) => z.object({ [name]: z.array(item) });
const userSession = auth.userSession.extend({ recovery_codes: z.array(z.string()).optional() });
const packAddress = z.object({ url: z.url(), expires_in: z.number() });
const anyJson = z.record(z.string(), z.unknown());
const presignRequest = z.union([backup.backupPresignRequest, extensions.backupPresignBatchRequest]);
const presignResponse = z.union([backup.backupPresignResponse, extensions.backupPresignBatchResponse]);
const grant = z.object({ grant_type: z.enum(['password', 'refresh_token', 'pkce']) });
const grantRequest = z.union([auth.passwordGrantRequest, auth.refreshGrantRequest, accounts.pkceGrantRequest]);

/** Every operation of the service's interface and its extensions, as `METHOD /path`. The portal's own ones change with any version. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  'POST /functions/v1/backup/init': {
    summary: 'Begin a backup with its manifest; the response names the chunks that are not stored yet.',
    request: extensions.deltaInitHead.extend({
      files: z.array(z.union([backup.backupFileEntry, extensions.removedEntry])),
    }),
    response: backup.backupInitResponse,
  },
  'POST /functions/v1/backup/open': {
    summary: 'Begin a backup before its manifest is known (extension).',
    request: extensions.backupOpenRequest,
    response: extensions.backupOpenResponse,
  },
  'POST /functions/v1/backup/presign': {
    summary: 'Get an upload address for a chunk, or for many (extension).',
    request: presignRequest,
    response: presignResponse,
  },
  'POST /functions/v1/backup/progress': {
    summary: 'Report progress.',
    request: backup.backupProgressRequest,
    response: anyJson,
  },
  'POST /functions/v1/backup/complete': {
    summary: 'Complete a backup after all needed chunks are uploaded.',
    request: backup.backupCompleteRequest,
    response: backup.backupRun,
  },
  'POST /functions/v1/backup/abort': {
    summary: 'Give a backup up (extension).',
    request: extensions.backupAbortRequest,
  },
  'POST /functions/v1/backup/pack': {
    summary: 'Get an address for many small blobs in one request (extension).',
    request: backupPackRequest,
    response: packAddress,
  },
  'POST /functions/v1/restore/manifest': {
    summary: 'Begin a restore: the files as they were at a time.',
    request: extensions.reportedManifestRequest,
    response: restore.restoreManifestResponse,
  },
  'POST /functions/v1/restore/presign': {
    summary: 'Get download addresses for chunks of a restore.',
    request: restore.restorePresignRequest,
    response: restore.restorePresignResponse,
  },
  'POST /functions/v1/restore/pack': {
    summary: 'Get an address that returns many blobs in one response (extension).',
    request: restorePackRequest,
    response: packAddress,
  },
  'POST /functions/v1/restore/report': {
    summary: 'Report the start or the end of a restore (extension).',
    request: extensions.restoreReportRequest,
  },
  'GET /rest/v1/devices': { summary: 'List the devices of the account.', response: deviceList },
  'PATCH /rest/v1/devices/:device_id': { summary: 'Rename a device.', request: accounts.renameDeviceRequest },
  'DELETE /rest/v1/devices/:device_id': { summary: 'Revoke a device.' },
  'POST /functions/v1/devices': {
    summary: 'Register a device; its key is only in this response.',
    request: extensions.registerDeviceRequest,
    response: extensions.registerDeviceResponse,
  },
  'GET /functions/v1/capabilities': {
    summary: 'List the extensions of the service.',
    credential: 'none',
    response: extensions.capabilities,
  },
  'GET /functions/v1/account_key': {
    summary: 'Get the id of the key that the account backs up with.',
    response: extensions.accountKey,
  },
  'POST /functions/v1/account_key': {
    summary: 'Claim the id of the key that the account backs up with.',
    request: extensions.claimAccountKeyRequest,
    response: extensions.accountKey,
  },
  'GET /rest/v1/restore_points': {
    summary: 'List the restore points of a backup set, newest first.',
    query: setQuery,
    response: extensions.restorePointList,
  },
  'GET /rest/v1/backup_sets': {
    summary: 'List the backup sets of a device.',
    query: deviceQuery,
    response: extensions.backupSetList,
  },
  'POST /functions/v1/retention': {
    summary: 'Show, preview or change what is kept of a backup set.',
    request: retentionRequest,
    response: retentionAnswer,
  },
  'POST /functions/v1/billing/notices': {
    summary: 'Report a payment or a change of plan; signed as webhooks are.',
    credential: 'none',
    request: billingNotice,
    response: z.object({ status: z.enum(['applied', 'repeated', 'outdated']) }),
  },
  'POST /auth/v1/token': {
    summary: 'Sign in with a password, or renew an access token.',
    credential: 'none',
    query: grant,
    request: grantRequest,
    response: passwordGrant,
  },
  'POST /auth/v1/factors/:factor_id/verify': {
    summary: 'Finish signing in with a code of the second factor.',
    credential: 'mfa-token',
    request: auth.factorVerifyRequest,
    response: userSession,
  },
  'POST /functions/v1/auth/device': {
    summary: 'Authenticate a device.',
    credential: 'none',
    request: auth.deviceAuthRequest,
    response: auth.deviceSession,
  },
  'POST /auth/v1/signup': {
    summary: 'Create an account, where the service allows it.',
    credential: 'none',
    request: accounts.signupRequest,
    response: accounts.signInChallenge,
  },
  'POST /auth/v1/recover': {
    summary: 'Ask for a link by mail to choose a new password.',
    credential: 'none',
    request: accounts.recoverRequest,
  },
  'POST /auth/v1/password_reset': {
    summary: 'Choose a new password with the token of such a link.',
    credential: 'none',
    request: accounts.passwordResetRequest,
    response: accounts.signInChallenge,
  },
  'POST /auth/v1/logout': { summary: 'Sign out.', query: logoutQuery, status: 204 },
  'GET /auth/v1/user': { summary: 'Get the signed-in person.', response: accounts.accountUser },
  'PUT /auth/v1/user': {
    summary: 'Change the password.',
    request: accounts.changePasswordRequest,
    response: accounts.accountUser,
  },
  'POST /auth/v1/factors': {
    summary: 'Add a second factor, which a code confirms.',
    request: accounts.enrolFactorRequest,
    response: accounts.enrolledFactor,
  },
  'DELETE /auth/v1/factors/:factor_id': { summary: 'Remove a second factor.', request: accounts.confirmedRequest },
  'POST /auth/v1/recovery_codes': {
    summary: 'Replace the recovery codes.',
    request: accounts.confirmedRequest,
    response: z.object({ recovery_codes: z.array(z.string()) }),
  },
  'POST /auth/v1/confirmation': {
    summary: 'Confirm a sign-in by a fresh code.',
    request: accounts.confirmationRequest,
    response: accounts.confirmation,
  },
  'POST /auth/v1/confirmation/options': {
    summary: 'Ask for the signature of a passkey, to confirm a sign-in.',
    response: passkeys.passkeyOptions,
  },
  'POST /auth/v1/passkeys/options': {
    summary: 'Begin to add a passkey.',
    request: passkeys.addPasskeyRequest,
    response: passkeys.passkeyOptions,
  },
  'POST /auth/v1/passkeys': {
    summary: 'Add the passkey that a browser has made.',
    request: passkeys.passkeyRequest,
    response: passkeys.passkey,
  },
  'DELETE /auth/v1/passkeys/:passkey_id': { summary: 'Remove a passkey.', request: accounts.confirmedRequest },
  'GET /auth/v1/sessions': { summary: 'List the own sign-ins.', response: list('sessions', accounts.signInSession) },
  'DELETE /auth/v1/sessions/:session_id': { summary: 'End a sign-in.' },
  'GET /auth/v1/members': { summary: 'List the people of the account.', response: list('members', accounts.member) },
  'PATCH /auth/v1/members/:user_id': { summary: 'Change a role.', request: accounts.changeMemberRequest },
  'DELETE /auth/v1/members/:user_id': { summary: 'Remove a person.' },
  'DELETE /auth/v1/members/:user_id/factors': { summary: 'Reset the second factors of a person.' },
  'GET /auth/v1/invitations': {
    summary: 'List the open invitations.',
    response: list('invitations', accounts.invitation),
  },
  'POST /auth/v1/invitations': {
    summary: 'Invite a person.',
    request: accounts.inviteRequest,
    response: accounts.newInvitation,
  },
  'POST /auth/v1/invitations/accept': {
    summary: 'Join with an invitation.',
    credential: 'none',
    request: accounts.acceptInvitationRequest,
    response: accounts.signInChallenge,
  },
  'DELETE /auth/v1/invitations/:invitation_id': { summary: 'Withdraw an invitation.' },
  'GET /auth/v1/audit': {
    summary: 'Read the audit log, newest first.',
    query: audit.auditQuery,
    response: audit.auditPage,
  },
  'GET /auth/v1/audit/export': {
    summary: 'Export the audit log as CSV or JSON lines, newest first.',
    query: audit.auditExportQuery,
    response: 'bytes',
  },
  'GET /auth/v1/erasures': { summary: 'List the erasures.', response: list('erasures', accounts.erasure) },
  'POST /auth/v1/erasures': {
    summary: 'Request an erasure, which takes effect later.',
    request: accounts.erasureRequest,
    response: accounts.erasure,
  },
  'DELETE /auth/v1/erasures/:erasure_id': { summary: 'Cancel an erasure.' },
  'GET /auth/v1/account_data': { summary: 'Export what the account consists of.', response: anyJson },
  'GET /auth/v1/settings': {
    summary: 'Get the options before sign-in.',
    credential: 'none',
    response: accounts.authSettings,
  },
  'GET /auth/v1/authorize': {
    summary: 'Begin to sign in through an identity provider.',
    credential: 'none',
    query: accounts.authorizeQuery,
    status: 303,
  },
  'GET /auth/v1/callback': { summary: 'Return from an identity provider.', credential: 'none', status: 303 },
  'GET /.well-known/jwks.json': {
    summary: 'Get the keys that verify access tokens.',
    credential: 'none',
    response: anyJson,
  },
  'GET /openapi.json': { summary: 'Get this document.', credential: 'none', response: anyJson },
  'PUT /objects/v1/:account_id/:digest': {
    summary: 'Upload a sealed chunk to the address that presign returned.',
    credential: 'address',
    request: 'bytes',
  },
  'GET /objects/v1/:account_id/:digest': {
    summary: 'Download a sealed chunk from the address that presign returned.',
    credential: 'address',
    response: 'bytes',
  },
  'POST /objects/v1/packs/backup/:session_id': {
    summary: 'Upload a pack of sealed chunks (extension).',
    credential: 'address',
    request: 'bytes',
    response: anyJson,
  },
  'POST /objects/v1/packs/restore/:session_id': {
    summary: 'Download a pack of sealed chunks (extension).',
    credential: 'address',
    request: 'bytes',
    response: 'bytes',
  },
};
