import { join } from 'node:path';
import { TOTP } from 'otpauth';
import { pino } from 'pino';
import { request } from 'undici';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createAccount } from '../../../../src/service/accounts.ts';
import { resetServiceFactors } from '../../../../src/service/administration/service-factors.ts';
import { resetServicePassword } from '../../../../src/service/administration/service-passwords.ts';
import { copyService } from '../../../../src/service/operation/copy/copy-service.ts';
import { takeOver } from '../../../../src/service/operation/copy/copy-state.ts';
import { asOperator } from '../../../../src/service/operator-access.ts';
import { startServer } from '../../../../src/service/server.ts';
import type { ServerOptions } from '../../../../src/service/server.ts';
import { CHEAP } from '../../../helpers/service/cheap-passwords.ts';
import { startMailServer, type ReceivedMail } from '../../../helpers/service/mail-server.ts';
import { temporaryDirectory } from '../../../unit/service/harness.ts';

const EMAIL = 'anna@example.com';
const PASSWORD = 'correct horse battery staple';
const NEW_PASSWORD = 'another horse battery staple';
const PUBLIC = 'https://backup.example.org';
const MINUTE = 60_000;

/** A service on a socket with one owner, a mail server, and a clock that can be advanced. */
async function start(options: Partial<ServerOptions> = {}) {
  const mail = await startMailServer();
  const data = await temporaryDirectory();
  const owner = await createAccount(data, { email: EMAIL, password: PASSWORD }, { passwordCost: CHEAP });
  let offset = 0;
  const clock = { now: () => Date.now() + offset };
  const server = await startServer({
    data,
    clock,
    publicUrl: PUBLIC,
    accounts: { passwordCost: CHEAP, resetDelay: 0 },
    mail: { server: mail.url, from: 'Holdfast <backup@example.org>' },
    ...options,
  });
  onTestFinished(() => server.close());
  const call = async (method: string, path: string, body?: object, token?: string) => {
    const answer = await request(server.url + path, {
      method: method as 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    return { status: answer.statusCode, text, body: text === '' ? undefined : JSON.parse(text) };
  };
  const code = () => {
    offset += 30_000;
    return new TOTP({ secret: owner.totp_secret }).generate({ timestamp: clock.now() });
  };
  const signIn = async (password: string, given = code()) => {
    const challenge = await call('POST', '/auth/v1/token?grant_type=password', { email: EMAIL, password });
    if (challenge.status !== 200) return challenge;
    const { mfa_token: token, factors } = challenge.body;
    return call('POST', `/auth/v1/factors/${factors[0].id}/verify`, { code: given }, token as string);
  };
  const recover = (email: string) => call('POST', '/auth/v1/recover', { email });
  const reset = (token: string, password = NEW_PASSWORD) =>
    call('POST', '/auth/v1/password_reset', { token, password });
  return { mail, data, owner, call, code, signIn, recover, reset, pass: (time: number) => void (offset += time) };
}

function tokenIn({ text }: ReceivedMail): string {
  return decodeURIComponent(/#\/reset\?token=([\w%-]+)/.exec(text)![1]!);
}

describe('a forgotten password', () => {
  test('is replaced by a mailed link, once; every sign-in ends, and the second factor stays', async () => {
    const { mail, signIn, recover, reset, call } = await start();
    const before = await signIn(PASSWORD);
    const access = before.body.access_token as string;
    expect(await recover('ANNA@example.com')).toMatchObject({ status: 200 });
    const received = await mail.next();
    expect(received).toMatchObject({ from: 'backup@example.org', to: [EMAIL] });
    expect(received.text).toContain(`${PUBLIC}/#/reset?token=`);
    const token = tokenIn(received);
    expect(await reset(token, 'short')).toMatchObject({ status: 400 });
    const challenge = await reset(token);
    expect(challenge).toMatchObject({ status: 200, body: { mfa_required: true, factors: [{ type: 'totp' }] } });
    expect(challenge.text).not.toMatch(/access_token|enrolment_token/);
    expect((await call('GET', '/auth/v1/user', undefined, access)).status).toBe(401);
    const refresh = { refresh_token: before.body.refresh_token as string };
    expect((await call('POST', '/auth/v1/token?grant_type=refresh_token', refresh)).status).toBe(401);
    expect((await signIn(PASSWORD)).status).toBe(401);
    expect((await signIn(NEW_PASSWORD)).status).toBe(200);
    expect((await reset(token, 'yet another password')).status).toBe(404);
  });

  test('has the same answer for every address, and mail for those with an account only', async () => {
    const { mail, recover } = await start();
    const unknown = await recover('nobody@example.com');
    const known = await recover(EMAIL);
    expect(unknown).toEqual(known);
    expect((await mail.next()).to).toEqual([EMAIL]);
    await recover(EMAIL);
    expect((await mail.next()).to).toEqual([EMAIL]);
    expect(mail.received).toHaveLength(2);
    // A request that follows is as slow for an unknown address: the service signs in at the mail server for it, too.
    await expect.poll(() => mail.connections).toBe(3);
  });

  test('begins its work a random time after the answer', async () => {
    const { recover } = await start({ accounts: { passwordCost: CHEAP, resetDelay: 2 ** 31 - 2 } });
    const timers = vi.spyOn(globalThis, 'setTimeout');
    expect((await recover(EMAIL)).status).toBe(200);
    const delays = timers.mock.calls.map(([, delay]) => delay ?? 0).filter((delay) => delay > 600_000);
    timers.mockRestore();
    expect(delays).toHaveLength(1);
  });

  test('needs a newer link after another was sent, and within half an hour', async () => {
    const { mail, recover, reset, pass } = await start();
    await recover(EMAIL);
    const first = tokenIn(await mail.next());
    await recover(EMAIL);
    const second = tokenIn(await mail.next());
    expect((await reset(first)).status).toBe(404);
    pass(30 * MINUTE);
    expect((await reset(second)).status).toBe(404);
    await recover(EMAIL);
    const third = tokenIn(await mail.next());
    pass(29 * MINUTE);
    expect((await reset(third)).status).toBe(200);
  });

  test('is mailed three times, and then not for an hour, with the same answer', async () => {
    const { mail, recover, pass } = await start();
    for (let request = 0; request < 3; request += 1) {
      expect((await recover(EMAIL)).status).toBe(200);
      await mail.next();
    }
    expect((await recover(EMAIL)).status).toBe(200);
    pass(61 * MINUTE);
    await recover(EMAIL);
    await mail.next();
    expect(mail.received).toHaveLength(4);
  });

  test('has no link where the service sends no mail', async () => {
    const { recover, call } = await start({ mail: undefined as never });
    expect((await recover(EMAIL)).status).toBe(404);
    expect((await call('GET', '/auth/v1/settings')).body).toMatchObject({ password_reset: false });
  });

  test('is replaced by a link of the operator', async () => {
    const { data, reset, signIn, pass } = await start();
    const { address } = await resetServicePassword({ data, email: EMAIL, publicUrl: `${PUBLIC}/` });
    expect(address).toMatch(/^https:\/\/backup\.example\.org\/#\/reset\?token=hfr_/);
    expect((await signIn(PASSWORD)).status).toBe(200);
    pass(23 * 60 * MINUTE);
    expect((await reset(tokenIn({ text: address, from: '', to: [] }))).status).toBe(200);
    expect((await signIn(NEW_PASSWORD)).status).toBe(200);
    await expect(resetServicePassword({ data, email: 'eve@example.com' })).rejects.toMatchObject({ code: 'usage' });
  });
});

test('an account of the command line has ten recovery codes, each valid once', async () => {
  const { owner, signIn } = await start();
  const [first, second] = owner.recovery_codes as [string, string];
  expect(owner.recovery_codes).toHaveLength(10);
  expect((await signIn(PASSWORD, first)).status).toBe(200);
  expect((await signIn(PASSWORD, first)).status).toBe(401);
  expect((await signIn(PASSWORD, second.toUpperCase())).status).toBe(200);
});

test('an invitation is mailed with its link, and says so if it was not', async () => {
  const { mail, signIn, call } = await start();
  const { body: session } = await signIn(PASSWORD);
  const invite = (email: string) =>
    call('POST', '/auth/v1/invitations', { email, role: 'member' }, session.access_token as string);
  const { body: invited } = await invite('ben@example.com');
  expect(invited.mailed).toBe(true);
  const received = await mail.next();
  expect(received.to).toEqual(['ben@example.com']);
  expect(received.text).toContain(`${PUBLIC}/#/join?token=${invited.token}`);
  mail.isBusy = true;
  expect((await invite('cara@example.com')).body).toMatchObject({
    mailed: false,
    token: expect.stringMatching(/^hfi_/),
  });
});

describe('a new password', () => {
  const OLD_SIGN_IN = { email: EMAIL, password: PASSWORD };
  type Service = Awaited<ReturnType<typeof start>>;
  const REPLACED: readonly (readonly [string, (service: Service, access: string) => Promise<{ status: number }>])[] = [
    [
      'by a mailed link',
      async ({ mail, recover, reset }) => {
        await recover(EMAIL);
        return reset(tokenIn(await mail.next()));
      },
    ],
    [
      'by a link of the operator',
      async ({ data, reset }) => {
        const { address } = await resetServicePassword({ data, email: EMAIL, publicUrl: PUBLIC });
        return reset(tokenIn({ text: address, from: '', to: [] }));
      },
    ],
    [
      'by a change',
      ({ call }, access) =>
        call('PUT', '/auth/v1/user', { current_password: PASSWORD, password: NEW_PASSWORD }, access),
    ],
  ];

  test.each(REPLACED)('%s voids an MFA token of the old one', async (_, replace) => {
    const service = await start();
    const { call, signIn, code } = service;
    const access = (await signIn(PASSWORD)).body.access_token as string;
    const { body } = await call('POST', '/auth/v1/token?grant_type=password', OLD_SIGN_IN);
    expect((await replace(service, access)).status).toBe(200);
    const path = `/auth/v1/factors/${body.factors[0].id}/verify`;
    expect((await call('POST', path, { code: code() }, body.mfa_token as string)).status).toBe(401);
    expect((await signIn(NEW_PASSWORD)).status).toBe(200);
  });

  test.each(REPLACED.slice(0, 2))('%s voids an enrolment token of the old one', async (_, replace) => {
    const service = await start();
    const { call, data } = service;
    await resetServiceFactors({ data, email: EMAIL });
    const { body } = await call('POST', '/auth/v1/token?grant_type=password', OLD_SIGN_IN);
    const token = body.enrolment_token as string;
    const begun = await call('POST', '/auth/v1/factors', {}, token);
    expect(begun.status).toBe(200);
    expect((await replace(service, '')).status).toBe(200);
    expect((await call('POST', '/auth/v1/factors', {}, token)).status).toBe(401);
    const code = new TOTP({ secret: begun.body.totp.secret as string }).generate();
    const path = `/auth/v1/factors/${begun.body.id}/verify`;
    expect((await call('POST', path, { code }, token)).status).toBe(401);
    const renewed = await call('POST', '/auth/v1/token?grant_type=password', { email: EMAIL, password: NEW_PASSWORD });
    const next = renewed.body.enrolment_token as string;
    // A factor whose enrolment began with the old password is gone.
    expect((await call('POST', path, { code }, next)).status).toBe(401);
    expect((await call('POST', '/auth/v1/factors', {}, next)).status).toBe(200);
  });

  test('by a change voids a link that was mailed before', async () => {
    const { mail, recover, reset, signIn, call } = await start();
    const access = (await signIn(PASSWORD)).body.access_token as string;
    await recover(EMAIL);
    const link = tokenIn(await mail.next());
    const change = { current_password: PASSWORD, password: NEW_PASSWORD };
    expect((await call('PUT', '/auth/v1/user', change, access)).status).toBe(200);
    expect((await reset(link, 'a password by the old link')).status).toBe(404);
    expect((await signIn(NEW_PASSWORD)).status).toBe(200);
  });
});

test('a copy of a service sends no mail until somebody takes over, and logs that', async () => {
  const original = await start();
  const data = join(await temporaryDirectory(), 'copy');
  await copyService(original.data, data);
  const logged: string[] = [];
  const log = pino({}, { write: (line: string) => void logged.push(line) });
  const { mail, recover } = await start({ data, log });
  expect((await recover(EMAIL)).status).toBe(200);
  await expect.poll(() => logged.join('')).toContain('a mail was not sent: this is a copy');
  expect(logged.join('')).not.toContain(EMAIL);
  expect(mail.received).toEqual([]);
  await asOperator({ data }, (metadata) => takeOver(metadata, data, Date.now()));
  await expect.poll(() => logged.join(''), { timeout: 20_000 }).toContain('this copy is the service now');
  await recover(EMAIL);
  expect((await mail.next()).to).toEqual([EMAIL]);
});
