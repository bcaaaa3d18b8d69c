import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { attentionText } from '../../../src/portal/features/overview/attention-text.ts';
import { languageOf } from '../../../src/portal/strings/language.ts';
import type { PortalAttention } from '../../../src/protocol/portal/portal-devices.ts';
import { join, open, type PortalBrowser, setUp } from './portal-browser.ts';
import type { PortalService } from './portal-service.ts';

const DAY = 86_400_000;
const ENGLISH = languageOf('en');
const { dateTime, day: dayOf } = ENGLISH.formats;

async function opened() {
  const both = await open();
  await setUp(both);
  return { ...both, metadata: both.service.service.context.metadata };
}

async function attentionOf(browser: PortalBrowser): Promise<PortalAttention> {
  const { status, body } = await browser.ask('GET', '/portal/v1/attention');
  expect(status).toBe(200);
  return body as PortalAttention;
}

/** Returns each item as the page shows it. */
async function said(browser: PortalBrowser): Promise<readonly string[]> {
  const { items } = await attentionOf(browser);
  return items.map((item) => {
    const { title, text, wayOut } = attentionText(item, ENGLISH);
    expect(wayOut).not.toBe('');
    return `${title} | ${text}`;
  });
}

function files(): Record<string, Buffer> {
  return Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`/file-${index}`, randomBytes(500)]));
}

async function oneDevice(service: PortalService): Promise<string> {
  return service.addDevice('Laptop', 'Debian 13');
}

