import { createHash, randomBytes } from 'node:crypto';
import { TOTP } from 'otpauth';
import { beforeEach, describe, expect, test } from 'vitest';
import { identityProvider } from '../../../../src/service/auth/account-settings.ts';
import { isAllowedRedirect } from '../../../../src/service/auth/providers/provider-redirect.ts';
import { Browser } from '../../../helpers/identity-provider/browser.ts';
import { CLIENT, startIdentityProvider } from '../../../helpers/identity-provider/identity-provider.ts';
import { BASE, TestClock, TestService } from '../../../unit/service/harness.ts';
import type { Answer } from '../../../unit/service/harness.ts';

const CLIENT_PAGE = 'http://127.0.0.1:4711/back';

let issuer: string;
let service: TestService;
let verifier: string;
/** The provider uses the machine's clock. */
class PresentClock extends TestClock {
  #ahead = 0;
  override now = (): number => Date.now() + this.#ahead;
  override advance(milliseconds: number): void {
    this.#ahead += milliseconds;
  }
}

async function openService(signup: boolean): Promise<TestService> {
  const providers = [{ name: 'company', issuer, ...CLIENT }];
  return TestService.open(undefined, new PresentClock(), undefined, undefined, { signup, providers });
}

beforeEach(async () => {
  const known = {
    nomail: { email: undefined },
    unverified: { email: 'unverified@example.com', email_verified: false },
  } as never;
  issuer = await startIdentityProvider(() => `${BASE}/auth/v1/callback`, known);
  service = await openService(false);
  verifier = randomBytes(32).toString('base64url');
});

function authorizeUrl(changes: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams({
    provider: 'company',
    redirect_to: CLIENT_PAGE,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 's256',
    ...changes,
  });
  return `${BASE}/auth/v1/authorize?${query.toString()}`;
}

function browser(): Browser {
  return new Browser((url, init) =>
    url.startsWith(BASE) ? service.service.fetch(new Request(url, init)) : fetch(url, init),
  );
}

const signIn = (name: string | undefined, isEnd = (url: string) => url.startsWith(CLIENT_PAGE)): Promise<URL> =>
  browser().signIn(authorizeUrl(), name, isEnd);
const grant = (code: string, proof = verifier): Promise<Answer> =>
  service.post('/auth/v1/token?grant_type=pkce', undefined, { auth_code: code, code_verifier: proof });
const codeIn = (url: URL): string => {
  expect([url.searchParams.get('error_description'), url.searchParams.get('error')]).toEqual([null, null]);
  return url.searchParams.get('code')!;
};

/** Creates an owner with password and factor like the operator. */
async function createOwner(email: string): Promise<{ secret: string }> {
  const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
  const owner = { email, passwordHash: '', totpSecret: secret, now: service.clock.now() };
  await service.service.context.metadata.accounts.createOwner(owner);
  return { secret };
}

