import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TOTP } from 'otpauth';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAccount } from '../../../../src/service/accounts.ts';
import { guessDelay } from '../../../../src/service/auth/throttle.ts';
import { openSqliteConnection } from '../../../../src/service/database/sqlite/sqlite-connection.ts';
import { deviceSignature, file, STATS, TestService, temporaryDirectory } from '../../../unit/service/harness.ts';
import type { Answer, TestDevice } from '../../../unit/service/harness.ts';
import { CHEAP } from '../../../helpers/service/cheap-passwords.ts';

const EMAIL = 'anna@example.com';
const PASSWORD = 'correct horse battery staple';

let service: TestService;
let secret: string;
let template: string;
// Password hashing is slow by design: one account is created, and each test gets a copy of it.
beforeAll(async () => {
  template = await mkdtemp(join(tmpdir(), 'holdfast-service-'));
  secret = (await createAccount(template, { email: EMAIL, password: PASSWORD }, { passwordCost: CHEAP })).totp_secret;
});
afterAll(() => rm(template, { recursive: true, force: true }));
beforeEach(async () => {
  const directory = await temporaryDirectory();
  await cp(template, directory, { recursive: true });
  service = await TestService.open(directory);
});

/** The authenticator app's code that many steps from now. */
function codeNow(steps = 0): string {
  return new TOTP({ secret }).generate({ timestamp: service.clock.now() + steps * 30_000 });
}

const password = (email = EMAIL, typed = PASSWORD): Promise<Answer> =>
  service.post('/auth/v1/token?grant_type=password', undefined, { email, password: typed });
const verify = (mfaToken: string | undefined, factorId: string, code: string): Promise<Answer> =>
  service.post(`/auth/v1/factors/${factorId}/verify`, mfaToken, { code });
const refresh = (token: string): Promise<Answer> =>
  service.post('/auth/v1/token?grant_type=refresh_token', undefined, { refresh_token: token });
const devices = (token: string | undefined): Promise<Answer> => service.call('GET', '/rest/v1/devices', token);

async function challenge(): Promise<{ mfaToken: string; factorId: string }> {
  const { body } = await password();
  return { mfaToken: body.mfa_token as string, factorId: body.factors[0].id as string };
}

async function signedIn(): Promise<{ access: string; refresh: string }> {
  const { mfaToken, factorId } = await challenge();
  const { body } = await verify(mfaToken, factorId, codeNow());
  return { access: body.access_token as string, refresh: body.refresh_token as string };
}

test('a renewal that fails halfway spends nothing: its client would look like a thief later', async () => {
  const { refresh: token } = await signedIn();
  const database = openSqliteConnection(join(service.directory, 'metadata.sqlite'));
  database.exec("CREATE TRIGGER fails BEFORE INSERT ON sign_in BEGIN SELECT RAISE(ABORT, 'no room'); END");
  expect((await refresh(token)).status).toBe(500);
  database.exec('DROP TRIGGER fails');
  database.close();
  service.clock.advance(3_600_000);
  expect((await refresh(token)).status).toBe(200);
});

