import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { decodeQR } from 'qr/decode.js';
import { encodeQR } from 'qr';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hashPassword, passwordVersion } from '../../../../src/service/auth/passwords/password.ts';
import { inRequestScope } from '../../../../src/service/request/request-scope.ts';
import type { User } from '../../../../src/service/auth/account-store.ts';
import { CAN_SIGN_IN } from '../../e2e/server.ts';
import { type Answer, TestService } from '../../../unit/service/harness.ts';
import { CHEAP } from '../../../helpers/service/cheap-passwords.ts';

const PASSWORD = 'correct horse battery staple';
const NEXT_PASSWORD = 'another horse, another battery';

let service: TestService;
let passwordHash: string;
beforeAll(async () => {
  passwordHash = await hashPassword(PASSWORD, CHEAP);
});
beforeEach(async () => {
  service = await TestService.open(undefined, undefined, undefined, undefined, { signup: true });
});

/** Computes an authenticator app's code with oathtool. */
function codeOf(secret: string, steps = 0): string {
  const at = new Date(service.clock.now() + steps * 30_000).toISOString().replace('T', ' ').slice(0, 19);
  return execFileSync('oathtool', ['--totp', '--base32', `--now=${at} UTC`, secret], { encoding: 'utf8' }).trim();
}

const post = (path: string, token: string | undefined, body: object = {}): Promise<Answer> =>
  service.post(`/auth/v1${path}`, token, body);
const get = (path: string, token: string): Promise<Answer> => service.call('GET', `/auth/v1${path}`, token);
const remove = (path: string, token: string, body?: object): Promise<Answer> =>
  service.call('DELETE', `/auth/v1${path}`, token, body);
const change = (path: string, token: string, body: object): Promise<Answer> =>
  service.call('PATCH', `/auth/v1${path}`, token, body);
const password = (email: string, typed = PASSWORD): Promise<Answer> =>
  post('/token?grant_type=password', undefined, { email, password: typed });

interface Person {
  readonly id: string;
  readonly email: string;
  readonly accountId: string;
  readonly access: string;
  readonly refresh: string;
  readonly secret: string;
  readonly factorId: string;
  readonly recoveryCodes: readonly string[];
}

/** Enrols the first factor of a user with an enrolment token. */
async function enrolled(enrolmentToken: string): Promise<Person> {
  const factor = (await post('/factors', enrolmentToken)).body;
  const { status, body } = await post(`/factors/${factor.id}/verify`, enrolmentToken, {
    code: codeOf(factor.totp.secret as string),
  });
  expect(status).toBe(200);
  const user = (await service.service.context.metadata.accounts.user(body.user.id as string))!;
  return {
    id: user.id,
    email: user.email,
    accountId: user.accountId,
    access: body.access_token as string,
    refresh: body.refresh_token as string,
    secret: factor.totp.secret as string,
    factorId: factor.id as string,
    recoveryCodes: body.recovery_codes as string[],
  };
}

/** Creates an account whose owner has just enrolled a factor, without the slow password. */
async function owner(email = 'anna@example.com'): Promise<Person> {
  const { members } = service.service.context.metadata;
  const user = await members.createAccount({ email, passwordHash, now: service.clock.now() });
  return enrolled(await enrolmentTokenOf(user!));
}

async function member(by: Person, email: string, role: 'admin' | 'member'): Promise<Person> {
  const { members } = service.service.context.metadata;
  const { body } = await post('/invitations', by.access, { email, role });
  const user = await members.accept(body.id as string, { email, passwordHash, now: service.clock.now() });
  return enrolled(await enrolmentTokenOf(user!));
}

function enrolmentTokenOf({ id, passwordHash: hash }: User): Promise<string> {
  return service.service.tokens.issueOnce(
    'enrolment',
    { sub: id, password: passwordVersion(hash) },
    service.clock.now(),
  );
}

/** Signs in again; advances the clock, since each code is valid once. */
async function signIn({ email, secret }: Person, typed = PASSWORD): Promise<{ access: string; refresh: string }> {
  service.clock.advance(60_000);
  const { body } = await password(email, typed);
  const verified = await post(`/factors/${body.factors[0].id}/verify`, body.mfa_token as string, {
    code: codeOf(secret),
  });
  expect(verified.status).toBe(200);
  return { access: verified.body.access_token as string, refresh: verified.body.refresh_token as string };
}

