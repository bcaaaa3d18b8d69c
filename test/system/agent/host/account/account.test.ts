import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { accountHandlers } from '../../../../../src/agent/host/account/account-handlers.ts';
import { AccountPerson, PERSON_LIFETIME_MS } from '../../../../../src/agent/host/account/account-person.ts';
import { setupHandlers } from '../../../../../src/agent/host/setup/setup-handlers.ts';
import { accountMethods } from '../../../../../src/ipc/contract/account/account.ts';
import type { Call } from '../../../../../src/base/calls/contract.ts';
import { setupMethods } from '../../../../../src/ipc/contract/setup.ts';
import { Browser } from '../../../../helpers/identity-provider/browser.ts';
import { CLIENT, startIdentityProvider } from '../../../../helpers/identity-provider/identity-provider.ts';
import { startStrictService } from '../../../../helpers/strict-service/strict-service.ts';
import { failureFrom, HandlerFixture } from '../../../../unit/agent/host/handler-fixture.ts';
import { ANNA, HttpService } from '../http-service.ts';

const MINUTE = 60_000;

interface Computer {
  readonly fixture: HandlerFixture;
  readonly person: AccountPerson;
  readonly ask: Call<typeof accountMethods>;
}

const fixtures: HandlerFixture[] = [];
afterEach(() => {
  for (const fixture of fixtures.splice(0)) fixture.close();
});

function newComputer(): Computer {
  const fixture = new HandlerFixture();
  fixtures.push(fixture);
  const host = fixture.host();
  const person = new AccountPerson(host.agent.parts, host.browse);
  return { fixture, person, ask: fixture.ask(accountMethods, accountHandlers(host, person)) };
}

