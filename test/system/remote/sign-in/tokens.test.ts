import { describe, expect, test } from 'vitest';
import { discardResponse } from '../../../../src/remote/client/responses.ts';
import { connectAsUser } from '../../../../src/remote/connection.ts';
import { DeviceSignIn } from '../../../../src/remote/sign-in/device-token-source.ts';
import { RenewingTokenSource } from '../../../../src/remote/sign-in/renewing-token-source.ts';
import { signIn } from '../../../../src/remote/sign-in/sign-in.ts';
import { connectTo, deviceOf, MemorySessionStore, strictService, userOf } from '../../../unit/remote/connections.ts';
import { FakeService } from '../fake-service.ts';
import { InstantClock } from '../../../unit/remote/instant-clock.ts';

const LIST = { method: 'GET', path: '/rest/v1/devices', read: discardResponse } as const;

test('signs in a device whose clock is wrong by an hour', async () => {
  const service = await strictService({ clockOffsetSeconds: -3600 });
  const connection = deviceOf(service, { clock: new InstantClock(() => Date.now()) });

  await connection.service.devices();

  // The first rejection's Date corrects the second signature.
  expect(service.callsOf('auth/device')).toBe(2);
  expect(service.departures).toEqual([]);
});

test('signs in two processes of one device in the same second', async () => {
  const service = await strictService();
  const now = Math.floor(Date.now() / 1000) * 1000 + 500;
  for (let process = 0; process < 2; process += 1) {
    await deviceOf(service, { clock: new InstantClock(() => now) }).service.devices();
  }
  expect(service.callsOf('auth/device')).toBeGreaterThan(2);
});

test('signs in a script that runs commands in quick succession', async () => {
  const service = await strictService();
  const now = Math.floor(Date.now() / 1000) * 1000 + 500;
  const clock = new InstantClock(() => now);
  for (let command = 0; command < 8; command += 1) await deviceOf(service, { clock }).service.devices();
  expect(service.departures).toEqual([]);
});

test('makes a different signature for each sign-in of a process', async () => {
  const service = await strictService();
  const { calls } = connectTo(service.baseUrl);
  const device = new DeviceSignIn(calls, { deviceId: service.device.id, deviceKey: service.device.key });
  for (let count = 0; count < 5; count += 1) expect((await device.session()).access_token).not.toBe('');
  expect(service.callsOf('auth/device')).toBe(5);
});

test('fails after a few attempts when the device key is wrong', async () => {
  const service = await strictService();
  const { calls } = connectTo(service.baseUrl);
  const device = new DeviceSignIn(calls, { deviceId: service.device.id, deviceKey: 'another' });
  await expect(device.session()).rejects.toMatchObject({ code: 'device_refused', details: { deviceId: 'device-1' } });
  expect(service.callsOf('auth/device')).toBe(4);
});

describe('a service that rejects the time of a signature', () => {
  /** Without a Date header, as behind a proxy that removes it. */
  function serviceAt(time: () => number, says: (now: number) => object): { service: FakeService; tries: () => number } {
    const service = new FakeService({
      capabilities: [],
      routes: {
        '/functions/v1/auth/device': ({ signature }) => {
          const [, seconds] = /^t=(\d+),/.exec(String(signature))!;
          if (Math.abs(Number(seconds) * 1000 - time()) <= 300_000) {
            const device = { id: 'd', name: 'd', permissions: [] };
            return Response.json({ access_token: 'token', expires_in: 3600, device });
          }
          const problem = { code: 'signature_time_invalid', ...says(time()) };
          return Response.json(problem, { status: 401 });
        },
      },
    });
    return { service, tries: () => service.requestsTo('/functions/v1/auth/device').length };
  }

  test('is signed in to with the time that it reports', async () => {
    const skews: number[] = [];
    const { service, tries } = serviceAt(
      () => service.clock.now() + 7_200_000,
      (now) => ({ service_time: new Date(now).toISOString() }),
    );
    await service
      .connection({ onSkew: (skew) => skews.push(skew) })
      .calls.call(LIST)
      .catch(() => undefined);
    expect(tries()).toBe(2);
    expect(skews).toEqual([7_200_000]);
  });

  test('causes `clock_wrong` when it does not report its time', async () => {
    const { service } = serviceAt(
      () => service.clock.now() - 7_200_000,
      () => ({}),
    );
    await expect(service.connection().calls.call(LIST)).rejects.toMatchObject({
      code: 'clock_wrong',
      details: { status: 401 },
    });
  });
});

test.each([
  ['a web site', { kind: 'html' }, 'service_broken'],
  ['a web site without such a page', { kind: 'html', status: 404 }, 'service_broken'],
  ['a service that does not know the device', { kind: 'status', status: 404 }, 'device_refused'],
  ['a service that forbids the device', { kind: 'status', status: 403 }, 'device_refused'],
] as const)('%s is distinguished from other failures', async (_, fault, code) => {
  const service = await strictService();
  service.script({ endpoint: 'auth/device', call: 1, fault });
  await expect(deviceOf(service).service.devices()).rejects.toMatchObject({ code });
});

test('shares one renewal among calls with the same expired token', async () => {
  const service = await strictService();
  const { connection } = await userOf(service);
  await connection.service.capabilities();
  service.script({ endpoint: 'devices', call: 1, fault: { kind: 'token-expired' } });

  const lists = await Promise.all(Array.from({ length: 8 }, () => connection.service.devices()));

  expect(lists.every((list) => list.length === 1)).toBe(true);
  expect(service.callsOf('auth/refresh')).toBe(1);
  expect(service.departures).toEqual([]);
});