async function auditKinds({ accountId }: Person): Promise<string[]> {
  const entries = await service.service.context.metadata.audit.list(accountId, { limit: 100 });
  return entries.map(({ kind }) => kind);
}

describe.skipIf(!CAN_SIGN_IN)('signing up', () => {
  test('leads only to a second factor', async () => {
    const request = { email: 'anna@example.com', password: PASSWORD };
    const { status, body } = await post('/signup', undefined, request);
    expect([status, body.mfa_required, body.factors]).toEqual([200, true, []]);
    const again = await password('anna@example.com');
    expect(again.body).toMatchObject({ factors: [], enrolment_token: expect.any(String) as string });
    for (const token of [body.mfa_token, body.enrolment_token] as string[]) {
      expect((await get('/user', token)).status).toBe(401);
      expect((await service.call('GET', '/rest/v1/devices', token)).status).toBe(401);
    }
    expect((await post('/factors', body.mfa_token as string)).status).toBe(401);
    const person = await enrolled(body.enrolment_token as string);
    expect((await get('/user', person.access)).body).toEqual({
      id: person.id,
      email: 'anna@example.com',
      role: 'owner',
      has_password: true,
      factors: [{ id: person.factorId, type: 'totp', friendly_name: 'Authenticator app' }],
      passkeys: [],
      may_add_passkeys: false,
      recovery_codes_left: 10,
    });
    // With an existing factor, neither the used token nor the other one enrols another.
    expect((await post('/factors', body.enrolment_token as string)).status).toBe(401);
    expect((await post('/factors', again.body.enrolment_token as string)).status).toBe(401);
    expect((await password('anna@example.com')).body).not.toHaveProperty('enrolment_token');
  });

  test.each([
    ['an e-mail that is taken', { email: 'ANNA@example.com', password: PASSWORD }, 409],
    ['no e-mail', { email: 'anna', password: PASSWORD }, 400],
    ['a short password', { email: 'bob@example.com', password: '1234567' }, 400],
  ])('is refused with %s', async (_, request, status) => {
    await owner();
    expect((await post('/signup', undefined, request)).status).toBe(status);
  });

  test('is closed by default', async () => {
    const closed = await TestService.open();
    const request = { email: 'anna@example.com', password: PASSWORD };
    expect((await closed.post('/auth/v1/signup', undefined, request)).status).toBe(403);
    const settings = await closed.call('GET', '/auth/v1/settings');
    expect(settings.body).toEqual({ signup: false, providers: [], password_reset: false });
  });
});

