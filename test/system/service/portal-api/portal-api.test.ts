import { describe, expect, test } from 'vitest';
import { enrol, open, PASSWORD, PortalBrowser, setUp } from '../../../app/portal/portal-browser.ts';

describe('set-up', () => {
  test('accepts the operator’s token once', async () => {
    const { service, browser } = await open();
    expect((await browser.ask('GET', '/portal/v1/state')).body).toEqual({ kind: 'set-up' });
    const owner = { email: 'anna@example.org', password: PASSWORD };
    const guess = await browser.ask('POST', '/portal/v1/set-up', { ...owner, setup_token: 'AAAAAAAAAAAAAAAAAAAA' });
    expect(guess.status).toBe(403);
    const token = await service.setUpToken();
    await setUp({ service, browser });
    expect(await service.setUpToken()).toBeUndefined();
    const again = await browser.ask('POST', '/portal/v1/set-up', {
      ...owner,
      email: 'eve@example.org',
      setup_token: token,
    });
    expect(again.status).toBe(403);
    expect((await browser.ask('GET', '/portal/v1/state')).body.user.role).toBe('owner');
  });

  test('creates one account when many try at once', async () => {
    const { service, browser } = await open();
    const token = await service.setUpToken();
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((name) =>
        browser.ask('POST', '/portal/v1/set-up', {
          setup_token: token,
          email: `${name}@example.org`,
          password: PASSWORD,
        }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});

describe('the cookie', () => {
  test('is inaccessible to scripts and other sites', async () => {
    const { service, browser } = await open();
    await setUp({ service, browser });
    expect(browser.cookie).toMatch(/^holdfast=/);
    service.advance(3_600_000);
    const { set } = await browser.ask('GET', '/portal/v1/state');
    expect(set).toMatch(/; HttpOnly; SameSite=Strict; Max-Age=\d+$/);
  });

  test('is Secure if the service uses https', async () => {
    const { service, browser } = await open('https://backup.example.org');
    await setUp({ service, browser });
    service.advance(3_600_000);
    const { set } = await browser.ask('GET', '/portal/v1/state');
    expect(set).toMatch(/^__Host-holdfast=[^;]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+; Secure$/);
  });

  test('is invalid after signing out anywhere', async () => {
    const { service, browser } = await open();
    await setUp({ service, browser });
    const kept = browser.cookie;
    expect((await browser.ask('GET', '/portal/v1/usage')).status).toBe(200);
    expect((await browser.ask('POST', '/portal/v1/sign-out')).set).toMatch(/Max-Age=0/);
    browser.cookie = kept;
    expect((await browser.ask('GET', '/portal/v1/usage')).status).toBe(401);
    expect((await browser.ask('GET', '/portal/v1/api/rest/v1/devices')).status).toBe(401);
    expect((await browser.ask('GET', '/portal/v1/state')).body).toMatchObject({ kind: 'signed-out', providers: [] });
  });

  test('expires after half a day without use, and is not an access token', async () => {
    const { service, browser } = await open();
    await setUp({ service, browser });
    const authorization = `Bearer ${browser.cookie.split('=')[1]!}`;
    const asToken = await service.service.fetch(
      new Request(`${service.url}/rest/v1/devices`, { headers: { authorization } }),
    );
    expect(asToken.status).toBe(401);
    service.advance(12 * 3_600_000 + 1_000);
    expect((await browser.ask('GET', '/portal/v1/usage')).status).toBe(401);
  });
});

describe('another site', () => {
  const requests: readonly (readonly [string, string])[] = [
    ['POST', '/portal/v1/sign-in'],
    ['POST', '/portal/v1/set-up'],
    ['POST', '/portal/v1/sign-out'],
    ['POST', '/portal/v1/webhooks'],
    ['DELETE', '/portal/v1/webhooks/whk_1'],
    ['PUT', '/portal/v1/api/auth/v1/user'],
    ['POST', '/portal/v1/api/auth/v1/invitations'],
  ];

  test.each(requests)('cannot %s %s', async (method, path) => {
    const { service, browser } = await open();
    await setUp({ service, browser });
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { 'content-type': 'text/plain' },
    ]) {
      expect((await browser.ask(method, path, {}, headers)).status).toBe(403);
    }
  });

  test('is detected by its origin if the browser sends nothing else', async () => {
    const { service } = await open();
    const from = async (origin: string | undefined) => {
      const headers = { 'content-type': 'application/json', ...(origin === undefined ? {} : { origin }) };
      const body = JSON.stringify({ email: 'a@example.org', password: 'x' });
      return (
        await service.service.fetch(new Request(`${service.url}/portal/v1/sign-in`, { method: 'POST', headers, body }))
      ).status;
    };
    expect(await from(undefined)).toBe(403);
    expect(await from('null')).toBe(403);
    expect(await from('https://evil.example')).toBe(403);
    expect(await from(service.url)).toBe(401);
  });
});

describe('the gateway', () => {
  test.each([
    '/functions/v1/backup/init',
    '/auth/v1/token',
    '/auth/v1/users',
    '/objects/v1/x',
    '/portal/v1/usage',
    '/auth/v1/../../functions/v1/backup/init',
  ])('leads not to %s', async (path) => {
    const { service, browser } = await open();
    await setUp({ service, browser });
    expect((await browser.ask('GET', `/portal/v1/api${path}`)).status).toBe(404);
  });

  test('reads no more of a body than the service accepts', async () => {
    const { service, browser } = await open();
    await setUp({ service, browser });
    const piece = Buffer.alloc(1024 * 1024, ' ');
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += 1;
        if (sent > 32) controller.close();
        else controller.enqueue(piece);
      },
    });
    const headers = { cookie: browser.cookie, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
    const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
    const answer = await service.service.fetch(new Request(`${service.url}/portal/v1/api/auth/v1/invitations`, init));
    expect([answer.status, sent < 8]).toEqual([413, true]);
  });

  test('rejects an access token instead of the cookie', async () => {
    const { service, browser } = await open();
    await setUp({ service, browser });
    const account = await service.accountId();
    const device = await service.addDevice('Laptop', 'linux');
    const token = await service.service.tokens.issue(
      { kind: 'device', sub: device, account },
      service.service.context.clock.now(),
    );
    browser.cookie = '';
    const answer = await browser.ask('GET', '/portal/v1/api/rest/v1/devices', undefined, {
      authorization: `Bearer ${token}`,
    });
    expect(answer.status).toBe(401);
  });
});