test('renews a token a minute before it expires', async () => {
  const service = await strictService();
  const clock = new InstantClock();
  const { connection } = await userOf(service, { clock });

  clock.advance(3_539_000);
  await connection.service.devices();
  expect(service.callsOf('auth/refresh')).toBe(0);
  clock.advance(2000);
  await connection.service.devices();
  expect(service.callsOf('auth/refresh')).toBe(1);
});

test('uses a token that is valid only for seconds', async () => {
  const service = await strictService({ tokenSeconds: 10 });
  const clock = new InstantClock();
  const connection = deviceOf(service, { clock });
  await connection.service.devices();
  await connection.service.devices();
  expect(service.callsOf('auth/device')).toBe(1);
  clock.advance(9000);
  await connection.service.devices();
  expect(service.callsOf('auth/device')).toBe(2);
});

test('stores the new refresh token before using its access token', async () => {
  const service = await strictService();
  const { connection, store } = await userOf(service);
  service.script({ endpoint: 'devices', call: 1, fault: { kind: 'token-expired' } });
  const before = store.stored!.refreshToken;
  store.failure = new Error('disk full');

  // Until it can be stored it is not used, and neither is its spent predecessor.
  await expect(connection.service.devices()).rejects.toThrow('disk full');
  await expect(connection.service.devices()).rejects.toThrow('disk full');
  expect(service.callsOf('devices')).toBe(1);

  store.failure = undefined;
  await connection.service.devices();
  expect(service.callsOf('auth/refresh')).toBe(1);
  expect(store.stored!.refreshToken).not.toBe(before);
  expect(service.departures).toEqual([]);
});

test('loads a session that another process renewed', async () => {
  const service = await strictService();
  const clock = new InstantClock();
  const { store } = await userOf(service, { clock });
  const first = await connectAsUser(connectTo(service.baseUrl, { clock }), store);
  const second = await connectAsUser(connectTo(service.baseUrl, { clock }), store);
  clock.advance(3_600_000);

  await first.service.devices();
  await second.service.devices();

  expect(service.callsOf('auth/refresh')).toBe(2);
  expect(service.departures).toEqual([]);
});

test('reports `signed_out` for a spent refresh token', async () => {
  const service = await strictService();
  const { calls } = connectTo(service.baseUrl);
  const store = new MemorySessionStore({ refreshToken: 'never given out', accessToken: 'old', expiresAt: 0 });
  const connection = await connectAsUser(connectTo(service.baseUrl), store);
  await expect(connection.service.devices()).rejects.toMatchObject({
    code: 'signed_out',
    details: { address: `${calls.baseUrl}/auth/v1/token` },
  });
  store.stored = undefined;
  await expect(connection.service.devices()).rejects.toMatchObject({ code: 'signed_out' });
});

test('completes a refresh under way when no caller waits for it', async () => {
  const service = await strictService();
  const { connection, store } = await userOf(service);
  service.script({ endpoint: 'devices', call: 1, fault: { kind: 'token-expired' } });
  service.script({ endpoint: 'auth/refresh', call: 1, fault: { kind: 'slow', milliseconds: 50 } });
  const abort = new AbortController();
  const call = connection.service.devices(abort.signal);
  await expect.poll(() => service.callsOf('auth/refresh')).toBe(1);
  abort.abort(new Error('stop'));
  await expect(call).rejects.toThrow('stop');

  await connection.service.devices();

  expect(store.persisted).toHaveLength(1);
  expect(service.callsOf('auth/refresh')).toBe(1);
  expect(service.departures).toEqual([]);
});

test('continues a renewal for the other callers when one is aborted', async () => {
  let finish: (token: string) => void = () => undefined;
  const clock = new InstantClock();
  const source = new RenewingTokenSource({
    rejectionCode: 'signed_out',
    clock,
    renew: () => new Promise((resolve) => (finish = (token) => resolve({ token, expiresAt: clock.now() + 60_000 }))),
  });
  const abort = new AbortController();
  const leaving = source.token(abort.signal);
  const staying = source.token();
  abort.abort(new Error('left'));
  await expect(leaving).rejects.toThrow('left');
  finish('new');
  await expect(staying).resolves.toBe('new');
});

test.each([
  ['password_wrong', { password: 'wrong', code: 'right' }],
  ['password_wrong', { email: 'bob@example.com', code: 'right' }],
  ['code_needed', { code: undefined }],
  ['code_wrong', { code: '000000x' }],
] as const)('signing in fails with %s for %o', async (expected, change) => {
  const service = await strictService();
  const { email, password } = service.user;
  const credentials = { email, password, ...change, code: change.code === 'right' ? service.code() : change.code };
  await expect(signIn(connectTo(service.baseUrl).calls, credentials)).rejects.toMatchObject({ code: expected });
  expect(service.departures).toEqual([]);
});

test('accepts a code with spaces', async () => {
  const service = await strictService();
  const { email, password } = service.user;
  const code = service.code().replace(/^(...)/, '$1 ');
  const session = await signIn(connectTo(service.baseUrl).calls, { email, password, code });
  expect(session.user).toEqual({ id: 'user-1', email, role: 'owner' });
  expect(service.departures).toEqual([]);
});