describe.skipIf(!CAN_SIGN_IN)('second factors', () => {
  test('return an otpauth URI and its QR code', async () => {
    const { access, secret: present } = await owner();
    const { status, body } = await post('/factors', access, { friendly_name: 'Tablet', code: codeOf(present, 1) });
    expect([status, body.friendly_name, body.type]).toEqual([200, 'Tablet', 'totp']);
    const { secret, uri, qr_code: picture } = body.totp;
    const address = new URL(uri as string);
    expect([address.protocol, address.host, address.searchParams.get('secret')]).toEqual(['otpauth:', 'totp', secret]);
    const svg = Buffer.from((picture as string).replace('data:image/svg+xml;base64,', ''), 'base64').toString();
    expect(svg).toMatch(/^<svg[^>]* xmlns="http:\/\/www.w3.org\/2000\/svg"/);
    expect(decodeQR(pixelsOf(uri as string))).toBe(uri);
  });

  test('can be added without new recovery codes and removed, except the last one', async () => {
    const person = await owner();
    const { body } = await post('/factors', person.access, { friendly_name: 'Tablet', code: codeOf(person.secret, 1) });
    expect((await post(`/factors/${body.id}/verify`, person.access, { code: '000000' })).status).toBe(401);
    const proved = await post(`/factors/${body.id}/verify`, person.access, {
      code: codeOf(body.totp.secret as string),
    });
    expect([proved.status, proved.body]).toEqual([200, {}]);
    const drop = (id: string, code: string) => remove(`/factors/${id}`, person.access, { code });
    expect((await drop(person.factorId, '000000')).status).toBe(401);
    service.clock.advance(60_000);
    expect((await drop('fac_other', codeOf(person.secret))).status).toBe(404);
    service.clock.advance(60_000);
    expect((await drop(person.factorId, codeOf(person.secret))).status).toBe(200);
    expect((await drop(body.id as string, codeOf(body.totp.secret as string))).status).toBe(409);
    expect(await auditKinds(person)).toEqual(
      expect.arrayContaining(['account.created', 'factor.added', 'factor.removed', 'sign_in.succeeded']),
    );
  });

  test.each([
    ['no code', () => ({})],
    ['a wrong code', () => ({ code: '000000' })],
    ["another person's code", (other: Person) => ({ code: codeOf(other.secret, 1) })],
    ['a code that was used', (_: Person, own: Person) => ({ code: codeOf(own.secret) })],
  ])('cannot be added by an access token with %s', async (_, body) => {
    const [anna, bob] = [await owner(), await owner('bob@example.com')];
    expect(await post('/factors', anna.access, body(bob, anna))).toMatchObject({ status: 401 });
  });

  test('of other users cannot be verified', async () => {
    const [anna, bob] = [await owner(), await owner('bob@example.com')];
    const { body } = await post('/factors', anna.access, { code: codeOf(anna.secret, 1) });
    const code = codeOf(body.totp.secret as string);
    expect((await post(`/factors/${body.id}/verify`, bob.access, { code })).status).toBe(401);
  });

  test('expire when enrolment takes longer than ten minutes', async () => {
    const { access, secret: present } = await owner();
    const { body } = await post('/factors', access, { code: codeOf(present, 1) });
    service.clock.advance(600_000);
    const code = codeOf(body.totp.secret as string);
    expect((await post(`/factors/${body.id}/verify`, access, { code })).status).toBe(401);
  });
});

describe.skipIf(!CAN_SIGN_IN)('recovery codes', () => {
  test('each replace a code once', async () => {
    const person = await owner();
    expect(new Set(person.recoveryCodes).size).toBe(10);
    const use = async (code: string): Promise<number> => {
      const { mfa_token: token } = (await password(person.email)).body;
      return (await post(`/factors/${person.factorId}/verify`, token as string, { code })).status;
    };
    const [first, second] = person.recoveryCodes as [string, string];
    expect(await use(first)).toBe(200);
    expect(await use(first)).toBe(401);
    expect(await use(second.toUpperCase().replaceAll('-', ' '))).toBe(200);
    expect((await get('/user', person.access)).body.recovery_codes_left).toBe(8);
    expect(await auditKinds(person)).toContain('sign_in.recovery_code_used');
  });

  test('become invalid when new ones are created with a code', async () => {
    const person = await owner();
    expect((await post('/recovery_codes', person.access, { code: '000000' })).status).toBe(401);
    const { body } = await post('/recovery_codes', person.access, { code: codeOf(person.secret, 1) });
    expect(body.recovery_codes).toHaveLength(10);
    const { mfa_token: token } = (await password(person.email)).body;
    const old = await post(`/factors/${person.factorId}/verify`, token as string, { code: person.recoveryCodes[0]! });
    expect(old.status).toBe(401);
  });

  test('are invalid for another user', async () => {
    const [anna, bob] = [await owner(), await owner('bob@example.com')];
    const { mfa_token: token } = (await password(anna.email)).body;
    const code = bob.recoveryCodes[0]!;
    expect((await post(`/factors/${anna.factorId}/verify`, token as string, { code })).status).toBe(401);
  });
});