describe('the account of a service', () => {
  let service: HttpService;
  beforeEach(async () => {
    service = await HttpService.open(async (url) => [
      { name: 'company', issuer: await startIdentityProvider(() => `${url}/auth/v1/callback`), ...CLIENT },
    ]);
  });
  afterEach(() => service.close());

  /** The recovery phrase of the account's key, once the first computer has joined. */
  let phrase: string | undefined;
  beforeEach(() => {
    phrase = undefined;
  });

  async function joined(deviceName: string, deviceId?: string): Promise<Computer> {
    const computer = newComputer();
    const setup = computer.fixture.ask(setupMethods, setupHandlers(computer.fixture.host()));
    const step = await setup('setup.sign-in', { url: service.url, ...ANNA });
    const factor = step.kind === 'factors' ? step.factors[0]!.id : '';
    await setup('setup.verify-factor', { factor, code: service.code() });
    const destination = { kind: 'service', url: service.url } as const;
    await setup('setup.finish', { choice: destination, deviceName, deviceId, phrase });
    phrase ??= (await setup('setup.phrase', {})).words.join(' ');
    return computer;
  }

  async function signIn({ ask }: Computer): Promise<void> {
    const step = await ask('account.sign-in', ANNA);
    const factor = step.kind === 'factors' ? step.factors[0]!.id : '';
    await ask('account.verify-factor', { factor, code: service.code() });
  }

  /** Signs in at the portal as a browser does, and returns the token. */
  async function elsewhere(userAgent: string): Promise<string> {
    const post = async (path: string, body: object, token?: string): Promise<Record<string, never>> => {
      const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const headers = { 'content-type': 'application/json', 'user-agent': userAgent, ...authorization };
      const answer = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
      return (await answer.json()) as Record<string, never>;
    };
    const { mfa_token: token, factors } = await post('/auth/v1/token?grant_type=password', ANNA);
    const [{ id }] = factors as unknown as [{ id: string }];
    return (await post(`/auth/v1/factors/${id}/verify`, { code: service.code() }, token))['access_token']!;
  }

  const isLive = async (token: string): Promise<boolean> =>
    (await fetch(`${service.url}/auth/v1/user`, { headers: { authorization: `Bearer ${token}` } })).status === 200;

  const audited = async (token: string): Promise<string[]> => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await (await fetch(`${service.url}/auth/v1/audit`, { headers })).json();
    return (answer as { entries: { kind: string }[] }).entries.map(({ kind }) => kind);
  };

  test('is shown with its person without a request to the service', async () => {
    const { ask } = await joined('laptop');
    service.goAway();
    expect(await ask('account.show', {})).toEqual({ email: ANNA.email, signsInBy: 'key' });
    service.comeBack();
    expect(await ask('account.ways', {})).toEqual({ password: true, provider: true, hasSessions: true });
  });

  test('lists the sessions of a person, and ends one or all others', async () => {
    const laptop = await joined('laptop');
    const { ask } = laptop;
    expect(await failureFrom(ask('account.sessions', {}))).toMatchObject({ code: 'signed_out' });
    const [firefox, chrome, safari] = [
      await elsewhere('Firefox/1'),
      await elsewhere('Chrome/1'),
      await elsewhere('S/1'),
    ];
    await signIn(laptop);
    const { email, sessions } = await ask('account.sessions', {});
    expect(email).toBe(ANNA.email);
    expect(sessions.filter(({ isThisOne }) => isThisOne)).toMatchObject([
      { userAgent: expect.stringMatching(/^holdfast\/\d/) as string },
    ]);
    const { id } = sessions.find(({ userAgent }) => userAgent === 'Firefox/1')!;
    await ask('account.end-session', { id });
    await ask('account.end-session', { id });
    expect([await isLive(firefox), await isLive(chrome)]).toEqual([false, true]);
    await ask('account.end-other-sessions', {});
    expect([await isLive(chrome), await isLive(safari)]).toEqual([false, false]);
    expect((await ask('account.sessions', {})).sessions).toMatchObject([{ isThisOne: true }]);
    // This computer stays signed in by its own key.
    expect(await laptop.fixture.agent.devices()).toHaveLength(1);
    expect(await audited(await elsewhere('Firefox/2'))).toContain('session.ended');
    expect(readFileSync(laptop.fixture.home.secretsFile, 'utf8')).not.toContain('refreshToken');
  });

  test('ends the sign-in of a setup that does not store it', async () => {
    const token = await elsewhere('Firefox/1');
    const agents = async (): Promise<string[]> => {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await (await fetch(`${service.url}/auth/v1/sessions`, { headers })).json();
      return (answer as { sessions: { user_agent: string }[] }).sessions.map(({ user_agent: agent }) => agent);
    };
    const laptop = await joined('laptop');
    await expect.poll(agents).toEqual(['Firefox/1']);
    expect(await laptop.fixture.agent.devices()).toHaveLength(1);
    await joined('laptop', laptop.fixture.agent.settings()!.deviceId);
    expect((await agents()).filter((agent) => agent.startsWith('holdfast/'))).toHaveLength(1);
  });

  test('ends the sign-in after ten minutes, and when the person leaves', async () => {
    const laptop = await joined('laptop');
    const { ask, fixture } = laptop;
    const others = async (token: string): Promise<number> => {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await (await fetch(`${service.url}/auth/v1/sessions`, { headers })).json();
      const { sessions } = answer as { sessions: { user_agent: string; current: boolean }[] };
      return sessions.filter(({ current }) => !current).length;
    };
    const token = await elsewhere('Firefox/1');
    const before = await others(token);
    await signIn(laptop);
    expect(await others(token)).toBe(before + 1);
    await ask('account.leave', {});
    expect(await failureFrom(ask('account.sessions', {}))).toMatchObject({ code: 'signed_out' });
    await expect.poll(() => others(token)).toBe(before);
    await signIn(laptop);
    fixture.advance(PERSON_LIFETIME_MS + 1);
    expect(await failureFrom(ask('account.sessions', {}))).toMatchObject({ code: 'signed_out' });
    await expect.poll(() => others(token)).toBe(before);
    await signIn(laptop);
    await laptop.person.close();
    expect(await others(token)).toBe(before);
  });

  test('reports a sign-in that was ended elsewhere, and accepts a new one', async () => {
    const laptop = await joined('laptop');
    await signIn(laptop);
    const token = await elsewhere('Firefox/1');
    const headers = { authorization: `Bearer ${token}` };
    await fetch(`${service.url}/auth/v1/logout?scope=others`, { method: 'POST', headers });
    expect(await failureFrom(laptop.ask('account.sessions', {}))).toMatchObject({ code: 'signed_out' });
    await signIn(laptop);
    expect((await laptop.ask('account.sessions', {})).sessions).toHaveLength(2);
  });

  test('accepts a sign-in through the identity provider, which can be given up', async () => {
    const { ask, fixture } = await joined('laptop');
    const givenUp = failureFrom(ask('account.sign-in-with-provider', {}));
    await vi.waitFor(() => expect(fixture.browsed).toHaveLength(1), { timeout: 60_000, interval: 20 });
    fixture.browsed.pop();
    await ask('account.leave', {});
    expect(await givenUp).toMatchObject({ code: 'interrupted' });

    const refused = failureFrom(ask('account.sign-in-with-provider', {}));
    await inBrowser(fixture, undefined);
    expect(await refused).toMatchObject({ code: 'provider_refused' });

    const signingIn = ask('account.sign-in-with-provider', {});
    await inBrowser(fixture, 'anna');
    const step = await signingIn;
    if (step.kind !== 'factors') throw new Error('no factor was asked for');
    const verify = { factor: step.factors[0]!.id, code: service.code() };
    expect(await ask('account.verify-factor', verify)).toEqual({ kind: 'signed-in', email: ANNA.email });
    expect((await ask('account.sessions', {})).email).toBe(ANNA.email);
  });

  test('replaces an expired session by one of a person whose account has this device', async () => {
    const laptop = await joined('laptop');
    expect(await failureFrom(laptop.ask('account.sign-in-again', {}))).toMatchObject({ code: 'device_refused' });
    // Continuing as an existing device stores the person's session, since the device's key is elsewhere.
    const { deviceId } = laptop.fixture.agent.settings()!;
    const other = await joined('laptop', deviceId);
    const { ask, fixture } = other;
    expect(await ask('account.show', {})).toEqual({ email: ANNA.email, signsInBy: 'person' });
    // No other sign-in is needed to list the sessions.
    expect((await ask('account.sessions', {})).sessions).toContainEqual(expect.objectContaining({ isThisOne: true }));
    expect(await failureFrom(ask('account.sign-in-again', {}))).toMatchObject({ code: 'signed_out' });
    const before = (await fixture.parts.keyStore.load())!;
    const spent = { refreshToken: 'spent', accessToken: 'spent', expiresAt: 0 };
    await fixture.parts.keyStore.save({ ...before, session: spent });
    await expect(fixture.agent.devices()).rejects.toMatchObject({ code: 'signed_out' });

    const signingIn = ask('account.sign-in-with-provider', {});
    await inBrowser(fixture, 'anna');
    const step = await signingIn;
    const factor = step.kind === 'factors' ? step.factors[0]!.id : '';
    await ask('account.verify-factor', { factor, code: service.code() });
    const notified = fixture.notified.setsChanged;
    await ask('account.sign-in-again', {});
    expect(fixture.notified.setsChanged - notified).toBe(1);
    expect(await fixture.agent.devices()).toMatchObject([{ id: deviceId }]);
    // The home stores the session now: it stays when the window leaves.
    await ask('account.leave', {});
    service.advance(61 * MINUTE);
    expect(await fixture.agent.devices()).toMatchObject([{ id: deviceId }]);
    expect((await fixture.parts.keyStore.load())!.session!.refreshToken).not.toBe(before.session!.refreshToken);
  });
});