describe('what needs attention', () => {
  test('is nothing in an empty account, and when every device is protected', async () => {
    const { service, browser } = await opened();
    expect(await attentionOf(browser)).toMatchObject({ items: [], more_devices: 0, last_backup: null });
    await service.backUp(await oneDevice(service), 'Documents', { '/a': Buffer.from('a') });
    const { items, counts, last_backup: last } = await attentionOf(browser);
    expect([items, counts.healthy, typeof last]).toEqual([[], 1, 'string']);
  });

  test('says to owners and admins first that the service is a muted copy', async () => {
    const { service, browser } = await opened();
    const admin = await join(service, browser, 'adam@example.org', 'admin');
    const member = await join(service, browser, 'mia@example.org', 'member');
    const auditor = await join(service, browser, 'aldo@example.org', 'auditor');
    Object.assign(service.service.context, { copyState: { isMuted: true } });
    for (const [one, muted] of [
      [browser, true],
      [admin, true],
      [member, false],
      [auditor, false],
    ] as const) {
      const { items } = await attentionOf(one);
      expect(items[0]?.kind === 'muted').toBe(muted);
    }
    const [item] = (await attentionOf(browser)).items;
    expect(attentionText(item!, ENGLISH).command).toBe('holdfast service take-over');
    Object.assign(service.service.context, { copyState: { isMuted: false } });
    expect((await attentionOf(browser)).items).toEqual([]);
  });

  test('names set, restore points and reasons of an alarm until it is released', async () => {
    const { service, browser, metadata } = await opened();
    const id = await oneDevice(service);
    await service.daysAgo(1, () => service.backUp(id, 'Documents', files()));
    await service.backUp(id, 'Documents', files());
    const { number } = (await metadata.sessions.findSet(id, 'Documents'))!;
    const [bad, good] = await metadata.sessions.restorePoints(number);
    const [alarm] = await metadata.alarms.list(await service.accountId(), 1);
    expect(await said(browser)).toEqual([
      `Signs of ransomware in Documents on Laptop | Noticed on ${dateTime(alarm!.raisedAt)}: ` +
        'half of the files or more have new contents. ' +
        `The restore point of ${dateTime(bad!.restorePoint)} contains these files. ` +
        `The newest restore point before that is from ${dateTime(good!.restorePoint)}.`,
    ]);
    expect((await attentionOf(browser)).counts).toMatchObject({ alarm: 1, healthy: 0 });
    await metadata.retention.release(await service.accountId());
    expect(await attentionOf(browser)).toMatchObject({ items: [], counts: { alarm: 0, healthy: 1 } });
  });

  test('takes no restore point for good that came between two alarms', async () => {
    const { service, browser, metadata } = await opened();
    const id = await oneDevice(service);
    for (const days of [3, 2, 1]) await service.daysAgo(days, () => service.backUp(id, 'Documents', files()));
    const { number } = (await metadata.sessions.findSet(id, 'Documents'))!;
    const first = (await metadata.sessions.restorePoints(number)).at(-1)!;
    const { items } = await attentionOf(browser);
    expect(items.map((item) => item.kind === 'alarm' && Date.parse(item.last_good!))).toEqual([
      first.restorePoint,
      first.restorePoint,
    ]);
  });

  test('is a hold without a known alarm', async () => {
    const { service, browser, metadata } = await opened();
    const now = service.service.context.clock.now();
    await metadata.retention.hold(await service.accountId(), now);
    expect(await said(browser)).toEqual([
      `Nothing is removed | Removal of restore points has been held since ${dateTime(now)}.`,
    ]);
  });

  test('is a device without any backup', async () => {
    const { service, browser, metadata } = await opened();
    await oneDevice(service);
    const [device] = await metadata.deviceActivity.list(await service.accountId());
    expect(await said(browser)).toEqual([
      `Laptop has no backup yet | It was set up on ${dateTime(device!.registeredAt)}.`,
    ]);
  });

  test('is a device that has not been seen', async () => {
    const { service, browser, metadata } = await opened();
    await service.daysAgo(3.1, async () => {
      await service.backUp(await oneDevice(service), 'Documents', { '/a': Buffer.from('a') });
    });
    const [device] = await metadata.deviceActivity.list(await service.accountId());
    expect(await said(browser)).toEqual([
      `Laptop has not been seen since ${dateTime(device!.lastSeen)} | ` +
        `Its last backup was on ${dateTime(device!.lastBackup!)}.`,
    ]);
  });

  test('is a device that has contact and does not back up', async () => {
    const { service, browser, metadata } = await opened();
    const id = await oneDevice(service);
    await service.daysAgo(3.1, () => service.backUp(id, 'Documents', { '/a': Buffer.from('a') }));
    await metadata.deviceActivity.seen(id, service.service.context.clock.now());
    const [device] = await metadata.deviceActivity.list(await service.accountId());
    expect(await said(browser)).toEqual([
      `Laptop is connected, but does not back up | Its last backup was on ${dateTime(device!.lastBackup!)}.`,
    ]);
  });

  test('is a run that failed, until the next one completes', async () => {
    const { service, browser, metadata } = await opened();
    const id = await oneDevice(service);
    await service.abort(id, await service.begin(id, 'Documents', { '/a': Buffer.from('a') }));
    const failed = await metadata.deviceRuns.lastFailure(id);
    expect(await said(browser)).toEqual([
      'The last backup of Documents on Laptop failed | ' +
        `It ended on ${dateTime(failed!.endedAt!)}: the computer gave it up. It has no backup.`,
    ]);
    service.advance(1_000);
    await service.backUp(id, 'Documents', { '/a': Buffer.from('a') });
    expect(await said(browser)).toEqual([]);
  });

  test('is storage from 80 % of the limit on, and a missing payment', async () => {
    const { service, browser, metadata } = await opened();
    const account = await service.accountId();
    await service.backUp(await oneDevice(service), 'Documents', { '/a': randomBytes(972) });
    const now = service.service.context.clock.now();
    const limited = (limit: number) => metadata.plans.set(account, { name: 'Team', limit }, now);
    await limited(1_251);
    expect(await said(browser)).toEqual([]);
    await limited(1_250);
    expect(await said(browser)).toEqual(['80% of the storage is used | 1\u00a0kB of 1.25\u00a0kB used.']);
    await limited(1_000);
    expect(await said(browser)).toEqual(['The storage is full | 1\u00a0kB of 1\u00a0kB used.']);
    await limited(5_000);
    await metadata.plans.paymentFailed(account, { reason: 'x', amount: undefined, currency: undefined }, now);
    expect(await said(browser)).toEqual([`A payment is missing | It failed on ${dayOf(now)}.`]);
  });

  test('is a stored blob that is gone', async () => {
    const { service, browser, metadata } = await opened();
    const id = await oneDevice(service);
    await service.backUp(id, 'Documents', { '/a': Buffer.from('a') });
    const { number } = (await metadata.accounts.findAccount(await service.accountId()))!;
    const [chunk] = await metadata.chunks.find(number, [
      Buffer.from('ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb', 'hex'),
    ]);
    await metadata.chunks.markLost([chunk!.id]);
    expect(await said(browser)).toEqual([
      '1 stored piece is gone | Files that contain them cannot be restored completely.',
    ]);
  });

  test('is a webhook that fails, for those who manage it, before and after it is switched off', async () => {
    const { service, browser, metadata } = await opened();
    const member = await join(service, browser, 'ben@example.org', 'member');
    const hook = { url: 'https://hooks.example.org/a', events: [] };
    const { body: added } = await browser.ask('POST', '/portal/v1/webhooks', hook);
    const now = service.service.context.clock.now();
    const failed = async (daysAgo: number, kind: 'retry' | 'given-up'): Promise<number> => {
      const at = now - daysAgo * DAY;
      await metadata.webhooks.test(await service.accountId(), added.webhook_id, `dlv_${daysAgo}`, at);
      const due = { endpointId: added.webhook_id, limit: 1, now: at, leasedUntil: at + 1 };
      const [delivery] = await metadata.outbox.claim(due);
      const failure = { reason: 'ECONNREFUSED' };
      const settlement = kind === 'retry' ? { kind, at: now + 9 * DAY, failure } : { kind, failure };
      const outcome = { kind: 'failed', ...failure } as const;
      const attempt = { startedAt: at, duration: 1, url: hook.url, headers: {}, outcome };
      await metadata.outbox.settle(delivery!, settlement, attempt);
      return at;
    };
    const since = await failed(5, 'retry');
    const { items } = await attentionOf(browser);
    const { title, text, wayOut } = attentionText(items[0]!, ENGLISH);
    expect([title, text]).toEqual([
      'Deliveries to https://hooks.example.org/a fail',
      `Nothing has been delivered since ${dateTime(since)}.`,
    ]);
    expect(wayOut).toContain(dateTime(since + 5 * DAY));
    expect(await said(member)).toEqual([]);
    const off = await failed(0, 'given-up');
    expect(await said(browser)).toEqual([
      'The webhook to https://hooks.example.org/a was switched off | ' +
        `On ${dateTime(off)}, because the receiver failed for days or replied that it no longer exists.`,
    ]);
    await browser.ask('PATCH', `/portal/v1/webhooks/${added.webhook_id}`, { enabled: true });
    expect(await said(browser)).toEqual([]);
  });

  test('lists six devices, the gravest first, and counts the others', async () => {
    const { service, browser } = await opened();
    await service.daysAgo(4, async () => {
      await service.backUp(await service.addDevice('Silent', 'x'), 'Documents', { '/a': Buffer.from('a') });
    });
    for (let number = 0; number < 12; number += 1) await service.addDevice(`pc-${number}`, 'x');
    const { items, more_devices: more, counts } = await attentionOf(browser);
    expect([items.length, items[0]!.kind, more, counts.new, counts.offline]).toEqual([6, 'offline', 7, 12, 1]);
  });

  test('contains nothing about revoked devices', async () => {
    const { service, browser, metadata } = await opened();
    await metadata.devices.revoke(await oneDevice(service), service.service.context.clock.now());
    expect(await attentionOf(browser)).toMatchObject({ items: [], counts: { revoked: 1, new: 0 } });
  });
});
