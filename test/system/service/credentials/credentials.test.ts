import { expect, test } from 'vitest';
import { BASE, TestService } from '../../../unit/service/harness.ts';
import { People } from './people.ts';
import { REQUESTS } from './requests.ts';

/*
 * Every endpoint with every kind of credential, for something that the first two may do. Invalid credentials get 401,
 * missing permissions 403, and objects of another account 404.
 */

/** Credentials of a known user or device. */
const SOMEBODY = [
  'owner',
  'admin',
  'member',
  'auditor',
  'device',
  'sibling',
  'unpermitted',
  'stranger',
  'stranger’s device',
] as const;
/** Credentials that are invalid, expired or for another purpose. */
const NOBODY = [
  'nothing',
  'no token of ours',
  'expired access token',
  'expired device token',
  'mfa_token',
  'refresh token',
  'device key',
  'revoked device',
  'ended sign-in',
] as const;
type Kind = (typeof SOMEBODY)[number] | (typeof NOBODY)[number];

type Permission = 'backup' | 'restore' | 'status';

interface Row {
  /** The permission that the unpermitted device lacks; all if unset. */
  readonly permission?: Permission;
  /** Statuses in the order of `SOMEBODY`. */
  readonly somebody: readonly [
    owner: number,
    admin: number,
    member: number,
    auditor: number,
    device: number,
    sibling: number,
    unpermitted: number,
    stranger: number,
    strangeDevice: number,
  ];
  /** Status for all of `NOBODY`; 401 by default. */
  readonly nobody?: number;
  /** The member of `NOBODY` that is the right one here. */
  readonly but?: Readonly<Partial<Record<Kind, number>>>;
}

/** Members write to the backups of the devices that they registered only. */
const SESSION: Row = { permission: 'backup', somebody: [200, 200, 403, 403, 200, 403, 403, 404, 404] };
const BEGIN: Row = { permission: 'backup', somebody: [200, 200, 403, 403, 200, 403, 403, 404, 403] };
/** A device may restore what another device of its account backed up. */
const RESTORE: Row = { permission: 'restore', somebody: [200, 200, 200, 403, 200, 200, 403, 404, 404] };
const STATUS: Row = { permission: 'status', somebody: [200, 200, 200, 200, 200, 200, 403, 404, 404] };
/** For the caller's own sign-in and user. */
const PERSONAL: Row = { somebody: [200, 200, 200, 200, 403, 403, 403, 200, 403] };
/** For the caller's own account, by its managers. */
const ADMINISTRATION: Row = { somebody: [200, 200, 403, 403, 403, 403, 403, 200, 403] };
/** For the caller's own account, by those who manage or audit it. */
const OVERSIGHT: Row = { somebody: [200, 200, 403, 200, 403, 403, 403, 200, 403] };
/** For one object of the account, by its managers. */
const MANAGED: Row = { somebody: [200, 200, 403, 403, 403, 403, 403, 404, 403] };
/** Public. */
const PUBLIC: Row = { somebody: [200, 200, 200, 200, 200, 200, 200, 200, 200], nobody: 200 };
/** Authorised by the URL only, which is invalid here. */
const UNSIGNED: Row = { somebody: [403, 403, 403, 403, 403, 403, 403, 403, 403], nobody: 403 };

