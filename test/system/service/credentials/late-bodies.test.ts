import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { open, PortalBrowser, setUp } from '../../../app/portal/portal-browser.ts';
import { DAY, ErasureService } from '../erasure/erasure-service.ts';
import type { Answer, TestService } from '../../../unit/service/harness.ts';

const MINUTE = 60_000;
const DEVICES = '/functions/v1/devices';
const DEVICE = { name: 'late', os: 'linux', agent_version: '1.0' };

/** A body that arrives when the test sends it. `awaited` resolves when the service waits for it, and knows the caller. */
function lateBody(content: unknown) {
  const { promise: awaited, resolve: onAwaited } = Promise.withResolvers<void>();
  let controller: ReadableStreamDefaultController<Uint8Array>;
  const start = (given: typeof controller): void => {
    controller = given;
  };
  const body = new ReadableStream({ start, pull: () => onAwaited() }, { highWaterMark: 0 });
  const send = (): void => {
    controller.enqueue(Buffer.from(JSON.stringify(content)));
    controller.close();
  };
  return { body, awaited, send };
}

/** Sends a request whose body arrives after `lose`. */
async function answerAfter(
  service: TestService,
  [path, token, content]: readonly [path: string, token: string, content: unknown],
  lose: () => Promise<unknown>,
): Promise<Answer> {
  const { body, awaited, send } = lateBody(content);
  const answer = service.post(path, token, body);
  await awaited;
  await lose();
  send();
  return answer;
}

const INVALID = { status: 401, body: { code: 'token_invalid' } };

