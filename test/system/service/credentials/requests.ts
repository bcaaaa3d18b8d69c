import { createOperatorReset } from '../../../../src/service/auth/passwords/password-reset.ts';
import { chunk, deviceSignature, file, manifestEntry, STATS } from '../../../unit/service/harness.ts';
import type { TestDevice } from '../../../unit/service/harness.ts';
import { SoftwareAuthenticator } from '../../../helpers/service/software-authenticator.ts';
import { PASSWORD } from './people.ts';
import type { People } from './people.ts';

/** A request that succeeds with sufficient permissions. */
export interface Asked {
  readonly path: string;
  readonly body?: unknown;
}

export interface Situation {
  readonly people: People;
  /** The account's owner, who prepares the request. */
  readonly owner: string;
  /** The device of the request. */
  readonly target: Pick<TestDevice, 'id'>;
}

type Ask = (situation: Situation) => Promise<Asked>;

const SET = 'docs';

function asOwner({ owner, target }: Situation): TestDevice {
  return { id: target.id, key: '', token: owner };
}

/** Opens a session that awaits one new chunk. */
async function session(situation: Situation) {
  const { service } = situation.people;
  const needed = chunk(40);
  const files = [file('/fresh', [needed])];
  const init = await service.init(asOwner(situation), SET, files);
  return { id: init.body.session_id as string, needed, files, init };
}

async function restoreSession(situation: Situation) {
  const { people, owner, target } = situation;
  await people.backUp(target.id, owner);
  const { body } = await people.service.manifest(asOwner(situation), SET);
  return { id: body.restore_session_id as string, hash: body.files[0].chunks[0] as string };
}

function query({ target }: Situation): string {
  return new URLSearchParams({ device_id: target.id, backup_set: SET }).toString();
}

const registration = { name: 'New', os: 'linux', agent_version: '1' };

