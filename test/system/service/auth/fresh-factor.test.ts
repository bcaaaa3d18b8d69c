import { beforeEach, describe, expect, test } from 'vitest';
import { join, open, PASSWORD, PortalBrowser, setUp } from '../../../app/portal/portal-browser.ts';
import type { PortalService } from '../../../app/portal/portal-service.ts';

const MINUTE = 60_000;
const API = '/portal/v1/api';
const CONFIRMATION = `${API}/auth/v1/confirmation`;
const POLICY = { daily: 1, time_zone: 'UTC' };

let service: PortalService;
let owner: PortalBrowser;
let secret: string;
let device: string;
let member: { readonly id: string };
let webhook: string;
let point: string;
beforeEach(async () => {
  const opened = await open();
  service = opened.service;
  owner = opened.browser;
  secret = await setUp(opened);
  device = await service.addDevice('Laptop', 'linux');
  for (const content of [1, 2]) await service.backUp(device, 'Documents', { '/a': Buffer.alloc(100, content) });
  await join(service, owner, 'mia@example.org', 'member');
  const { body: members } = await owner.ask('GET', `${API}/auth/v1/members`);
  member = members.members.find(({ role }: { role: string }) => role === 'member');
  const { body: added } = await owner.ask('POST', '/portal/v1/webhooks', {
    url: 'https://hooks.example.org/a',
    events: ['backup.failed'],
  });
  webhook = added.webhook_id as string;
  const { body: shown } = await retention({ action: 'show' });
  point = shown.state.points[1].backup_id as string;
});

function retention(request: object, browser = owner) {
  const set = { device_id: device, backup_set: 'Documents' };
  return browser.ask('POST', `${API}/functions/v1/retention`, { ...set, ...request });
}

function now(): number {
  return service.service.context.clock.now();
}

/** What a stolen token must not do, in an order in which all of it succeeds. */
function sensitive(): readonly (readonly [string, string, object?])[] {
  const of = (request: object) => ({ device_id: device, backup_set: 'Documents', ...request });
  return [
    ['POST', `${API}/functions/v1/retention`, of({ action: 'set', policy: POLICY })],
    ['POST', `${API}/functions/v1/retention`, of({ action: 'unpin', backup_id: point })],
    ['POST', `${API}/functions/v1/retention`, of({ action: 'release' })],
    ['POST', `${API}/functions/v1/retention`, of({ action: 'remove', backup_id: point })],
    ['POST', `${API}/functions/v1/retention`, of({ action: 'apply' })],
    ['POST', `${API}/functions/v1/retention`, of({ action: 'lock', scope: 'account', minimum_days: 1 })],
    ['POST', `${API}/auth/v1/invitations`, { email: 'eve@example.org', role: 'admin' }],
    ['PATCH', `${API}/auth/v1/members/${member.id}`, { role: 'admin' }],
    ['DELETE', `${API}/auth/v1/members/${member.id}/factors`],
    ['DELETE', `${API}/auth/v1/members/${member.id}`],
    ['POST', '/portal/v1/webhooks', { url: 'https://eve.example.org', events: ['backup.completed'] }],
    ['PATCH', `/portal/v1/webhooks/${webhook}`, { enabled: false }],
    ['POST', `/portal/v1/webhooks/${webhook}/secret`],
    ['DELETE', `/portal/v1/webhooks/${webhook}`],
    ['POST', `${API}/auth/v1/erasures`, { scope: 'account' }],
    ['DELETE', `${API}/rest/v1/devices/${device}`],
  ];
}

describe('ten minutes after the last code of a sign-in', () => {
  beforeEach(() => service.advance(10 * MINUTE + 1));

  test('everything that removes or gives away something takes another code', async () => {
    for (const [method, path, body] of sensitive()) {
      const { status, body: problem } = await owner.ask(method, path, body);
      expect({ path, body, status, code: problem?.code as unknown }).toEqual({
        path,
        body,
        status: 403,
        code: 'factor_required',
      });
    }
    const code = service.code(secret);
    const before = now();
    const { status, body } = await owner.ask('POST', CONFIRMATION, { code });
    expect(status).toBe(200);
    const until = Date.parse(body.confirmed_until as string) - 10 * MINUTE;
    expect([until >= before, until <= now()]).toEqual([true, true]);
    for (const [method, path, request] of sensitive()) {
      expect({ path, request, status: (await owner.ask(method, path, request)).status }).toEqual({
        path,
        request,
        status: 200,
      });
    }
  });

  test('reading, pinning, and keeping everything take none', async () => {
    for (const request of [
      { action: 'show' },
      { action: 'preview', policy: POLICY },
      { action: 'pin', backup_id: point },
      { action: 'set', policy: null },
    ]) {
      expect((await retention(request)).status).toBe(200);
    }
    expect((await owner.ask('GET', `${API}/auth/v1/members`)).status).toBe(200);
    expect((await owner.ask('GET', '/portal/v1/webhooks')).status).toBe(200);
  });

  test('a wrong or used code confirms nothing', async () => {
    const past = service.code(secret);
    service.advance(5 * MINUTE);
    expect((await owner.ask('POST', CONFIRMATION, { code: past })).status).toBe(401);
    expect((await retention({ action: 'apply' })).body.code).toBe('factor_required');
    const { body: challenge } = await owner.ask('POST', '/auth/v1/token?grant_type=password', {
      email: 'anna@example.org',
      password: PASSWORD,
    });
    const used = service.code(secret);
    const other = new PortalBrowser(service);
    const verify = { mfa_token: challenge.mfa_token, factor_id: challenge.factors[0].id, code: used };
    expect((await other.ask('POST', '/portal/v1/verify', verify)).status).toBe(200);
    expect((await owner.ask('POST', CONFIRMATION, { code: used })).status).toBe(401);
    // Nor does the other sign-in.
    expect((await retention({ action: 'apply' })).body.code).toBe('factor_required');
    expect((await retention({ action: 'apply' }, other)).status).toBe(200);
    expect((await other.ask('POST', CONFIRMATION, { code: service.code(secret) })).status).toBe(200);
    expect((await retention({ action: 'apply' })).body.code).toBe('factor_required');
  });
});

test('a sign-in from a clock that was ahead takes a code', async () => {
  service.advance(-60 * MINUTE);
  expect((await retention({ action: 'apply' })).body.code).toBe('factor_required');
});

test('an admin takes a code, too', async () => {
  const admin = await join(service, owner, 'adam@example.org', 'admin');
  expect((await retention({ action: 'apply' }, admin)).status).toBe(200);
  service.advance(10 * MINUTE + 1);
  expect((await retention({ action: 'apply' }, admin)).body.code).toBe('factor_required');
});
