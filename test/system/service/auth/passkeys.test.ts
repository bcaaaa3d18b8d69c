import { describe, expect, test } from 'vitest';
import { relyingPartyOf } from '../../../../src/service/auth/factors/relying-party.ts';
import { SoftwareAuthenticator, type Dishonest } from '../../../helpers/service/software-authenticator.ts';
import { join, open, PASSWORD, PortalBrowser, setUp } from '../../../app/portal/portal-browser.ts';

const ORIGIN = 'https://backup.example.org';
const API = '/portal/v1/api/auth/v1';

/** An owner with an authenticator app, and what they do with passkeys. */
async function situation(publicUrl: string | undefined = ORIGIN) {
  const opened = await open(publicUrl);
  const secret = await setUp(opened);
  const { service, browser } = opened;
  const code = () => service.code(secret);
  const begin = async (name = 'Laptop') =>
    browser.ask('POST', `${API}/passkeys/options`, { friendly_name: name, code: code() });
  const add = async (authenticator: SoftwareAuthenticator, not: Dishonest = {}, name = 'Laptop') => {
    const { body } = await begin(name);
    return browser.ask('POST', `${API}/passkeys`, { credential: authenticator.register(body.options, not) });
  };
  /** Enters the password in another browser. */
  const password = async (email = 'anna@example.org') => {
    const other = new PortalBrowser(service);
    const { body } = await other.ask('POST', '/portal/v1/sign-in', { email, password: PASSWORD });
    return { other, challenge: body as { mfa_token: string; has_passkey?: boolean } };
  };
  const optionsOf = async (token: string) =>
    (await opened.browser.ask('POST', '/portal/v1/passkey-options', { mfa_token: token })).body.options as {
      challenge: string;
    };
  const signIn = async (authenticator: SoftwareAuthenticator, not: Dishonest = {}) => {
    const { other, challenge } = await password();
    const options = await optionsOf(challenge.mfa_token);
    const credential = authenticator.sign(options, not);
    return other.ask('POST', '/portal/v1/verify', { mfa_token: challenge.mfa_token, credential });
  };
  const kinds = async () => {
    const { body } = await browser.ask('GET', `${API}/audit`);
    return (body.entries as { kind: string }[]).map(({ kind }) => kind);
  };
  const user = async () => (await browser.ask('GET', `${API}/user`)).body;
  return { ...opened, code, begin, add, password, optionsOf, signIn, kinds, user };
}

describe('a passkey', () => {
  test('is added with a code, listed, signs in, and is removed with a code', async () => {
    const { browser, add, signIn, user, kinds, code, password } = await situation();
    const authenticator = new SoftwareAuthenticator(ORIGIN);
    expect((await password()).challenge).not.toHaveProperty('has_passkey');
    const added = await add(authenticator, {}, 'Anna’s laptop');
    expect(added).toMatchObject({
      status: 200,
      body: { id: authenticator.id, friendly_name: 'Anna’s laptop', last_used_at: null },
    });
    expect((await password()).challenge).toMatchObject({ has_passkey: true, factors: [{ type: 'totp' }] });
    const entered = await signIn(authenticator);
    expect(entered).toMatchObject({ status: 200, body: { recovery_codes: [] } });
    expect(entered.set).toMatch(/Secure/);
    expect((await user()).passkeys).toMatchObject([
      { friendly_name: 'Anna’s laptop', last_used_at: expect.any(String) },
    ]);
    const remove = async (by: string) => browser.ask('DELETE', `${API}/passkeys/${authenticator.id}`, { code: by });
    expect((await remove('000000')).status).toBe(401);
    expect((await remove(code())).status).toBe(200);
    expect((await remove(code())).status).toBe(404);
    expect((await user()).passkeys).toEqual([]);
    expect(await kinds()).toEqual(expect.arrayContaining(['passkey.added', 'passkey.removed', 'sign_in.succeeded']));
  });

  test('takes a code of the app before it is added', async () => {
    const { browser } = await situation();
    const answer = await browser.ask('POST', `${API}/passkeys/options`, { friendly_name: 'x', code: '000000' });
    expect(answer).toMatchObject({ status: 401, body: { code: 'code_invalid' } });
    const { register } = {
      register: (options: { challenge: string }) => new SoftwareAuthenticator(ORIGIN).register(options),
    };
    const forged = { credential: register({ challenge: 'AAAA' }) };
    expect(await browser.ask('POST', `${API}/passkeys`, forged)).toMatchObject({
      status: 401,
      body: { code: 'passkey_invalid' },
    });
  });

  test('confirms what takes a fresh code', async () => {
    const { service, browser, add } = await situation();
    const authenticator = new SoftwareAuthenticator(ORIGIN);
    await add(authenticator);
    service.advance(11 * 60_000);
    const invite = async () => browser.ask('POST', `${API}/invitations`, { email: 'mia@example.org', role: 'member' });
    expect(await invite()).toMatchObject({ status: 403, body: { code: 'factor_required' } });
    const { body } = await browser.ask('POST', `${API}/confirmation/options`);
    expect(
      (await browser.ask('POST', `${API}/confirmation`, { credential: authenticator.sign(body.options) })).status,
    ).toBe(200);
    expect((await invite()).status).toBe(200);
  });

  test('is removed when an owner resets the factors of its person', async () => {
    const { service, browser, user } = await situation();
    const mia = await join(service, browser, 'mia@example.org', 'admin');
    const id = (await mia.ask('GET', `${API}/user`)).body.id as string;
    const { passkeys } = service.service.context.metadata;
    const now = service.service.context.clock.now();
    const passkey = {
      id: 'AAAA',
      userId: id,
      friendlyName: 'x',
      publicKey: Buffer.alloc(1),
      counter: 0,
      transports: [],
    };
    const audit = { accountId: await service.accountId(), occurredAt: now, kind: 'passkey.added' } as const;
    await passkeys.add({ ...passkey, createdAt: now, lastUsedAt: undefined }, audit);
    expect((await browser.ask('DELETE', `${API}/members/${id}/factors`)).status).toBe(200);
    expect(await passkeys.list(id)).toEqual([]);
    expect((await user()).passkeys).toEqual([]);
  });
});