const TABLE: Readonly<Record<string, Row>> = {
  'POST /functions/v1/backup/init': BEGIN,
  'POST /functions/v1/backup/open': BEGIN,
  'POST /functions/v1/backup/presign': SESSION,
  'POST /functions/v1/backup/progress': SESSION,
  'POST /functions/v1/backup/complete': SESSION,
  'POST /functions/v1/backup/abort': SESSION,
  'POST /functions/v1/backup/pack': SESSION,
  'POST /functions/v1/restore/manifest': RESTORE,
  'POST /functions/v1/restore/presign': RESTORE,
  'POST /functions/v1/restore/pack': RESTORE,
  'POST /functions/v1/restore/report': RESTORE,
  'GET /rest/v1/restore_points': STATUS,
  'GET /rest/v1/backup_sets': STATUS,
  // Everybody gets the devices of their own account.
  'GET /rest/v1/devices': { permission: 'status', somebody: [200, 200, 200, 200, 200, 200, 403, 200, 200] },
  'GET /functions/v1/account_key': { permission: 'status', somebody: [200, 200, 200, 200, 200, 200, 403, 200, 200] },
  'POST /functions/v1/account_key': BEGIN,
  // Into the caller's own account.
  'POST /functions/v1/devices': { somebody: [200, 200, 200, 403, 403, 403, 403, 200, 403] },
  'DELETE /rest/v1/devices/:device_id': MANAGED,
  'PATCH /rest/v1/devices/:device_id': MANAGED,
  'POST /functions/v1/retention': MANAGED,
  // The caller's own sign-in.
  'POST /auth/v1/logout': PERSONAL,
  'GET /auth/v1/user': PERSONAL,
  'PUT /auth/v1/user': PERSONAL,
  'GET /auth/v1/sessions': PERSONAL,
  // With a code of the owner, who has no other factor.
  'POST /auth/v1/factors': { somebody: [200, 401, 401, 401, 403, 403, 403, 401, 403] },
  'DELETE /auth/v1/factors/:factor_id': { somebody: [409, 401, 401, 401, 403, 403, 403, 401, 403] },
  'POST /auth/v1/recovery_codes': { somebody: [200, 401, 401, 401, 403, 403, 403, 401, 403] },
  'POST /auth/v1/confirmation': { somebody: [200, 401, 401, 401, 403, 403, 403, 401, 403] },
  // Browsers make no passkeys for this address; the owner has none.
  'POST /auth/v1/confirmation/options': { somebody: [404, 404, 404, 404, 403, 403, 403, 404, 403] },
  'POST /auth/v1/passkeys/options': { somebody: [404, 404, 404, 404, 403, 403, 403, 404, 403] },
  'POST /auth/v1/passkeys': { somebody: [404, 404, 404, 404, 403, 403, 403, 404, 403] },
  'DELETE /auth/v1/passkeys/:passkey_id': { somebody: [404, 401, 401, 401, 403, 403, 403, 401, 403] },
  'DELETE /auth/v1/sessions/:session_id': { somebody: [200, 404, 404, 404, 403, 403, 403, 404, 403] },
  'GET /auth/v1/members': OVERSIGHT,
  'GET /auth/v1/invitations': OVERSIGHT,
  'POST /auth/v1/invitations': ADMINISTRATION,
  'GET /auth/v1/audit': OVERSIGHT,
  'GET /auth/v1/audit/export': OVERSIGHT,
  'GET /auth/v1/erasures': OVERSIGHT,
  'GET /auth/v1/account_data': OVERSIGHT,
  'POST /auth/v1/erasures': MANAGED,
  'DELETE /auth/v1/erasures/:erasure_id': MANAGED,
  'PATCH /auth/v1/members/:user_id': MANAGED,
  'DELETE /auth/v1/members/:user_id': MANAGED,
  'DELETE /auth/v1/invitations/:invitation_id': MANAGED,
  // A member without a second factor.
  'DELETE /auth/v1/members/:user_id/factors': { somebody: [409, 409, 403, 403, 403, 403, 403, 404, 403] },
  // Signed by a payment provider, otherwise rejected.
  'POST /functions/v1/billing/notices': { somebody: [401, 401, 401, 401, 401, 401, 401, 401, 401] },
  'POST /auth/v1/invitations/accept': PUBLIC,
  'POST /auth/v1/password_reset': PUBLIC,
  // This service sends no mail.
  'POST /auth/v1/recover': { somebody: [404, 404, 404, 404, 404, 404, 404, 404, 404], nobody: 404 },
  'GET /auth/v1/settings': PUBLIC,
  'GET /.well-known/jwks.json': PUBLIC,
  'POST /auth/v1/factors/:factor_id/verify': {
    somebody: [401, 401, 401, 401, 403, 403, 403, 401, 403],
    but: { mfa_token: 200 },
  },
  'GET /functions/v1/capabilities': PUBLIC,
  'GET /openapi.json': PUBLIC,
  'POST /auth/v1/token': PUBLIC,
  'POST /functions/v1/auth/device': PUBLIC,
  'PUT /objects/v1/:account_id/:digest': UNSIGNED,
  'GET /objects/v1/:account_id/:digest': UNSIGNED,
  'POST /objects/v1/packs/backup/:session_id': UNSIGNED,
  'POST /objects/v1/packs/restore/:session_id': UNSIGNED,
};

const PERMISSIONS: readonly Permission[] = ['backup', 'restore', 'status'];