test('shows a member devices and usage, but not webhooks and members', async () => {
  const { service, browser } = await open();
  await setUp({ service, browser });
  const invitation = { email: 'ben@example.org', role: 'member' };
  const { body: invited } = await browser.ask('POST', '/portal/v1/api/auth/v1/invitations', invitation);
  const member = new PortalBrowser(service);
  const { body: challenge } = await member.ask('POST', '/portal/v1/join', { token: invited.token, password: PASSWORD });
  await enrol(service, member, challenge.enrolment_token);
  expect((await member.ask('GET', '/portal/v1/usage')).status).toBe(200);
  expect((await member.ask('GET', '/portal/v1/api/rest/v1/devices')).status).toBe(200);
  expect((await member.ask('GET', '/portal/v1/webhooks')).status).toBe(403);
  expect((await member.ask('POST', '/portal/v1/webhooks', { url: 'https://example.org', events: [] })).status).toBe(
    403,
  );
  expect((await member.ask('GET', '/portal/v1/api/auth/v1/audit')).status).toBe(403);
});

test('returns usage, sets and deduplication of the account', async () => {
  const { service, browser } = await open();
  await setUp({ service, browser });
  const device = await service.addDevice('Laptop', 'linux');
  const same = Buffer.alloc(1_000, 1);
  await service.backUp(device, 'Documents', { '/a': same });
  service.advance((24 * 3_600_000) / 4);
  await service.backUp(device, 'Documents', { '/a': same, '/b': Buffer.alloc(500, 2) });
  service.advance(-6 * 3_600_000);
  const { body: usage } = await browser.ask('GET', '/portal/v1/usage');
  expect(usage).toMatchObject({ storage_used: 1_000 + 500 + 2 * 28, plan: null });
  const total = (key: string) => usage.days.reduce((sum: number, day: Record<string, number>) => sum + day[key]!, 0);
  expect([total('runs'), total('bytes'), total('bytes_new')]).toEqual([2, 2_500, 1_500]);
  const { body: sets } = await browser.ask('GET', '/portal/v1/backup-sets');
  expect(sets.backup_sets).toMatchObject([
    { device_name: 'Laptop', name: 'Documents', restore_points: 2, files: 2, bytes: 1_500 },
  ]);
});

test('shows a webhook secret once, and protects other accounts’ webhooks', async () => {
  const { service, browser } = await open();
  await setUp({ service, browser });
  const refused = await browser.ask('POST', '/portal/v1/webhooks', { url: 'ftp://example.org', events: [] });
  expect([refused.status, refused.body.code]).toEqual([422, 'unprocessable']);
  const { body: added } = await browser.ask('POST', '/portal/v1/webhooks', {
    url: 'https://hooks.example.org/a',
    events: ['device.registered'],
  });
  expect(added.signing_secret).toMatch(/.{20}/);
  const list = await browser.ask('GET', '/portal/v1/webhooks');
  expect(list.text).not.toContain(added.signing_secret);
  await service.addDevice('Laptop', 'linux');
  const path = `/portal/v1/webhooks/${added.webhook_id}`;
  const { body: log } = await browser.ask('GET', `${path}/deliveries`);
  expect(log.deliveries).toMatchObject([{ event: 'device.registered', state: 'waiting' }]);
  expect((await browser.ask('POST', `${path}/deliveries/${log.deliveries[0].id}/resend`)).status).toBe(200);
  expect((await browser.ask('POST', `${path}/deliveries/dlv_none/resend`)).status).toBe(404);
  const { body: rotated } = await browser.ask('POST', `${path}/secret`);
  expect(rotated.signing_secret).not.toBe(added.signing_secret);
  expect((await browser.ask('DELETE', path)).status).toBe(200);
  expect((await browser.ask('GET', `${path}/deliveries`)).status).toBe(404);
});

test('reports a missing build instead of another page', async () => {
  const { browser } = await open();
  const answer = await browser.ask('GET', '/');
  expect([answer.status, answer.body.code]).toEqual([503, 'unavailable']);
});
