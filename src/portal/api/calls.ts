import type { z } from 'zod';
import { ACCOUNT_ENDPOINTS } from '../../protocol/accounts.ts';
import type {
  AccountUser,
  Confirmation,
  EnrolledFactor,
  Erasure,
  ErasureRequest,
  Invitation,
  Member,
  NewInvitation,
  SignInChallenge,
  SignInSession,
} from '../../protocol/accounts.ts';
import type { AuditPage } from '../../protocol/portal/audit.ts';
import type { DeviceList } from '../../protocol/devices.ts';
import { ENDPOINTS } from '../../protocol/endpoints.ts';
import type { RestorePoint } from '../../protocol/extensions.ts';
import { PORTAL_ENDPOINTS, PORTAL_GATEWAY } from '../../protocol/portal/portal.ts';
import type {
  ChangePlanRequest,
  NotePaymentRequest,
  PortalBackupSets,
  PortalDeliveries,
  PortalPlan,
  PortalSignedIn,
  PortalState,
  PortalUsage,
  PortalVerifyRequest,
  PortalWebhooks,
  Replayed,
  ReplayRequest,
  SetUpRequest,
  WebhookSecret,
} from '../../protocol/portal/portal.ts';
import type { PortalAttention, PortalDeviceDetails, PortalDevices } from '../../protocol/portal/portal-devices.ts';
import type { PortalMembers } from '../../protocol/portal/portal-members.ts';
import { RETENTION_ENDPOINT } from '../../protocol/retention.ts';
import type { RetentionAnswer, retentionRequest } from '../../protocol/retention.ts';
import type { EventType } from '../../protocol/webhooks.ts';
import { call } from './call.ts';

/** A search; parameters that are `undefined` or empty are left out. */
export type Query = Readonly<Record<string, string | number | undefined>>;

function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  return `${path}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()}`;
}

const DEVICE = `${PORTAL_GATEWAY}${ENDPOINTS.devices}/:device_id`;
const account = (name: keyof typeof ACCOUNT_ENDPOINTS): string => `${PORTAL_GATEWAY}${ACCOUNT_ENDPOINTS[name]}`;

/** Sign-in and sign-out. */
export const entrance = {
  state: (): Promise<PortalState> => call<PortalState>('GET', PORTAL_ENDPOINTS.state),
  setUp: (body: SetUpRequest): Promise<SignInChallenge> =>
    call<SignInChallenge>('POST', PORTAL_ENDPOINTS.setUp, { body }),
  signIn: (email: string, password: string): Promise<SignInChallenge> =>
    call<SignInChallenge>('POST', PORTAL_ENDPOINTS.signIn, { body: { email, password } }),
  join: (token: string, password: string): Promise<SignInChallenge> =>
    call<SignInChallenge>('POST', PORTAL_ENDPOINTS.join, { body: { token, password } }),
  /** The same answer for every address. */
  recover: (email: string): Promise<void> => call<void>('POST', PORTAL_ENDPOINTS.recover, { body: { email } }),
  reset: (token: string, password: string): Promise<SignInChallenge> =>
    call<SignInChallenge>('POST', PORTAL_ENDPOINTS.reset, { body: { token, password } }),
  enrol: (enrolmentToken: string): Promise<EnrolledFactor> =>
    call<EnrolledFactor>('POST', PORTAL_ENDPOINTS.enrol, { body: { enrolment_token: enrolmentToken } }),
  provider: (code: string, verifier: string): Promise<SignInChallenge> =>
    call<SignInChallenge>('POST', PORTAL_ENDPOINTS.provider, { body: { auth_code: code, code_verifier: verifier } }),
  verify: (body: PortalVerifyRequest): Promise<PortalSignedIn> =>
    call<PortalSignedIn>('POST', PORTAL_ENDPOINTS.verify, { body }),
  signOut: (): Promise<void> => call<void>('POST', PORTAL_ENDPOINTS.signOut),
};