describe('password and second factor', () => {
  test('return the fields of the interface', async () => {
    const first = await password();
    expect(first.status).toBe(200);
    expect(first.body).toEqual({
      mfa_required: true,
      mfa_token: expect.any(String) as string,
      factors: [
        { id: expect.stringMatching(/^fac_/) as string, type: 'totp', friendly_name: expect.any(String) as string },
      ],
    });
    const second = await verify(first.body.mfa_token as string, first.body.factors[0].id as string, codeNow());
    expect(second.status).toBe(200);
    expect(second.body).toEqual({
      access_token: expect.any(String) as string,
      refresh_token: expect.any(String) as string,
      token_type: 'bearer',
      expires_in: 3600,
      user: { id: expect.stringMatching(/^usr_/) as string, email: EMAIL, role: 'owner' },
    });
    expect((await devices(second.body.access_token as string)).status).toBe(200);
  });

  test('get the same rejection whether the account exists or not', async () => {
    const wrong = await password(EMAIL, 'wrong');
    const unknown = await password('nobody@example.com', 'wrong');
    expect(wrong).toMatchObject({ status: 401, body: { code: 'credentials_invalid' } });
    expect(unknown.body).toEqual(wrong.body);
    expect((await password('ANNA@example.com')).status).toBe(200);
  });

  test.each([
    ['too short', () => '12345'],
    ['letters', () => 'abcdef'],
    ['another', () => String((Number(codeNow()) + 1) % 1_000_000).padStart(6, '0')],
    ['one of two steps ago', () => codeNow(-2)],
    ['one of two steps ahead', () => codeNow(2)],
  ])('a code that is %s is refused', async (_, code) => {
    const { mfaToken, factorId } = await challenge();
    expect(await verify(mfaToken, factorId, code())).toMatchObject({ status: 401, body: { code: 'code_invalid' } });
  });

  test.each([-1, 0, 1])('accept a code of step %i once', async (steps) => {
    const first = await challenge();
    const second = await challenge();
    expect((await verify(first.mfaToken, first.factorId, codeNow(steps))).status).toBe(200);
    expect((await verify(second.mfaToken, second.factorId, codeNow(steps))).status).toBe(401);
  });

  test('limit an MFA token to five minutes and one sign-in', async () => {
    const { mfaToken, factorId } = await challenge();
    expect(await devices(mfaToken)).toMatchObject({ status: 401, body: { code: 'token_invalid' } });
    expect((await verify(mfaToken, 'fac_other', codeNow())).status).toBe(404);
    expect((await verify(undefined, factorId, codeNow())).status).toBe(401);
    const { access } = await signedIn();
    expect((await verify(access, factorId, codeNow(1))).status).toBe(401);
    service.clock.advance(299_000);
    expect((await verify(mfaToken, factorId, codeNow())).status).toBe(200);
    expect((await verify(mfaToken, factorId, codeNow(1))).status).toBe(401);
    const late = await challenge();
    service.clock.advance(301_000);
    expect((await verify(late.mfaToken, late.factorId, codeNow())).status).toBe(401);
  });

  test('limit wrong passwords until a correct one', async () => {
    for (let guess = 0; guess < 5; guess += 1) expect((await password(EMAIL, 'wrong')).status).toBe(401);
    const blocked = await password();
    expect(blocked).toMatchObject({ status: 429, body: { code: 'too_many_requests' } });
    expect(blocked.headers.get('retry-after')).toBe('15');
    expect((await password('bob@example.com', 'wrong')).status).toBe(401);
    service.clock.advance(15_000);
    expect((await password()).status).toBe(200);
    expect((await password(EMAIL, 'wrong')).status).toBe(401);
  });

  test('limit wrong codes', async () => {
    const { mfaToken, factorId } = await challenge();
    for (let guess = 0; guess < 5; guess += 1) await verify(mfaToken, factorId, '000000');
    expect((await verify(mfaToken, factorId, codeNow())).status).toBe(429);
    service.clock.advance(15_000);
    expect((await verify(mfaToken, factorId, codeNow())).status).toBe(200);
  });

  test('double the wait up to a quarter of an hour', () => {
    const delays = [1, 4, 5, 6, 7, 20, 2_000].map((failures) => guessDelay(failures));
    expect(delays).toEqual([0, 0, 15_000, 30_000, 60_000, 900_000, 900_000]);
  });

  test('store no secret in clear text', async () => {
    const { access, refresh: token } = await signedIn();
    const device = await service.register();
    const database = openSqliteConnection(join(service.directory, 'metadata.sqlite'));
    database.pragma('wal_checkpoint(TRUNCATE)');
    database.close();
    const bytes = await readFile(join(service.directory, 'metadata.sqlite'), 'latin1');
    for (const value of [PASSWORD, token, access, device.key]) expect(bytes).not.toContain(value);
    expect(bytes).toContain('$argon2id$v=19$');
  });
});