/** Fixtures of the table that are created once. */
async function prepare() {
  const people = await People.open();
  const expired = {
    access: (await people.signIn(people.owner)).access,
    device: await people.token(people.device),
  };
  people.passAnHour();
  const revoked = await people.service.register(await accountOf(people));
  const ended = await people.signIn(people.owner);
  await people.service.call('DELETE', `/rest/v1/devices/${revoked.id}`, await people.access(people.owner));
  await people.service.post('/auth/v1/logout', ended.access, {});
  const { refresh } = await people.signIn(people.owner);
  const limited = new Map<Permission | undefined, { readonly id: string; readonly token: string }>();
  limited.set(undefined, await people.withPermissions([]));
  for (const lacking of PERMISSIONS) {
    limited.set(lacking, await people.withPermissions(PERMISSIONS.filter((permission) => permission !== lacking)));
  }
  return { people, expired, refresh, revoked, ended, limited };
}
type Prepared = Awaited<ReturnType<typeof prepare>>;

async function accountOf({ service, device }: People): Promise<string> {
  return (await service.service.context.metadata.devices.find(device.id))!.accountId;
}

/** Returns the bearer token of one cell. Time advances from cell to cell, so tokens are renewed. */
async function bearer(kind: Kind, prepared: Prepared, permission: Permission | undefined): Promise<string | undefined> {
  const { people, expired, refresh, revoked, ended, limited } = prepared;
  switch (kind) {
    case 'owner':
      return people.access(people.owner);
    case 'admin':
      return people.access(people.admin);
    case 'member':
      return people.access(people.member);
    case 'auditor':
      return people.access(people.auditor);
    case 'stranger':
      return people.access(people.stranger);
    case 'device':
      return people.token(people.device);
    case 'sibling':
      return people.token(people.otherDevice);
    case 'stranger’s device':
      return people.token(people.strangeDevice);
    case 'unpermitted':
      return people.token({ ...limited.get(permission)!, key: '' });
    case 'nothing':
      return undefined;
    case 'no token of ours':
      return 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.AAAA';
    case 'expired access token':
      return expired.access;
    case 'expired device token':
      return expired.device;
    case 'mfa_token':
      return people.mfaToken();
    case 'refresh token':
      return refresh;
    case 'device key':
      return people.device.key;
    case 'revoked device':
      return people.token(revoked);
    case 'ended sign-in':
      return ended.access;
    default:
      return kind satisfies never;
  }
}

function expectedOf({ somebody, nobody, but }: Row): Readonly<Record<string, number>> {
  return Object.fromEntries([
    ...SOMEBODY.map((kind, index) => [kind, but?.[kind] ?? somebody[index]!] as const),
    ...NOBODY.map((kind) => [kind, but?.[kind] ?? nobody ?? 401] as const),
  ]);
}

test('the table has exactly one row for each request', () => {
  expect(Object.keys(TABLE).toSorted()).toEqual(Object.keys(REQUESTS).toSorted());
});

test('an endpoint without a row rejects everybody', async () => {
  const { service } = await TestService.open();
  const paths = service.routes.flatMap(({ path, methods }) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  expect(paths).toEqual(expect.arrayContaining(Object.keys(TABLE)));
  for (const name of paths.filter((one) => TABLE[one] === undefined)) {
    const [method, path] = name.split(' ') as [string, string];
    const body = method === 'GET' ? {} : { body: '{}' };
    const { status } = await service.fetch(new Request(BASE + path, { method, ...body }));
    expect.soft(status, `${name} answers those who bring nothing`).toBeGreaterThanOrEqual(400);
  }
});

// Hundreds of requests, some with password hashing: minutes on a busy machine.
test('every endpoint returns the expected status for each kind of credential', { timeout: 900_000 }, async () => {
  const prepared = await prepare();
  const { people, limited } = prepared;
  for (const [name, row] of Object.entries(TABLE)) {
    const [method] = name.split(' ') as [string];
    const answered: Record<string, number> = {};
    for (const kind of [...SOMEBODY, ...NOBODY]) {
      const target = kind === 'unpermitted' ? limited.get(row.permission)! : people.device;
      const { path, body } = await REQUESTS[name]!({ people, owner: await people.access(people.owner), target });
      const token = await bearer(kind, prepared, row.permission);
      const answer = await people.service.call(method, path, token, body);
      answered[kind] = answer.status;
      if (name === 'POST /auth/v1/logout') people.forgetAll();
      if (kind.startsWith('stranger') && method === 'GET') {
        expect.soft(JSON.stringify(answer.body), `${name} of a ${kind}`).not.toContain(people.device.id);
      }
    }
    expect.soft(answered, name).toEqual(expectedOf(row));
  }
});
