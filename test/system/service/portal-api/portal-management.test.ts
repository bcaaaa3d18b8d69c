import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { enrol, join, open, PASSWORD, PortalBrowser, setUp } from '../../../app/portal/portal-browser.ts';
import { Browser } from '../../../helpers/identity-provider/browser.ts';
import { CLIENT, startIdentityProvider } from '../../../helpers/identity-provider/identity-provider.ts';

const PLAN = '/portal/v1/plan';
const PAYMENTS = '/portal/v1/plan/payments';
const RETENTION = '/portal/v1/api/functions/v1/retention';

async function auditKinds(browser: PortalBrowser): Promise<readonly string[]> {
  const { body } = await browser.ask('GET', '/portal/v1/api/auth/v1/audit?limit=200');
  return body.entries.map(({ kind }: { kind: string }) => kind);
}

test('plan, quota and payments are changed by owners and admins and visible to all', async () => {
  const { service, browser } = await open();
  await setUp({ service, browser });
  const hook = { url: 'https://hooks.example.org/a', events: ['billing.plan_changed', 'billing.payment_failed'] };
  const { body: added } = await browser.ask('POST', '/portal/v1/webhooks', hook);
  expect((await browser.ask('GET', PLAN)).body).toEqual({ plan: null, storage_used: 0, may_change: true });
  const changed = await browser.ask('PUT', PLAN, { name: 'Team', limit_bytes: 5_000 });
  expect(changed.body).toMatchObject({ plan: { name: 'Team', limit_bytes: 5_000, payment_failed: null } });
  const failed = await browser.ask('POST', PAYMENTS, { kind: 'failed', reason: 'card_declined', amount: '19.90' });
  expect(failed.body.plan.payment_failed).toMatch(/Z$/);
  expect((await browser.ask('POST', PAYMENTS, { kind: 'received' })).body.plan.payment_failed).toBeNull();
  expect((await browser.ask('PUT', PLAN, { name: 'Team', limit_bytes: 0 })).status).toBe(400);
  const { body: log } = await browser.ask('GET', `/portal/v1/webhooks/${added.webhook_id}/deliveries`);
  const events = log.deliveries.map(({ event }: { event: string }) => event).toSorted();
  expect(events).toEqual(['billing.payment_failed', 'billing.plan_changed']);
  expect((await auditKinds(browser)).slice(0, 3)).toEqual(['payment.received', 'payment.failed', 'plan.changed']);

  const admin = await join(service, browser, 'ad@example.org', 'admin');
  expect((await admin.ask('PUT', PLAN, { name: 'Large', limit_bytes: null })).status).toBe(200);
  const member = await join(service, browser, 'ben@example.org', 'member');
  expect((await member.ask('GET', PLAN)).body).toMatchObject({ plan: { name: 'Large' }, may_change: false });
  expect((await member.ask('PUT', PLAN, { name: 'Mine', limit_bytes: null })).status).toBe(403);
  expect((await member.ask('POST', PAYMENTS, { kind: 'received' })).status).toBe(403);
});

test('the owner of another account cannot change their own limit', async () => {
  const { service, browser } = await open(undefined, { signup: true });
  await setUp({ service, browser });
  const stranger = new PortalBrowser(service);
  const { body: challenge } = await stranger.ask('POST', '/auth/v1/signup', {
    email: 'eve@example.org',
    password: PASSWORD,
  });
  await enrol(service, stranger, challenge.enrolment_token);
  expect((await stranger.ask('GET', PLAN)).body).toMatchObject({ may_change: false });
  expect((await stranger.ask('PUT', PLAN, { name: 'Free', limit_bytes: null })).status).toBe(403);
  expect((await stranger.ask('POST', PAYMENTS, { kind: 'received' })).status).toBe(403);
});

test('changes of a webhook’s address and events are audited', async () => {
  const { service, browser } = await open();
  await setUp({ service, browser });
  const hook = { url: 'https://hooks.example.org/a', events: ['backup.failed'] };
  const { body: added } = await browser.ask('POST', '/portal/v1/webhooks', hook);
  const path = `/portal/v1/webhooks/${added.webhook_id}`;
  const other = { url: 'https://hooks.example.org/b', events: ['backup.failed', 'device.offline'] };
  expect((await browser.ask('PATCH', path, other)).status).toBe(200);
  expect((await browser.ask('GET', '/portal/v1/webhooks')).body.webhooks).toMatchObject([other]);
  expect((await browser.ask('PATCH', path, { ...other, url: 'ftp://hooks.example.org' })).status).toBe(422);
  expect((await browser.ask('PATCH', path, { url: other.url })).status).toBe(400);
  expect((await browser.ask('PATCH', '/portal/v1/webhooks/whk_none', other)).status).toBe(404);
  await browser.ask('PATCH', path, { enabled: false });
  await browser.ask('PATCH', path, { enabled: true });
  await browser.ask('POST', `${path}/secret`);
  await browser.ask('DELETE', path);
  expect((await auditKinds(browser)).slice(0, 6)).toEqual([
    'webhook.removed',
    'webhook.secret_changed',
    'webhook.enabled',
    'webhook.disabled',
    'webhook.changed',
    'webhook.added',
  ]);
});