describe('access and refresh tokens', () => {
  test('an access token is valid for an hour', async () => {
    const { access } = await signedIn();
    service.clock.advance(3_599_000);
    expect((await devices(access)).status).toBe(200);
    service.clock.advance(2_000);
    const late = await devices(access);
    expect(late).toMatchObject({ status: 401, body: { code: 'token_invalid' } });
    expect(late.headers.get('www-authenticate')).toBe('Bearer');
  });

  test('the refresh grant returns new tokens', async () => {
    const session = await signedIn();
    const { status, body } = await refresh(session.refresh);
    expect([status, Object.keys(body as object).toSorted()]).toEqual([
      200,
      ['access_token', 'expires_in', 'refresh_token'],
    ]);
    expect(body.refresh_token).not.toBe(session.refresh);
    expect((await devices(body.access_token as string)).status).toBe(200);
    expect((await refresh(body.refresh_token as string)).status).toBe(200);
  });

  test('a refresh token works twice within ten seconds, in case the response was lost', async () => {
    const session = await signedIn();
    await refresh(session.refresh);
    service.clock.advance(10_000);
    expect((await refresh(session.refresh)).status).toBe(200);
    expect((await refresh(session.refresh)).status).toBe(401);
  });

  test('a refresh token that is reused later ends the whole sign-in', async () => {
    const session = await signedIn();
    const renewed = await refresh(session.refresh);
    service.clock.advance(10_001);
    // Its caller is cached.
    expect((await devices(renewed.body.access_token as string)).status).toBe(200);
    expect(await refresh(session.refresh)).toMatchObject({ status: 401, body: { code: 'token_invalid' } });
    expect((await refresh(renewed.body.refresh_token as string)).status).toBe(401);
    expect((await devices(renewed.body.access_token as string)).status).toBe(401);
  });

  test('signing out ends both', async () => {
    const session = await signedIn();
    expect((await service.post('/auth/v1/logout', session.access, {})).status).toBe(200);
    expect((await devices(session.access)).status).toBe(401);
    expect((await refresh(session.refresh)).status).toBe(401);
  });

  test('a refresh token is valid for sixty days', async () => {
    const session = await signedIn();
    service.clock.advance(60 * 24 * 3_600_000);
    expect((await refresh(session.refresh)).status).toBe(401);
  });

  const part = (token: string, index: number) => token.split('.')[index]!;
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  test.each([
    ['nothing', () => undefined],
    ['nonsense', () => 'nonsense'],
    ['a token without signature', (token: string) => `${part(token, 0)}.${part(token, 1)}.`],
    ['one that needs no signature', (token: string) => `${encoded({ alg: 'none' })}.${part(token, 1)}.`],
    ['changed claims', (token: string) => `${part(token, 0)}.${encoded({ sub: 'x', exp: 9e9 })}.${part(token, 2)}`],
    ['a changed signature', (token: string) => `${part(token, 0)}.${part(token, 1)}.${'A'.repeat(43)}`],
  ])('%s is no token', async (_, forge) => {
    const { access } = await signedIn();
    expect((await devices(forge(access))).status).toBe(401);
  });

  test('a token of another service is rejected', async () => {
    const { access } = await signedIn();
    const other = await TestService.open();
    expect((await other.call('GET', '/rest/v1/devices', access)).status).toBe(401);
  });

  test.each(['', '?grant_type=', '?grant_type=implicit'])('an unknown grant (%j) is malformed', async (query) => {
    expect((await service.post(`/auth/v1/token${query}`, undefined, {})).status).toBe(400);
  });
});