test('a plain service accepts a sign-in, and has no session list', async () => {
  const service = await startStrictService();
  try {
    const { fixture, ask } = newComputer();
    const { id, key } = service.device;
    await fixture.agent.setup({
      destination: { kind: 'device', url: service.baseUrl, deviceKey: key },
      deviceId: id,
      deviceName: 'laptop',
    });
    expect(await ask('account.show', {})).toEqual({ signsInBy: 'key' });
    expect(await ask('account.ways', {})).toEqual({ password: true, provider: false, hasSessions: false });
    expect(await failureFrom(ask('account.sign-in-with-provider', {}))).toMatchObject({ code: 'provider_refused' });
    const { email, password } = service.user;
    const step = await ask('account.sign-in', { email, password });
    const factor = step.kind === 'factors' ? step.factors.find(({ kind }) => kind === 'totp')!.id : '';
    await ask('account.verify-factor', { factor, code: service.code() });
    expect(await failureFrom(ask('account.sessions', {}))).toMatchObject({
      code: 'refused',
      details: { problem: 'no-sessions' },
    });
  } finally {
    await service.close();
  }
});

test('a folder has no account', async () => {
  const { fixture, ask } = newComputer();
  expect(await failureFrom(ask('account.show', {}))).toMatchObject({ code: 'not_set_up' });
  await fixture.agent.setup({
    destination: { kind: 'folder', directory: fixture.path('backups') },
    deviceName: 'laptop',
  });
  for (const call of [ask('account.show', {}), ask('account.ways', {}), ask('account.sessions', {})]) {
    expect(await failureFrom(call)).toMatchObject({ code: 'refused', details: { problem: 'no-service' } });
  }
});

/** Acts as the person in the browser that the agent opened. */
async function inBrowser(fixture: HandlerFixture, name: string | undefined): Promise<void> {
  await vi.waitFor(() => expect(fixture.browsed).toHaveLength(1), { timeout: 60_000, interval: 20 });
  const browser = new Browser((url, init) => fetch(url, init));
  const isBack = (url: string): boolean => /^http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}\?/.test(url);
  const end = await browser.signIn(fixture.browsed.pop()!, name, isBack);
  await (await fetch(end)).text();
}