describe.skipIf(!CAN_SIGN_IN)('guesses', () => {
  const from = (address: string, work: () => Promise<Answer>): Promise<Answer> =>
    inRequestScope(
      { id: 'req', address, route: undefined, accountId: undefined, enter: () => {}, identify: () => {} },
      work,
    );

  test('at the key of a device do not lock it out', async () => {
    const { id, key } = await service.register();
    const authenticate = (deviceKey: string, address: string) =>
      from(address, () =>
        service.post('/functions/v1/auth/device', undefined, {
          device_id: id,
          device_key: deviceKey,
          signature: `t=1,v1=${'0'.repeat(64)}`,
        }),
      );
    for (let count = 0; count < 20; count += 1) {
      expect((await authenticate('hfk_wrong', `192.0.2.${count % 4}`)).body.code).toBe('credentials_invalid');
    }
    // The key is right, and only its signature is not.
    expect((await authenticate(key, '192.0.2.99')).body.code).toBe('signature_invalid');
  });

  test('from one address are limited across all accounts', async () => {
    const person = await owner();
    const guess = (name: string, address = '192.0.2.7') =>
      from(address, () =>
        service.post('/functions/v1/auth/device', undefined, {
          device_id: `dev_${name}`,
          device_key: 'hfk_wrong',
          signature: `t=1,v1=${'0'.repeat(64)}`,
        }),
      );
    for (let count = 0; count < 30; count += 1) expect((await guess(String(count))).status).toBe(401);
    const blocked = await guess('next');
    expect([blocked.status, blocked.headers.get('retry-after')]).toEqual([429, '15']);
    expect((await from('192.0.2.7', () => password(person.email))).status).toBe(429);
    expect((await guess('next', '192.0.2.8')).status).toBe(401);
    service.clock.advance(15_000);
    expect((await from('192.0.2.7', () => password(person.email))).status).toBe(200);
    service.clock.advance(3_600_000);
    expect((await guess('later')).status).toBe(401);
  });
});

describe.skipIf(!CAN_SIGN_IN)('sign-ins', () => {
  test('are listed with address and client, and can be ended', async () => {
    const person = await owner();
    const other = await signIn(person);
    const { sessions } = (await get('/sessions', other.access)).body;
    expect(sessions).toHaveLength(2);
    expect(sessions[0]).toMatchObject({ current: true, last_used_at: new Date(service.clock.now()).toISOString() });
    expect((await remove(`/sessions/${sessions[1].id}`, other.access)).status).toBe(200);
    expect((await remove(`/sessions/${sessions[1].id}`, other.access)).status).toBe(404);
    expect((await get('/user', person.access)).status).toBe(401);
    const refresh = await post('/token?grant_type=refresh_token', undefined, { refresh_token: person.refresh });
    expect(refresh.status).toBe(401);
    expect((await get('/user', other.access)).status).toBe(200);
  });

  test('of other users cannot be ended', async () => {
    const [anna, bob] = [await owner(), await owner('bob@example.com')];
    const { sessions } = (await get('/sessions', anna.access)).body;
    expect((await remove(`/sessions/${sessions[0].id}`, bob.access)).status).toBe(404);
  });

  test.each([
    ['others', [200, 401]],
    ['local', [401, 200]],
    ['global', [401, 401]],
  ])('end by logout with scope %s', async (scope, expected) => {
    const person = await owner();
    const other = await signIn(person);
    expect((await post(`/logout?scope=${scope}`, other.access)).status).toBe(200);
    const statuses = [(await get('/user', other.access)).status, (await get('/user', person.access)).status];
    expect(statuses).toEqual(expected);
  });

  test('of other clients end when the password changes', async () => {
    const person = await owner();
    const other = await signIn(person);
    const put = (current: string) =>
      service.call('PUT', '/auth/v1/user', other.access, { current_password: current, password: NEXT_PASSWORD });
    expect((await put('wrong')).status).toBe(401);
    expect((await put('')).status).toBe(401);
    // Its caller is cached.
    expect((await get('/user', person.access)).status).toBe(200);
    expect((await put(PASSWORD)).status).toBe(200);
    expect([(await get('/user', other.access)).status, (await get('/user', person.access)).status]).toEqual([200, 401]);
    expect((await password(person.email)).status).toBe(401);
    expect((await password(person.email, NEXT_PASSWORD)).status).toBe(200);
  });

  test('end at the first reuse of a refresh token, in a thousand thefts', async () => {
    const person = await owner();
    const { context, tokens } = service.service;
    const { newRefreshToken, refreshGrant } = await import('../../../../src/service/auth/tokens/refresh.ts');
    const renew = (token: string) =>
      refreshGrant(context, tokens, token).then(
        (session) => session.refresh_token,
        () => undefined,
      );
    let survivors = 0;
    for (let theft = 0; theft < 1_000; theft += 1) {
      const family = `fam_${theft}`;
      const first = newRefreshToken(service.clock.now());
      await context.metadata.tokens.startFamily({ id: family, userId: person.id }, first.stored, service.clock.now());
      // Either may come first, immediately or much later, and the first one continues with its tokens.
      const [random] = randomBytes(1);
      const waits = [0, 1, 9_999, 10_000, 10_001, 3_600_000];
      const early = await renew(first.token);
      if ((random! & 1) === 1) await renew(early!);
      service.clock.advance(waits[random! % waits.length]!);
      const late = await renew(first.token);
      // Within the grace period the second one succeeds, like a client whose response was lost: the first one's next attempt then ends it.
      if (late !== undefined) await renew(early!);
      if (await context.metadata.tokens.familyIsLive(family)) survivors += 1;
    }
    expect(survivors).toBe(0);
  });
});