describe('devices', () => {
  const auth = (device: TestDevice, changes: object = {}, seconds = service.clock.now() / 1000): Promise<Answer> =>
    service.post('/functions/v1/auth/device', undefined, {
      device_key: device.key,
      device_id: device.id,
      signature: deviceSignature(device.key, device.id, seconds),
      ...changes,
    });

  test('exchange their key for a token', async () => {
    const device = await service.register();
    const { status, body } = await auth(device);
    expect(status).toBe(200);
    expect(body).toEqual({
      access_token: expect.any(String) as string,
      expires_in: 3600,
      device: { id: device.id, name: 'Anna’s laptop', permissions: ['backup', 'restore', 'status'] },
    });
    expect((await devices(body.access_token as string)).status).toBe(200);
  });

  test('use each signature once', async () => {
    const device = await service.register();
    expect((await auth(device)).status).toBe(200);
    expect(await auth(device)).toMatchObject({ status: 401, body: { code: 'signature_invalid' } });
    service.clock.advance(1_000);
    expect((await auth(device)).status).toBe(200);
  });

  test('use a signature once as long as its time is accepted', async () => {
    const device = await service.register();
    const seconds = service.clock.now() / 1000 + 300;
    expect((await auth(device, {}, seconds)).status).toBe(200);
    service.service.keepHouse();
    for (const later of [300_001, 299_999]) {
      service.clock.advance(later);
      await service.service.tidy();
      const again = await auth(device, {}, seconds);
      expect(again).toMatchObject({ status: 401, body: { code: 'signature_invalid' } });
    }
    service.clock.advance(1_000);
    await service.service.tidy();
    expect((await auth(device, {}, seconds)).body.code).toBe('signature_time_invalid');
  });

  test.each([
    [-300, 200],
    [300, 200],
    [-301, 401],
    [301, 401],
  ])('whose clock differs by %i s get %i', async (seconds, status) => {
    const device = await service.register();
    const answer = await auth(device, {}, service.clock.now() / 1000 + seconds);
    expect(answer.status).toBe(status);
    expect(answer.body.code).toBe(status === 200 ? undefined : 'signature_time_invalid');
    const expected = status === 200 ? undefined : new Date(service.clock.now()).toISOString();
    expect((answer.body as { service_time?: string }).service_time).toBe(expected);
  });

  test.each([
    ['another key', (device: TestDevice) => ({ device_key: `${device.key}x` }), 401],
    ['another device’s id', () => ({ device_id: 'dev_other' }), 401],
    [
      'a signature by another key',
      (device: TestDevice) => ({ signature: deviceSignature('x', device.id, 1_772_359_200) }),
      401,
    ],
    ['a signature of another form', () => ({ signature: 'v1=abc' }), 401],
    ['no signature', () => ({ signature: undefined }), 400],
  ])('are refused with %s', async (_, changes, status) => {
    const device = await service.register();
    expect((await auth(device, changes(device))).status).toBe(status);
  });

  test('are registered, listed and revoked by a user', async () => {
    const { access } = await signedIn();
    const request = { name: 'Bob', os: 'macos', agent_version: '2.0' };
    const { status, body } = await service.post('/functions/v1/devices', access, request);
    expect(status).toBe(200);
    expect(body).toEqual({
      device: { id: expect.any(String) as string, name: 'Bob', permissions: ['backup', 'restore', 'status'] },
      device_key: expect.any(String) as string,
    });
    const id = body.device.id as string;
    const device = { id, key: body.device_key as string, token: '' };
    const token = (await auth(device)).body.access_token as string;
    expect((await devices(access)).body.devices).toEqual([
      {
        id,
        name: 'Bob',
        os: 'macos',
        agent_version: '2.0',
        last_backup: null,
        last_seen: new Date(service.clock.now()).toISOString(),
        status: 'new',
      },
    ]);
    const run = await service.backUp({ ...device, token }, 'docs', [file('/a', ['x'])]);
    expect((await devices(token)).body.devices[0].last_backup).toBe(run.body.restore_point);
    const revoke = () => service.call('DELETE', `/rest/v1/devices/${id}`, access);
    expect([(await revoke()).status, (await revoke()).status]).toEqual([200, 404]);
    expect((await devices(access)).body.devices[0].status).toBe('revoked');
    expect(await devices(token)).toMatchObject({ status: 401, body: { code: 'token_invalid' } });
    service.clock.advance(1_000);
    expect((await auth(device)).status).toBe(401);
    // Its backups can still be read.
    const manifest = await service.manifest({ ...device, token: access }, 'docs');
    expect(manifest.body.total_files).toBe(1);
  });

  test('cannot register or revoke devices, or sign out', async () => {
    const device = await service.register();
    const request = { name: 'Eve', os: 'linux', agent_version: '1' };
    expect((await service.post('/functions/v1/devices', device.token, request)).status).toBe(403);
    expect((await service.call('DELETE', `/rest/v1/devices/${device.id}`, device.token)).status).toBe(403);
    expect((await service.post('/auth/v1/logout', device.token, {})).status).toBe(403);
  });

  test('of another account are not found', async () => {
    const { access } = await signedIn();
    const other = await service.service.context.metadata.accounts.createAccount(0);
    const stranger = await service.register(other.id);
    expect((await service.call('DELETE', `/rest/v1/devices/${stranger.id}`, access)).status).toBe(404);
    const query = `device_id=${stranger.id}&backup_set=docs`;
    expect((await service.call('GET', `/rest/v1/restore_points?${query}`, access)).status).toBe(404);
    expect((await service.call('GET', `/rest/v1/backup_sets?${query}`, access)).status).toBe(404);
  });
});