describe('a hostile answer is refused', () => {
  test.each<readonly [string, Dishonest]>([
    ['for another origin', { origin: 'https://backup.example.org.evil.example' }],
    ['for another port', { origin: 'https://backup.example.org:8443' }],
    ['for another domain', { rpId: 'evil.example' }],
    ['for another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
    ['of a registration', { type: 'webauthn.create' }],
    ['without user verification', { flags: 0x01 }],
    ['without presence', { flags: 0x04 }],
    ['with a count that does not grow', { counter: 5 }],
    ['with a count that goes back', { counter: 4 }],
    ['with a count of zero', { counter: 0 }],
    ['of an unknown credential', { id: 'AAAAAAAAAAAAAAAAAAAAAA' }],
  ])('%s', async (_, not) => {
    const { add, signIn, kinds } = await situation();
    const authenticator = new SoftwareAuthenticator(ORIGIN);
    await add(authenticator);
    expect((await signIn(authenticator, { counter: 5 })).status).toBe(200);
    const refused = await signIn(authenticator, not);
    expect(refused).toMatchObject({ status: 401, body: { code: 'passkey_invalid' }, set: null });
    expect(await kinds()).toContain('sign_in.passkey_refused');
    expect((await signIn(authenticator, { counter: 6 })).status).toBe(200);
  });

  test.each<readonly [string, Dishonest]>([
    ['for another origin', { origin: 'https://evil.example' }],
    ['for another domain', { rpId: 'evil.example' }],
    ['for another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
    ['without user verification', { flags: 0x01 }],
    ['of a signature', { type: 'webauthn.get' }],
  ])('when a passkey is added %s', async (_, not) => {
    const { add, user } = await situation();
    expect(await add(new SoftwareAuthenticator(ORIGIN), not)).toMatchObject({
      status: 401,
      body: { code: 'passkey_invalid' },
    });
    expect((await user()).passkeys).toEqual([]);
  });

  test('when it is replayed, in its own sign-in and in another one', async () => {
    const { add, password, optionsOf } = await situation();
    const authenticator = new SoftwareAuthenticator(ORIGIN);
    await add(authenticator);
    const { other, challenge } = await password();
    const credential = authenticator.sign(await optionsOf(challenge.mfa_token));
    const verify = async (token: string) =>
      (await other.ask('POST', '/portal/v1/verify', { mfa_token: token, credential })).status;
    expect([await verify(challenge.mfa_token), await verify(challenge.mfa_token)]).toEqual([200, 401]);
    const second = await password();
    await optionsOf(second.challenge.mfa_token);
    expect(await verify(second.challenge.mfa_token)).toBe(401);
  });

  test('when its challenge was used up by a wrong answer, or is older than five minutes', async () => {
    const { service, browser, add } = await situation();
    const authenticator = new SoftwareAuthenticator(ORIGIN);
    await add(authenticator);
    const ask = async () =>
      (await browser.ask('POST', `${API}/confirmation/options`)).body.options as { challenge: string };
    const confirm = async (credential: object) =>
      (await browser.ask('POST', `${API}/confirmation`, { credential })).status;
    const options = await ask();
    const right = authenticator.sign(options);
    expect([await confirm(authenticator.sign(options, { flags: 0x01 })), await confirm(right)]).toEqual([401, 401]);
    const late = authenticator.sign(await ask());
    service.advance(5 * 60_000);
    expect(await confirm(late)).toBe(401);
    expect(await confirm(authenticator.sign(await ask()))).toBe(200);
  });

  test('when it was asked for something else', async () => {
    const { browser, add, password, optionsOf } = await situation();
    const authenticator = new SoftwareAuthenticator(ORIGIN);
    await add(authenticator);
    const { challenge } = await password();
    const credential = authenticator.sign(await optionsOf(challenge.mfa_token));
    expect((await browser.ask('POST', `${API}/confirmation`, { credential })).status).toBe(401);
  });

  test('of a passkey of somebody else', async () => {
    const { service, browser, add, password, optionsOf } = await situation();
    const anna = new SoftwareAuthenticator(ORIGIN);
    await add(anna);
    await join(service, browser, 'mia@example.org', 'member');
    const { passkeys, members } = service.service.context.metadata;
    const mia = (await members.list(await service.accountId())).find(({ email }) => email === 'mia@example.org')!;
    const own = {
      id: 'AAAA',
      userId: mia.id,
      friendlyName: 'x',
      publicKey: Buffer.alloc(1),
      counter: 0,
      transports: [],
    };
    const now = service.service.context.clock.now();
    const audit = { accountId: await service.accountId(), occurredAt: now, kind: 'passkey.added' } as const;
    await passkeys.add({ ...own, createdAt: now, lastUsedAt: undefined }, audit);
    const { other, challenge } = await password('mia@example.org');
    const credential = anna.sign(await optionsOf(challenge.mfa_token));
    const answer = await other.ask('POST', '/portal/v1/verify', { mfa_token: challenge.mfa_token, credential });
    expect(answer).toMatchObject({ status: 401, body: { code: 'passkey_invalid' } });
  });

  test('when two with the same count arrive at once', async () => {
    const { add, password, optionsOf } = await situation();
    const authenticator = new SoftwareAuthenticator(ORIGIN);
    await add(authenticator);
    const tries = await Promise.all(
      [0, 1, 2].map(async () => {
        const { other, challenge } = await password();
        const credential = authenticator.sign(await optionsOf(challenge.mfa_token), { counter: 7 });
        return () => other.ask('POST', '/portal/v1/verify', { mfa_token: challenge.mfa_token, credential });
      }),
    );
    const statuses = (await Promise.all(tries.map((verify) => verify()))).map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 401, 401]);
  });

  test('and without its form, before anything is computed', async () => {
    const { browser, begin } = await situation();
    await begin();
    for (const credential of [
      {},
      { id: 'x'.repeat(5_000), rawId: 'x', type: 'public-key', response: {} },
      { ...new SoftwareAuthenticator(ORIGIN).register({ challenge: 'AA' }), id: '../..' },
    ])
      expect((await browser.ask('POST', `${API}/passkeys`, { credential })).status).toBe(400);
  });
});