describe('a request whose body arrives late', () => {
  test('registers a device while the caller is valid', async () => {
    const { service, owner, ...fixture } = await situation();
    const later = async () => service.clock.advance(MINUTE);
    const answer = await answerAfter(service, [DEVICES, await fixture.tokenOf(owner.id), DEVICE], later);
    expect(answer).toMatchObject({ status: 200, body: { device: { name: 'late' } } });
  });

  test.each([
    [
      '/functions/v1/restore/manifest',
      { backup_set: 'Set', point_in_time: '2100-01-01T00:00:00.000Z', path: '', recursive: true },
    ],
    ['/functions/v1/backup/open', { backup_set: 'Set' }],
  ])('to %s is refused when the device was revoked', async (path, content) => {
    const { service, revoke, device } = await situation();
    const request = [path, device.token, { device_id: device.id, ...content }] as const;
    expect(await answerAfter(service, request, revoke)).toMatchObject(INVALID);
  });

  test.each([
    [DEVICES, DEVICE],
    ['/functions/v1/backup/init', { backup_set: 'Set', files: [] }],
    ['/auth/v1/factors', { code: '123456' }],
  ])('to %s is refused when another process ended the sign-in', async (path, content) => {
    const { service, owner, context, tokenOf, device } = await situation();
    const token = await tokenOf(owner.id);
    const end = async () => {
      const claims = await service.service.tokens.verify(token, service.clock.now());
      const { accountId } = service;
      const audit = { accountId, userId: owner.id, occurredAt: service.clock.now(), kind: 'session.ended' } as const;
      expect(await context.metadata.signIns.end(owner.id, 'family' in claims ? claims.family : '', audit)).toBe(true);
      service.clock.advance(2_000);
    };
    const request = [path, token, { device_id: device.id, ...content }] as const;
    await service.call('GET', '/auth/v1/user', token);
    expect(await answerAfter(service, request, end)).toMatchObject(INVALID);
  });

  test('is refused when the person was removed', async () => {
    const { service, owner, join, tokenOf } = await situation();
    const mia = await join('mia@example.org', 'member');
    const by = await tokenOf(owner.id);
    const remove = async () => {
      await proved(service, by);
      expect((await service.call('DELETE', `/auth/v1/members/${mia}`, by)).status).toBe(200);
    };
    expect(await answerAfter(service, [DEVICES, await tokenOf(mia), DEVICE], remove)).toMatchObject(INVALID);
    expect((await service.call('GET', '/rest/v1/devices', by)).body.devices).toHaveLength(1);
  });

  test('is refused when the person no longer has the role', async () => {
    const { service, owner, join, tokenOf } = await situation();
    const adam = await join('adam@example.org', 'admin');
    const [by, token] = [await tokenOf(owner.id), await tokenOf(adam)];
    await proved(service, token);
    const demote = async () => {
      await proved(service, by);
      expect(
        (await service.call('PATCH', `/auth/v1/members/${adam}`, by, JSON.stringify({ role: 'member' }))).status,
      ).toBe(200);
    };
    const invitation = ['/auth/v1/invitations', token, { email: 'eve@example.org', role: 'admin' }] as const;
    expect(await answerAfter(service, invitation, demote)).toMatchObject({ status: 403 });
  });

  test('is refused when the account was erased', async () => {
    const { service, owner, tokenOf, request, pass, context } = await situation();
    expect((await request({ scope: 'account' })).status).toBe(200);
    await pass(7 * DAY - MINUTE);
    const answer = await answerAfter(service, [DEVICES, await tokenOf(owner.id), DEVICE], () => pass(2 * MINUTE));
    expect(answer).toMatchObject(INVALID);
    const devices = await context.metadata.deviceActivity.list(service.accountId);
    expect(devices.filter(({ revokedAt }) => revokedAt === undefined)).toEqual([]);
  });

  test('is refused when the token has expired', async () => {
    const { service, owner, tokenOf } = await situation();
    const pass = async () => service.clock.advance(61 * MINUTE);
    expect(await answerAfter(service, [DEVICES, await tokenOf(owner.id), DEVICE], pass)).toMatchObject(INVALID);
  });

  test.each(['/portal/v1/plan', '/portal/v1/api/auth/v1/user'])(
    'to %s is refused when the sign-in to the portal has ended',
    async (path) => {
      const { service, browser } = await open();
      await setUp({ service, browser });
      const { body, awaited, send } = lateBody({ name: 'Team', limit_bytes: 5_000 });
      const answer = service.service.fetch(
        new Request(service.url + path, {
          method: 'PUT',
          headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', cookie: browser.cookie },
          body,
          duplex: 'half',
        }),
      );
      await awaited;
      const other = new PortalBrowser(service);
      other.cookie = browser.cookie;
      expect((await other.ask('POST', '/portal/v1/sign-out')).status).toBe(200);
      send();
      expect((await answer).status).toBe(401);
    },
  );

  test('is refused when it takes more than 30 s', async () => {
    const { service, owner, tokenOf } = await situation();
    const token = await tokenOf(owner.id);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const late = async () => vi.advanceTimersByTime(30_000);
    const answer = await answerAfter(service, [DEVICES, token, DEVICE], late);
    expect(answer).toMatchObject({ status: 408, body: { code: 'request_timeout' } });
  });
});

async function situation() {
  const fixture = await ErasureService.open();
  const { service, owner, context } = fixture;
  const device = await fixture.addDevice('Laptop', owner.id);
  const tokenOf = (userId: string) => fixture.tokenOf(userId);
  const revoke = async (): Promise<void> => {
    const by = await tokenOf(owner.id);
    await proved(service, by);
    expect((await service.call('DELETE', `/rest/v1/devices/${device.id}`, by)).status).toBe(200);
  };
  return {
    service,
    owner,
    context,
    device,
    tokenOf,
    revoke,
    join: (email: string, role: 'admin' | 'member') => fixture.join(email, role),
    request: (body: Parameters<ErasureService['request']>[0]) => fixture.request(body),
    pass: (time: number) => fixture.pass(time),
  };
}

/** Proves the second factor of a sign-in now. */
async function proved({ service, clock }: TestService, token: string): Promise<void> {
  const claims = await service.tokens.verify(token, clock.now());
  if (claims.kind === 'user') await service.context.metadata.signIns.proved(claims.family, clock.now());
}