describe('permissions', () => {
  const CALLS: readonly (readonly [string, string, string, ((device: TestDevice) => object) | undefined])[] = [
    ['backup', 'POST', '/functions/v1/backup/init', (d) => ({ device_id: d.id, backup_set: 's', files: [] })],
    [
      'backup',
      'POST',
      '/functions/v1/backup/presign',
      () => ({ session_id: 's', chunk_hash: `sha256:${'0'.repeat(64)}`, chunk_size: 29 }),
    ],
    [
      'backup',
      'POST',
      '/functions/v1/backup/progress',
      () => ({ session_id: 's', chunks_uploaded: 0, chunks_total: 0, bytes_uploaded: 0 }),
    ],
    ['backup', 'POST', '/functions/v1/backup/complete', () => ({ session_id: 's', stats: STATS })],
    ['backup', 'POST', '/functions/v1/backup/abort', () => ({ session_id: 's' })],
    [
      'restore',
      'POST',
      '/functions/v1/restore/manifest',
      (d) => ({ device_id: d.id, backup_set: 's', point_in_time: '2026-01-01T00:00:00Z', path: '', recursive: true }),
    ],
    ['restore', 'POST', '/functions/v1/restore/presign', () => ({ restore_session_id: 's', chunk_hashes: [] })],
    ['status', 'GET', '/rest/v1/devices', undefined],
    ['status', 'GET', '/rest/v1/restore_points?device_id=d&backup_set=s', undefined],
    ['status', 'GET', '/rest/v1/backup_sets?device_id=d', undefined],
  ];

  test.each(CALLS)('%s is needed for %s %s', async (permission, method, path, body) => {
    for (const held of ['backup', 'restore', 'status'] as const) {
      const device = await service.register();
      const database = openSqliteConnection(join(service.directory, 'metadata.sqlite'));
      database.prepare('UPDATE device SET permissions_json = ? WHERE id = ?').run(JSON.stringify([held]), device.id);
      database.close();
      const answer = await service.call(method, path, device.token, body?.(device));
      if (held === permission) expect(answer.status).not.toBe(403);
      else expect(answer).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
    }
    const anonymous = await service.call(method, path, undefined, body?.({ id: 'd', key: '', token: '' }));
    expect(anonymous).toMatchObject({ status: 401, body: { code: 'token_missing' } });
  });
});

describe('creating accounts', () => {
  test.each([
    ['no e-mail', 'anna', PASSWORD],
    ['a short password', 'bob@example.com', 'short'],
  ])('with %s is refused', async (_, email, typed) => {
    const created = createAccount(service.directory, { email, password: typed });
    await expect(created).rejects.toMatchObject({ code: 'unprocessable' });
  });

  test('works beside the running service, once per e-mail address', async () => {
    const bob = await createAccount(service.directory, { email: 'bob@example.com', password: PASSWORD });
    expect(bob.totp_uri).toMatch(/^otpauth:\/\/totp\/Holdfast:bob%40example.com\?/);
    expect(new URL(bob.totp_uri).searchParams.get('secret')).toBe(bob.totp_secret);
    expect((await password('bob@example.com')).status).toBe(200);
    const again = createAccount(service.directory, { email: 'Bob@Example.com', password: PASSWORD });
    await expect(again).rejects.toMatchObject({ code: 'conflict' });
  });
});