test('retention is previewed, set and pinned in the portal and audited', async () => {
  const { service, browser } = await open();
  const secret = await setUp({ service, browser });
  const device = await service.addDevice('Laptop', 'linux');
  for (const content of [1, 2, 3]) {
    await service.backUp(device, 'Documents', { '/a': Buffer.alloc(1_000, content) });
    service.advance(3_600_000);
  }
  await browser.ask('POST', '/portal/v1/api/auth/v1/confirmation', { code: service.code(secret) });
  const set = { device_id: device, backup_set: 'Documents' };
  const ask = async (by: PortalBrowser, request: object) => by.ask('POST', RETENTION, { ...set, ...request });
  const policy = { hourly: 1, time_zone: 'UTC' };
  const { body: preview } = await ask(browser, { action: 'preview', policy });
  expect([preview.removed, preview.frees[0].bytes > 0]).toEqual([2, true]);
  const oldest = preview.state.points[2].backup_id as string;
  expect((await ask(browser, { action: 'pin', backup_id: oldest })).body.state.points[2].pinned).toBe(true);
  await ask(browser, { action: 'pin', backup_id: oldest });
  expect((await ask(browser, { action: 'set', policy })).body.state.policy).toMatchObject(policy);
  expect((await ask(browser, { action: 'apply' })).body.removed).toBe(1);
  expect((await ask(browser, { action: 'remove', backup_id: oldest })).status).toBe(409);
  await ask(browser, { action: 'unpin', backup_id: oldest });
  expect((await ask(browser, { action: 'remove', backup_id: oldest })).status).toBe(200);
  await ask(browser, { action: 'lock', scope: 'set', minimum_days: 3 });
  expect((await ask(browser, { action: 'lock', scope: 'set', minimum_days: 2 })).status).toBe(409);
  await ask(browser, { action: 'release' });
  expect((await auditKinds(browser)).slice(0, 6)).toEqual([
    'retention.locked',
    'restore_point.removed',
    'restore_point.unpinned',
    'retention.applied',
    'retention.changed',
    'restore_point.pinned',
  ]);
  const member = await join(service, browser, 'ben@example.org', 'member');
  expect((await ask(member, { action: 'show' })).status).toBe(200);
  expect((await ask(member, { action: 'set', policy: null })).status).toBe(403);
});

test('an admin manages members but not other admins', async () => {
  const { service, browser } = await open();
  await setUp({ service, browser });
  const one = await join(service, browser, 'one@example.org', 'admin');
  await join(service, browser, 'two@example.org', 'admin');
  await join(service, browser, 'ben@example.org', 'member');
  const MEMBERS = '/portal/v1/api/auth/v1/members';
  const { body } = await browser.ask('GET', MEMBERS);
  const idOf = (email: string) => body.members.find((member: { email: string }) => member.email === email).id as string;
  const two = idOf('two@example.org');
  expect((await one.ask('PATCH', `${MEMBERS}/${two}`, { role: 'member' })).status).toBe(403);
  expect((await one.ask('DELETE', `${MEMBERS}/${two}/factors`)).status).toBe(403);
  expect((await one.ask('DELETE', `${MEMBERS}/${two}`)).status).toBe(403);
  expect((await one.ask('DELETE', `${MEMBERS}/${idOf('ben@example.org')}/factors`)).status).toBe(200);
  expect((await browser.ask('PATCH', `${MEMBERS}/${two}`, { role: 'member' })).status).toBe(200);
  expect((await one.ask('PATCH', `${MEMBERS}/${idOf('one@example.org')}`, { role: 'member' })).status).toBe(200);
});

test('signing in to the portal through an identity provider leads to the second factor', async () => {
  let url = '';
  const issuer = await startIdentityProvider(() => `${url}/auth/v1/callback`);
  const { service, browser } = await open(undefined, {
    signup: true,
    providers: [{ name: 'company', issuer, ...CLIENT }],
  });
  ({ url } = service);
  await setUp({ service, browser });
  const visitor = new PortalBrowser(service);
  expect((await visitor.ask('GET', '/portal/v1/state')).body).toMatchObject({
    kind: 'signed-out',
    providers: ['company'],
  });
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    provider: 'company',
    redirect_to: `${url}/`,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 's256',
  });
  const start = `${url}/auth/v1/authorize?${query.toString()}`;
  const end = await new Browser(fetch).signIn(start, 'carla', (to) => to.startsWith(`${url}/?`));
  const code = end.searchParams.get('code');
  const wrong = { auth_code: code, code_verifier: 'x'.repeat(43) };
  expect((await visitor.ask('POST', '/portal/v1/provider', wrong, { 'sec-fetch-site': 'cross-site' })).status).toBe(
    403,
  );
  const answer = await visitor.ask('POST', '/portal/v1/provider', { auth_code: code, code_verifier: verifier });
  expect([answer.status, answer.body.factors]).toEqual([200, []]);
  await enrol(service, visitor, answer.body.enrolment_token);
  expect((await visitor.ask('GET', '/portal/v1/state')).body.user.email).toBe('carla@example.com');
});

test('tests of webhooks are limited to ten a minute for an account', async () => {
  const opened = await open();
  await setUp(opened);
  const { service, browser } = opened;
  const ids: string[] = [];
  for (const path of ['a', 'b']) {
    const target = { url: `https://hooks.example.org/${path}`, events: [] };
    ids.push((await browser.ask('POST', '/portal/v1/webhooks', target)).body.webhook_id as string);
  }
  const clock = service.service.context.clock.now;
  const now = clock();
  Object.assign(service.service.context.clock, { now: () => now });
  const send = async (index: number) =>
    (await browser.ask('POST', `/portal/v1/webhooks/${ids[index % 2]}/test`)).status;
  const answers = [];
  for (let index = 0; index < 12; index += 1) answers.push(await send(index));
  expect(answers).toEqual([...Array<number>(10).fill(200), 429, 429]);
  Object.assign(service.service.context.clock, { now: () => now + 60_000 });
  expect(await send(0)).toBe(200);
});