export const devices = {
  /** All of them, without a page. */
  list: (): Promise<DeviceList> => call<DeviceList>('GET', `${PORTAL_GATEWAY}${ENDPOINTS.devices}`),
  page: (query: Query): Promise<PortalDevices> =>
    call<PortalDevices>('GET', withQuery(PORTAL_ENDPOINTS.devices, query)),
  details: (id: string): Promise<PortalDeviceDetails> =>
    call<PortalDeviceDetails>('GET', PORTAL_ENDPOINTS.device, { parameters: { device_id: id } }),
  attention: (): Promise<PortalAttention> => call<PortalAttention>('GET', PORTAL_ENDPOINTS.attention),
  rename: (id: string, name: string): Promise<void> =>
    call<void>('PATCH', DEVICE, { parameters: { device_id: id }, body: { name } }),
  revoke: (id: string): Promise<void> => call<void>('DELETE', DEVICE, { parameters: { device_id: id } }),
};

export const backups = {
  sets: (query: Query): Promise<PortalBackupSets> =>
    call<PortalBackupSets>('GET', withQuery(PORTAL_ENDPOINTS.backupSets, query)),
  points: (deviceId: string, set: string): Promise<{ restore_points: RestorePoint[] }> =>
    call<{ restore_points: RestorePoint[] }>(
      'GET',
      `${PORTAL_GATEWAY}${ENDPOINTS.restorePoints}?device_id=:device_id&backup_set=:backup_set`,
      { parameters: { device_id: deviceId, backup_set: set } },
    ),
  usage: (): Promise<PortalUsage> => call<PortalUsage>('GET', PORTAL_ENDPOINTS.usage),
  retention: (request: RetentionQuestion): Promise<RetentionAnswer> =>
    call<RetentionAnswer>('POST', `${PORTAL_GATEWAY}${RETENTION_ENDPOINT}`, { body: request }),
};

export const plans = {
  show: (): Promise<PortalPlan> => call<PortalPlan>('GET', PORTAL_ENDPOINTS.plan),
  change: (body: ChangePlanRequest): Promise<PortalPlan> => call<PortalPlan>('PUT', PORTAL_ENDPOINTS.plan, { body }),
  notePayment: (body: NotePaymentRequest): Promise<PortalPlan> =>
    call<PortalPlan>('POST', PORTAL_ENDPOINTS.payments, { body }),
};

export const webhooks = {
  list: (): Promise<PortalWebhooks> => call<PortalWebhooks>('GET', PORTAL_ENDPOINTS.webhooks),
  create: (url: string, events: readonly EventType[]): Promise<WebhookSecret> =>
    call<WebhookSecret>('POST', PORTAL_ENDPOINTS.webhooks, { body: { url, events } }),
  change: (id: string, url: string, events: readonly EventType[]): Promise<void> =>
    call<void>('PATCH', PORTAL_ENDPOINTS.webhook, { parameters: { webhook_id: id }, body: { url, events } }),
  setEnabled: (id: string, enabled: boolean): Promise<void> =>
    call<void>('PATCH', PORTAL_ENDPOINTS.webhook, { parameters: { webhook_id: id }, body: { enabled } }),
  remove: (id: string): Promise<void> =>
    call<void>('DELETE', PORTAL_ENDPOINTS.webhook, { parameters: { webhook_id: id } }),
  rotate: (id: string): Promise<WebhookSecret> =>
    call<WebhookSecret>('POST', PORTAL_ENDPOINTS.webhookSecret, { parameters: { webhook_id: id } }),
  deliveries: (id: string): Promise<PortalDeliveries> =>
    call<PortalDeliveries>('GET', PORTAL_ENDPOINTS.deliveries, { parameters: { webhook_id: id } }),
  test: (id: string): Promise<{ delivery_id: string }> =>
    call<{ delivery_id: string }>('POST', PORTAL_ENDPOINTS.webhookTest, { parameters: { webhook_id: id } }),
  replay: (id: string, body: ReplayRequest): Promise<Replayed> =>
    call<Replayed>('POST', PORTAL_ENDPOINTS.replay, { parameters: { webhook_id: id }, body }),
  resend: (id: string, delivery: string): Promise<void> =>
    call<void>('POST', PORTAL_ENDPOINTS.resend, { parameters: { webhook_id: id, delivery_id: delivery } }),
};