describe.skipIf(!CAN_SIGN_IN)('team members', () => {
  test('join by invitation with their own password and factor', async () => {
    const anna = await owner();
    const { status, body } = await post('/invitations', anna.access, { email: 'bob@example.com', role: 'member' });
    expect([status, body.email, body.role]).toEqual([200, 'bob@example.com', 'member']);
    const listed = (await get('/invitations', anna.access)).body.invitations;
    expect(listed).toEqual([{ id: body.id, email: body.email, role: body.role, expires_at: body.expires_at }]);
    const accept = (token: string) => post('/invitations/accept', undefined, { token, password: NEXT_PASSWORD });
    service.clock.advance(1_000);
    expect((await accept('hfi_wrong')).status).toBe(404);
    const joined = await accept(body.token as string);
    expect([joined.status, joined.body.factors]).toEqual([200, []]);
    expect((await accept(body.token as string)).status).toBe(404);
    const bob = await enrolled(joined.body.enrolment_token as string);
    expect(bob.accountId).toBe(anna.accountId);
    const { members } = (await get('/members', anna.access)).body;
    expect(members.map(({ email, role, mfa }: Record<string, unknown>) => [email, role, mfa])).toEqual([
      ['anna@example.com', 'owner', true],
      ['bob@example.com', 'member', true],
    ]);
    expect((await get('/members', bob.access)).status).toBe(403);
  });

  test('cannot join with a withdrawn, replaced or week-old invitation', async () => {
    const anna = await owner();
    const invite = async () => (await post('/invitations', anna.access, { email: 'b@b.org', role: 'member' })).body;
    const accept = ({ token }: { token: string }) =>
      post('/invitations/accept', undefined, { token, password: NEXT_PASSWORD });
    const replaced = await invite();
    const withdrawn = await invite();
    expect((await remove(`/invitations/${withdrawn.id}`, anna.access)).status).toBe(200);
    expect((await remove(`/invitations/${withdrawn.id}`, anna.access)).status).toBe(404);
    const old = await invite();
    service.clock.advance(7 * 24 * 3_600_000);
    for (const invitation of [replaced, withdrawn, old]) expect((await accept(invitation)).status).toBe(404);
  });

  test.each([
    ['admin', 'member', 'admin', 200],
    ['admin', 'member', 'owner', 403],
    ['admin', 'owner', 'member', 403],
    ['member', 'member', 'admin', 403],
    ['owner', 'admin', 'owner', 200],
    ['owner', 'owner', 'member', 409],
  ] as const)('%s makes a %s a %s: %i', async (by, whom, role, status) => {
    const anna = await owner();
    const people = {
      owner: anna,
      admin: await member(anna, 'ad@a.org', 'admin'),
      member: await member(anna, 'm@m.org', 'member'),
    };
    expect((await change(`/members/${people[whom].id}`, people[by].access, { role })).status).toBe(status);
  });

  test('are signed out immediately when removed, and the last owner stays', async () => {
    const anna = await owner();
    const bob = await member(anna, 'bob@example.com', 'admin');
    expect((await remove(`/members/${anna.id}`, bob.access)).status).toBe(403);
    expect((await remove(`/members/${bob.id}`, anna.access)).status).toBe(200);
    expect((await get('/user', bob.access)).status).toBe(401);
    expect((await password('bob@example.com')).status).toBe(401);
    expect((await remove(`/members/${anna.id}`, anna.access)).status).toBe(409);
    const stranger = await owner('eve@example.com');
    expect((await remove(`/members/${anna.id}`, stranger.access)).status).toBe(404);
  });

  test('enrol a new factor after an admin resets it, with a webhook event', async () => {
    const anna = await owner();
    const bob = await member(anna, 'bob@example.com', 'member');
    const { queries } = service.openDatabase();
    const endpoint = { id: 'whk_1', account_id: anna.accountId, url: 'https://a.example', events_json: '[]' };
    await queries
      .insertInto('webhook_endpoint')
      .values({ ...endpoint, secret: 's', created_at: 0 })
      .execute();
    expect((await remove(`/members/${anna.id}/factors`, anna.access)).status).toBe(409);
    expect((await remove(`/members/${bob.id}/factors`, bob.access)).status).toBe(403);
    expect((await remove(`/members/${bob.id}/factors`, anna.access)).status).toBe(200);
    expect((await get('/user', bob.access)).status).toBe(401);
    expect((await password(bob.email)).body.factors).toEqual([]);
    const deliveries = await queries.selectFrom('webhook_delivery').select(['event', 'body']).execute();
    expect(deliveries.map(({ event }) => event)).toEqual(['security.mfa_disabled']);
    expect(JSON.parse(deliveries[0]!.body).data).toMatchObject({ user_id: bob.id, disabled_by: anna.id });
    expect(await auditKinds(anna)).toContain('factor.reset');
  });

  test('who are owners or admins read the audit log page by page', async () => {
    const anna = await owner();
    const bob = await member(anna, 'bob@example.com', 'member');
    expect((await get('/audit', bob.access)).status).toBe(403);
    const all = (await get('/audit', anna.access)).body.entries as { id: string; kind: string }[];
    expect(all.map(({ kind }) => kind)).toEqual([
      'sign_in.succeeded',
      'factor.added',
      'member.joined',
      'member.invited',
      'sign_in.succeeded',
      'factor.added',
      'account.created',
    ]);
    const first = (await get('/audit?limit=3', anna.access)).body.entries as { id: string }[];
    const rest = (await get(`/audit?before=${first[2]!.id}`, anna.access)).body.entries as { id: string }[];
    expect([...first, ...rest]).toEqual(all);
    const stranger = await owner('eve@example.com');
    expect((await get(`/audit?before=${first[2]!.id}`, stranger.access)).body.entries).toEqual([]);
  });
});