describe('sign-in through an identity provider', () => {
  test('leads to the second factor of the account with that e-mail address, and then to tokens', async () => {
    const { secret } = await createOwner('anna@example.com');
    const challenge = await grant(codeIn(await signIn('anna')));
    expect(challenge.status).toBe(200);
    expect(Object.keys(challenge.body as object).toSorted()).toEqual(['factors', 'mfa_required', 'mfa_token']);
    const code = new TOTP({ secret }).generate({ timestamp: service.clock.now() });
    const path = `/auth/v1/factors/${challenge.body.factors[0].id}/verify`;
    const { status, body } = await service.post(path, challenge.body.mfa_token as string, { code });
    expect([status, body.user.email]).toEqual([200, 'anna@example.com']);
    // From now on the identity counts, whatever the e-mail address.
    await service.openDatabase().queries.updateTable('user').set({ email: 'new@example.com' }).execute();
    expect((await grant(codeIn(await signIn('anna')))).status).toBe(200);
  });

  test('creates an account with a new factor if sign-up is open', async () => {
    service = await openService(true);
    const { body } = await grant(codeIn(await signIn('bob')));
    expect(body).toMatchObject({ factors: [], enrolment_token: expect.any(String) as string });
    const password = { email: 'bob@example.com', password: '' };
    for (const typed of ['', 'x']) {
      const tried = { ...password, password: typed };
      expect((await service.post('/auth/v1/token?grant_type=password', undefined, tried)).status).not.toBe(200);
    }
  });

  async function invited(email: string): Promise<string> {
    const { members } = service.service.context.metadata;
    const { accountId } = service;
    const audit = { accountId, occurredAt: service.clock.now(), kind: 'member.invited' } as const;
    const invitation = { id: 'inv_1', accountId, email, role: 'member' as const };
    const token = randomBytes(32).toString('base64url');
    const hash = createHash('sha256').update(token).digest('hex');
    await members.invite({ ...invitation, expiresAt: service.clock.now() + 60_000 }, hash, audit);
    return token;
  }
  const joining = (name: string, invitation: string): Promise<URL> =>
    browser().signIn(authorizeUrl({ invitation }), name, (url) => url.startsWith(CLIENT_PAGE));

  test('joins the inviting account with the token of the invitation, and never without', async () => {
    const { members } = service.service.context.metadata;
    const token = await invited('bob@example.com');
    expect((await signIn('bob')).searchParams.get('error')).toBe('access_denied');
    expect((await joining('bob', 'wrong')).searchParams.get('error')).toBe('access_denied');
    expect((await joining('anna', token)).searchParams.get('error')).toBe('access_denied');
    expect(await members.list(service.accountId)).toEqual([]);
    expect((await grant(codeIn(await joining('bob', token)))).status).toBe(200);
    expect(await members.list(service.accountId)).toMatchObject([{ email: 'bob@example.com', role: 'member' }]);
  });

  test('creates an own account beside an invitation if sign-up is open', async () => {
    service = await openService(true);
    await invited('bob@example.com');
    expect((await grant(codeIn(await signIn('bob')))).status).toBe(200);
    expect(await service.service.context.metadata.members.list(service.accountId)).toEqual([]);
  });

  test('is not linked to an account by its e-mail address alone', async () => {
    await createOwner('anna@example.com');
    const identities = () => service.openDatabase().queries.selectFrom('identity').selectAll().execute();
    const challenge = await grant(codeIn(await signIn('anna')));
    expect(challenge.body).not.toHaveProperty('enrolment_token');
    const path = `/auth/v1/factors/${challenge.body.factors[0].id}/verify`;
    expect((await service.post(path, challenge.body.mfa_token as string, { code: '000000' })).status).toBe(401);
    expect(await identities()).toEqual([]);
  });

  test('refuses an account that somebody else may have begun with the e-mail address', async () => {
    service = await openService(true);
    const squatted = { email: 'anna@example.com', password: 'a password of Mallory' };
    expect((await service.post('/auth/v1/signup', undefined, squatted)).status).toBe(200);
    const { searchParams } = await signIn('anna');
    expect([searchParams.get('code'), searchParams.get('error')]).toEqual([null, 'access_denied']);
  });

  test.each([
    ['who has no account', 'eve', 'access_denied', /no account/],
    ['whose e-mail is not verified', 'unverified', 'access_denied', /vouch/],
    ['without an e-mail address', 'nomail', 'access_denied', /vouch/],
    ['who calls it off', undefined, 'access_denied', /did not confirm/],
  ])('returns a person %s with an error', async (_, name, error, description) => {
    await createOwner('unverified@example.com');
    const { searchParams } = await signIn(name);
    expect([searchParams.get('error'), searchParams.get('code')]).toEqual([error, null]);
    expect(searchParams.get('error_description')).toMatch(description);
  });

  test('returns a code that is valid once, for two minutes and its verifier', async () => {
    await createOwner('anna@example.com');
    const code = codeIn(await signIn('anna'));
    expect((await grant(code)).status).toBe(200);
    expect((await grant(code)).status).toBe(401);
    const stolen = codeIn(await signIn('anna'));
    expect((await grant(stolen, randomBytes(32).toString('base64url'))).status).toBe(401);
    expect((await grant(stolen)).status).toBe(401);
    const late = codeIn(await signIn('anna'));
    service.clock.advance(121_000);
    expect((await grant(late)).status).toBe(401);
  });

  test('accepts its own redirect once', async () => {
    await createOwner('anna@example.com');
    const back = await signIn('anna', (url) => url.startsWith(`${BASE}/auth/v1/callback`));
    const visit = (url: string) => service.call('GET', url);
    expect((await visit(back.href)).status).toBe(303);
    expect((await visit(back.href)).status).toBe(401);
    const forged = new URL(back);
    forged.searchParams.set('state', `${back.searchParams.get('state')}x`);
    expect((await visit(forged.href)).status).toBe(401);
    const other = await signIn('anna', (url) => url.startsWith(`${BASE}/auth/v1/callback`));
    // Another user's response in this sign-in: neither verifier nor nonce match.
    const mixed = new URL(other);
    mixed.searchParams.set('code', back.searchParams.get('code')!);
    const answer = await visit(mixed.href);
    expect(new URL(answer.headers.get('location')!).searchParams.get('error')).toBe('server_error');
  });

  test.each([
    ['an unknown provider', { provider: 'other' }, 404],
    ['a plain challenge', { code_challenge_method: 'plain' }, 400],
    ['no challenge', { code_challenge: '' }, 400],
    ['another web site', { redirect_to: 'https://evil.example/' }, 400],
  ])('refuses %s', async (_, changes, status) => {
    expect((await service.call('GET', authorizeUrl(changes))).status).toBe(status);
  });

  test('reports an unavailable provider', async () => {
    const providers = [{ name: 'company', issuer: 'http://127.0.0.1:1', ...CLIENT }];
    const alone = await TestService.open(undefined, undefined, undefined, undefined, { providers });
    const answer = await alone.call('GET', authorizeUrl());
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '10']);
    expect((await alone.call('GET', '/auth/v1/settings')).body).toEqual({
      signup: false,
      providers: ['company'],
      password_reset: false,
    });
  });
});

test.each([
  ['http://127.0.0.1:1234/x', true],
  ['http://[::1]:1234/', true],
  ['https://backup.example/portal', true],
  ['http://localhost:1234/', false],
  ['https://127.0.0.1:1234/', false],
  ['http://127.0.0.1@evil.example/', false],
  ['http://user@127.0.0.1/', false],
  ['http://127.0.0.1.evil.example/', false],
  ['https://backup.example.evil/', false],
  ['javascript:alert(1)', false],
  ['nonsense', false],
])('a way back to %s: %s', (target, allowed) => {
  expect(isAllowedRedirect(target, 'https://backup.example')).toBe(allowed);
});

test.each([
  ['https://login.example', true],
  ['http://127.0.0.1:8080', true],
  ['http://login.example', false],
  ['ftp://login.example', false],
])('a provider at %s: %s', (url, allowed) => {
  expect(identityProvider.safeParse({ name: 'company', issuer: url, clientId: 'c' }).success).toBe(allowed);
});