export const accounts = {
  user: (): Promise<AccountUser> => call<AccountUser>('GET', account('user')),
  changePassword: (current: string, password: string): Promise<void> =>
    call<void>('PUT', account('user'), { body: { current_password: current, password } }),
  /** @param code of a factor that the person has */
  addFactor: (name: string, code: string): Promise<EnrolledFactor> =>
    call<EnrolledFactor>('POST', account('factors'), { body: { friendly_name: name, code } }),
  confirmFactor: (id: string, code: string): Promise<Partial<PortalSignedIn>> =>
    call<Partial<PortalSignedIn>>('POST', `${account('factor')}/verify`, {
      parameters: { factor_id: id },
      body: { code },
    }),
  removeFactor: (id: string, code: string): Promise<void> =>
    call<void>('DELETE', account('factor'), { parameters: { factor_id: id }, body: { code } }),
  newRecoveryCodes: (code: string): Promise<PortalSignedIn> =>
    call<PortalSignedIn>('POST', account('recoveryCodes'), { body: { code } }),
  /** Allows this sign-in for ten minutes what takes a fresh code. */
  confirm: (code: string): Promise<Confirmation> =>
    call<Confirmation>('POST', account('confirmation'), { body: { code } }),
  sessions: (): Promise<{ sessions: SignInSession[] }> =>
    call<{ sessions: SignInSession[] }>('GET', account('sessions')),
  endSession: (id: string): Promise<void> =>
    call<void>('DELETE', account('session'), { parameters: { session_id: id } }),
};

export const team = {
  /** All of them, without a page. */
  members: (): Promise<{ members: Member[] }> => call<{ members: Member[] }>('GET', account('members')),
  invitations: (): Promise<{ invitations: Invitation[] }> =>
    call<{ invitations: Invitation[] }>('GET', account('invitations')),
  invite: (email: string, role: string): Promise<NewInvitation> =>
    call<NewInvitation>('POST', account('invitations'), { body: { email, role } }),
  withdraw: (id: string): Promise<void> =>
    call<void>('DELETE', account('invitation'), { parameters: { invitation_id: id } }),
  remove: (id: string): Promise<void> => call<void>('DELETE', account('member'), { parameters: { user_id: id } }),
  changeRole: (id: string, role: string): Promise<void> =>
    call<void>('PATCH', account('member'), { parameters: { user_id: id }, body: { role } }),
  /** @param bytes `null` for no limit */
  changeQuota: (id: string, bytes: number | null): Promise<void> =>
    call<void>('PATCH', account('member'), { parameters: { user_id: id }, body: { quota_bytes: bytes } }),
  resetFactors: (id: string): Promise<void> =>
    call<void>('DELETE', account('memberFactors'), { parameters: { user_id: id } }),
  page: (query: Query): Promise<PortalMembers> =>
    call<PortalMembers>('GET', withQuery(PORTAL_ENDPOINTS.members, query)),
};

export const audit = {
  /** Newest first. */
  page: (query: Query): Promise<AuditPage> => call<AuditPage>('GET', withQuery(account('audit'), query)),
  /** Returns the address of a file with all entries that match. */
  exportAddress: (query: Query, format: 'csv' | 'jsonl'): string =>
    withQuery(account('auditExport'), { ...query, format }),
};

export const erasures = {
  list: (): Promise<{ erasures: Erasure[] }> => call<{ erasures: Erasure[] }>('GET', account('erasures')),
  request: (body: ErasureRequest): Promise<Erasure> => call<Erasure>('POST', account('erasures'), { body }),
  cancel: (id: string): Promise<void> => call<void>('DELETE', account('erasure'), { parameters: { erasure_id: id } }),
  /** What the service knows about the account, without the contents of files. */
  accountData: (): Promise<unknown> => call<unknown>('GET', account('accountData')),
};

/** A request about the retention of a backup set, without the fields that have defaults. */
export type RetentionQuestion = z.input<typeof retentionRequest>;