describe.skipIf(!CAN_SIGN_IN)('signing keys', () => {
  test('are published and verify tokens', async () => {
    const person = await owner();
    const { body, headers } = await service.call('GET', '/.well-known/jwks.json');
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    for (const key of body.keys) expect(Object.keys(key as object)).not.toContain('d');
    const options = { audience: 'holdfast:access', currentDate: new Date(service.clock.now()) };
    const { payload } = await jwtVerify(person.access, createLocalJWKSet(body as never), options);
    expect(payload).toMatchObject({ sub: person.id, account: person.accountId, kind: 'user' });
  });

  test('change every month without rejecting a valid token', async () => {
    const person = await owner();
    const keyOf = (token: string) =>
      JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString()).kid as string;
    const period = 30 * 24 * 3_600_000;
    service.clock.advance(period - (service.clock.now() % period) - 1_000);
    const before = await signIn(person);
    expect(keyOf(before.access)).not.toBe(keyOf(person.access));
    const known = (await service.call('GET', '/.well-known/jwks.json')).body.keys as { kid: string }[];
    service.clock.advance(3_500_000);
    expect((await get('/user', before.access)).status).toBe(200);
    service.clock.advance(period);
    const after = await signIn(person);
    expect(known.map(({ kid }) => kid)).toContain(keyOf(after.access));
  });
});

/** Renders the code in black and white, four pixels per module. */
function pixelsOf(text: string): { width: number; height: number; data: Uint8ClampedArray } {
  const modules = encodeQR(text, 'raw', { ecc: 'medium', border: 4 });
  const size = modules.length * 4;
  const data = new Uint8ClampedArray(size * size * 4).fill(255);
  modules.forEach((row, y) =>
    row.forEach((isDark, x) => {
      if (!isDark) return;
      for (let pixel = 0; pixel < 16; pixel += 1) {
        const offset = ((y * 4 + (pixel >> 2)) * size + x * 4 + (pixel & 3)) * 4;
        data.fill(0, offset, offset + 3);
      }
    }),
  );
  return { width: size, height: size, data };
}