/** Requests by method and route pattern. */
export const REQUESTS: Readonly<Record<string, Ask>> = {
  'POST /functions/v1/backup/init': async ({ target }) => ({
    path: '/functions/v1/backup/init',
    body: { device_id: target.id, backup_set: SET, files: [manifestEntry(file('/a', ['x']))] },
  }),
  'POST /functions/v1/backup/open': async ({ target }) => ({
    path: '/functions/v1/backup/open',
    body: { device_id: target.id, backup_set: SET },
  }),
  'POST /functions/v1/backup/presign': async (situation) => {
    const { id, needed } = await session(situation);
    const body = { session_id: id, chunk_hash: needed.hash, chunk_size: needed.blob.length };
    return { path: '/functions/v1/backup/presign', body };
  },
  'POST /functions/v1/backup/progress': async (situation) => ({
    path: '/functions/v1/backup/progress',
    body: { session_id: (await session(situation)).id, chunks_uploaded: 0, chunks_total: 1, bytes_uploaded: 0 },
  }),
  'POST /functions/v1/backup/complete': async (situation) => {
    const { id, files, init } = await session(situation);
    await situation.people.service.upload(asOwner(situation), init, files);
    return { path: '/functions/v1/backup/complete', body: { session_id: id, stats: STATS } };
  },
  'POST /functions/v1/backup/abort': async (situation) => ({
    path: '/functions/v1/backup/abort',
    body: { session_id: (await session(situation)).id },
  }),
  'POST /functions/v1/backup/pack': async (situation) => ({
    path: '/functions/v1/backup/pack',
    body: { session_id: (await session(situation)).id },
  }),
  'POST /functions/v1/restore/manifest': async (situation) => {
    await restoreSession(situation);
    const body = {
      device_id: situation.target.id,
      backup_set: SET,
      point_in_time: '2100-01-01T00:00:00.000Z',
      path: '',
      recursive: true,
    };
    return { path: '/functions/v1/restore/manifest', body };
  },
  'POST /functions/v1/restore/presign': async (situation) => {
    const { id, hash } = await restoreSession(situation);
    return { path: '/functions/v1/restore/presign', body: { restore_session_id: id, chunk_hashes: [hash] } };
  },
  'POST /functions/v1/restore/pack': async (situation) => ({
    path: '/functions/v1/restore/pack',
    body: { restore_session_id: (await restoreSession(situation)).id },
  }),
  'POST /functions/v1/restore/report': async (situation) => {
    const { people, owner } = situation;
    await people.backUp(situation.target.id, owner);
    const { body } = await people.service.manifest(asOwner(situation), SET, { reported: true });
    const report = { restore_session_id: body.restore_session_id as string, state: 'started', files: 1, bytes: 1 };
    return { path: '/functions/v1/restore/report', body: report };
  },
  'GET /rest/v1/devices': async () => ({ path: '/rest/v1/devices' }),
  'GET /rest/v1/restore_points': async (situation) => {
    await restoreSession(situation);
    return { path: `/rest/v1/restore_points?${query(situation)}` };
  },
  'GET /rest/v1/backup_sets': async (situation) => ({ path: `/rest/v1/backup_sets?${query(situation)}` }),
  'GET /functions/v1/account_key': async () => ({ path: '/functions/v1/account_key' }),
  'POST /functions/v1/account_key': async ({ target }) => ({
    path: '/functions/v1/account_key',
    body: { key_id: 'key', device_id: target.id },
  }),
  'POST /functions/v1/devices': async () => ({ path: '/functions/v1/devices', body: registration }),
  'DELETE /rest/v1/devices/:device_id': async ({ people, owner }) => {
    const { body } = await people.service.post('/functions/v1/devices', owner, registration);
    return { path: `/rest/v1/devices/${body.device.id}` };
  },
  'POST /auth/v1/logout': async () => ({ path: '/auth/v1/logout', body: {} }),
  'POST /auth/v1/factors/:factor_id/verify': async ({ people }) => {
    people.forgetChallenge();
    const code = people.freshCode(people.owner);
    return { path: `/auth/v1/factors/${await people.factorId()}/verify`, body: { code } };
  },
  'PATCH /rest/v1/devices/:device_id': async ({ people }) => ({
    path: `/rest/v1/devices/${people.device.id}`,
    body: { name: 'Renamed' },
  }),
  'POST /functions/v1/retention': async (situation) => {
    await restoreSession(situation);
    const body = { action: 'apply', device_id: situation.target.id, backup_set: SET };
    return { path: '/functions/v1/retention', body };
  },
  'GET /auth/v1/user': async () => ({ path: '/auth/v1/user' }),
  'PUT /auth/v1/user': async () => ({
    path: '/auth/v1/user',
    body: { current_password: PASSWORD, password: PASSWORD },
  }),
  'POST /auth/v1/factors': async ({ people }) => ({
    path: '/auth/v1/factors',
    body: { code: people.freshCode(people.owner) },
  }),
  'DELETE /auth/v1/factors/:factor_id': async ({ people }) => {
    const code = people.freshCode(people.owner);
    return { path: `/auth/v1/factors/${await people.factorId()}`, body: { code } };
  },
  'POST /auth/v1/recovery_codes': async ({ people }) => ({
    path: '/auth/v1/recovery_codes',
    body: { code: people.freshCode(people.owner) },
  }),
  'POST /auth/v1/confirmation': async ({ people }) => ({
    path: '/auth/v1/confirmation',
    body: { code: people.freshCode(people.owner) },
  }),
  'POST /auth/v1/confirmation/options': async () => ({ path: '/auth/v1/confirmation/options', body: {} }),
  'POST /auth/v1/passkeys/options': async ({ people }) => ({
    path: '/auth/v1/passkeys/options',
    body: { friendly_name: 'Laptop', code: people.freshCode(people.owner) },
  }),
  'POST /auth/v1/passkeys': async () => ({
    path: '/auth/v1/passkeys',
    body: { credential: new SoftwareAuthenticator('http://service.test').register({ challenge: 'AAAA' }) },
  }),
  'DELETE /auth/v1/passkeys/:passkey_id': async ({ people }) => ({
    path: '/auth/v1/passkeys/AAAA',
    body: { code: people.freshCode(people.owner) },
  }),
  'GET /auth/v1/sessions': async () => ({ path: '/auth/v1/sessions' }),
  'DELETE /auth/v1/sessions/:session_id': async ({ people }) => {
    const { access } = await people.signIn(people.owner);
    const { body } = await people.service.call('GET', '/auth/v1/sessions', access);
    const sessions = body.sessions as readonly { readonly id: string; readonly current: boolean }[];
    return { path: `/auth/v1/sessions/${sessions.find(({ current }) => current)!.id}` };
  },
  'GET /auth/v1/members': async () => ({ path: '/auth/v1/members' }),
  'PATCH /auth/v1/members/:user_id': async ({ people }) => ({
    path: `/auth/v1/members/${await people.spareMember()}`,
    body: { role: 'member' },
  }),
  'DELETE /auth/v1/members/:user_id': async ({ people }) => ({
    path: `/auth/v1/members/${await people.spareMember()}`,
  }),
  'DELETE /auth/v1/members/:user_id/factors': async ({ people }) => ({
    path: `/auth/v1/members/${await people.spareMember()}/factors`,
  }),
  'GET /auth/v1/invitations': async () => ({ path: '/auth/v1/invitations' }),
  'POST /auth/v1/invitations': async ({ people }) => ({
    path: '/auth/v1/invitations',
    body: { email: people.newEmail(), role: 'member' },
  }),
  'DELETE /auth/v1/invitations/:invitation_id': async ({ people }) => ({
    path: `/auth/v1/invitations/${(await people.invite(people.newEmail(), 'member')).id}`,
  }),
  'POST /auth/v1/invitations/accept': async ({ people }) => ({
    path: '/auth/v1/invitations/accept',
    body: { token: (await people.invite(people.newEmail(), 'member')).token, password: PASSWORD },
  }),
  'GET /auth/v1/erasures': async () => ({ path: '/auth/v1/erasures' }),
  'GET /auth/v1/account_data': async () => ({ path: '/auth/v1/account_data' }),
  'POST /auth/v1/erasures': async (situation) => ({ path: '/auth/v1/erasures', body: await spareErasure(situation) }),
  'DELETE /auth/v1/erasures/:erasure_id': async (situation) => {
    const { people, owner } = situation;
    const { body } = await people.service.post('/auth/v1/erasures', owner, await spareErasure(situation));
    return { path: `/auth/v1/erasures/${body.id}` };
  },
  'POST /auth/v1/recover': async ({ people }) => ({ path: '/auth/v1/recover', body: { email: people.owner.email } }),
  'POST /auth/v1/password_reset': async ({ people }) => ({
    path: '/auth/v1/password_reset',
    body: { token: await spareReset(people), password: PASSWORD },
  }),
  'GET /auth/v1/audit': async () => ({ path: '/auth/v1/audit' }),
  'GET /auth/v1/audit/export': async () => ({ path: '/auth/v1/audit/export?format=csv' }),
  'POST /functions/v1/billing/notices': async () => ({ path: '/functions/v1/billing/notices', body: {} }),
  'GET /auth/v1/settings': async () => ({ path: '/auth/v1/settings' }),
  'GET /.well-known/jwks.json': async () => ({ path: '/.well-known/jwks.json' }),
  'GET /openapi.json': async () => ({ path: '/openapi.json' }),
  'GET /functions/v1/capabilities': async () => ({ path: '/functions/v1/capabilities' }),
  'POST /auth/v1/token': async ({ people }) => ({
    path: '/auth/v1/token?grant_type=password',
    body: { email: people.owner.email, password: PASSWORD },
  }),
  'POST /functions/v1/auth/device': async ({ people }) => {
    const { id, key } = people.device;
    people.service.clock.advance(1_000);
    const signature = deviceSignature(key, id, Math.floor(people.now / 1000));
    return { path: '/functions/v1/auth/device', body: { device_key: key, device_id: id, signature } };
  },
  'PUT /objects/v1/:account_id/:digest': async (situation) => {
    const { id, needed } = await session(situation);
    const request = { session_id: id, chunk_hash: needed.hash, chunk_size: needed.blob.length };
    const { people, owner } = situation;
    const { body } = await people.service.post('/functions/v1/backup/presign', owner, request);
    return { path: unsigned(body.upload_url as string), body: needed.blob };
  },
  'GET /objects/v1/:account_id/:digest': async (situation) => {
    const { id, hash } = await restoreSession(situation);
    const request = { restore_session_id: id, chunk_hashes: [hash] };
    const { people, owner } = situation;
    const { body } = await people.service.post('/functions/v1/restore/presign', owner, request);
    return { path: unsigned(body.downloads[0].url as string) };
  },
  'POST /objects/v1/packs/backup/:session_id': async (situation) => ({
    path: `/objects/v1/packs/backup/${(await session(situation)).id}`,
    body: new Uint8Array(4),
  }),
  'POST /objects/v1/packs/restore/:session_id': async (situation) => ({
    path: `/objects/v1/packs/restore/${(await restoreSession(situation)).id}`,
    body: new Uint8Array(4),
  }),
};

/** Returns the token of a link for a new password. */
async function spareReset(people: People): Promise<string> {
  const { metadata } = people.service.service.context;
  const user = await metadata.accounts.user(await people.spareMember());
  const { view } = await createOperatorReset(metadata, user!, people.now);
  return new URLSearchParams(view.split('?')[1]).get('token')!;
}

/** Requests the erasure of a new device. */
async function spareErasure({ people, owner }: Situation) {
  const { body } = await people.service.post('/functions/v1/devices', owner, registration);
  return { scope: 'device', device_id: body.device.id as string };
}

/** A presigned URL without its signature. */
function unsigned(address: string): string {
  return new URL(address).pathname;
}