describe('passkeys', () => {
  test('are at most twenty a person, and belong to one person', async () => {
    const { add, user } = await situation();
    const first = new SoftwareAuthenticator(ORIGIN);
    expect((await add(first)).status).toBe(200);
    expect(await add(first)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    for (let more = 1; more < 20; more += 1) expect((await add(new SoftwareAuthenticator(ORIGIN))).status).toBe(200);
    expect((await add(new SoftwareAuthenticator(ORIGIN))).status).toBe(409);
    expect((await user()).passkeys).toHaveLength(20);
  });

  test('are not offered without a public address for which browsers make them', async () => {
    const { browser, user, code } = await situation('http://backup.example.org');
    expect(await user()).toMatchObject({ may_add_passkeys: false });
    const answer = await browser.ask('POST', `${API}/passkeys/options`, { friendly_name: 'x', code: code() });
    expect(answer.status).toBe(404);
  });

  test.each([
    ['https://backup.example.org/', { id: 'backup.example.org', origin: 'https://backup.example.org' }],
    [
      'https://backup.example.org:8443/holdfast',
      { id: 'backup.example.org', origin: 'https://backup.example.org:8443' },
    ],
    ['http://localhost:8080', { id: 'localhost', origin: 'http://localhost:8080' }],
    ['http://backup.example.org', undefined],
    ['https://192.0.2.1', undefined],
    ['https://[2001:db8::1]', undefined],
    ['nonsense', undefined],
    [undefined, undefined],
  ])('at %s belong to %j', (address, party) => {
    expect(relyingPartyOf(address)).toEqual(party);
  });
});
