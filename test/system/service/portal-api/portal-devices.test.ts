import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { join, open, type PortalBrowser, setUp } from '../../../app/portal/portal-browser.ts';
import type { PortalService } from '../../../app/portal/portal-service.ts';

async function opened(): Promise<{ service: PortalService; browser: PortalBrowser }> {
  const both = await open();
  await setUp(both);
  return both;
}

const names = ({ body }: { body: { devices: { name: string }[] } }): string[] => body.devices.map(({ name }) => name);

describe('the list of devices', () => {
  test('has pages of 50, those that need somebody first, then by name', async () => {
    const { service, browser } = await opened();
    for (let number = 0; number < 60; number += 1)
      await service.addDevice(`pc-${String(number).padStart(2, '0')}`, 'Linux');
    const protectedId = await service.addDevice('a protected one', 'Linux');
    await service.backUp(protectedId, 'Documents', { '/a': Buffer.from('a') });
    const first = await browser.ask('GET', '/portal/v1/devices');
    expect(first.body).toMatchObject({ total: 61, counts: { new: 60, healthy: 1, offline: 0, alarm: 0, revoked: 0 } });
    expect(names(first)).toHaveLength(50);
    expect(names(first)[0]).toBe('pc-00');
    const second = await browser.ask('GET', '/portal/v1/devices?offset=50');
    expect(names(second)).toHaveLength(11);
    expect(names(second).at(-1)).toBe('a protected one');
  });

  test('is searched and filtered by the service', async () => {
    const { service, browser } = await opened();
    await service.addDevice('Büro 1', 'Windows 11');
    await service.addDevice('Reception', 'Debian 13');
    const protectedId = await service.addDevice('Büro 2', 'Windows 11');
    await service.backUp(protectedId, 'Documents', { '/a': Buffer.from('a') });
    const ask = (query: string) => browser.ask('GET', `/portal/v1/devices?${query}`);
    expect(names(await ask('search=B%C3%9CRO'))).toEqual(['Büro 1', 'Büro 2']);
    expect(names(await ask('search=debian'))).toEqual(['Reception']);
    expect(names(await ask('search=b%C3%BCro&status=healthy'))).toEqual(['Büro 2']);
    expect((await ask('search=nobody')).body).toMatchObject({ devices: [], total: 0, counts: { new: 2, healthy: 1 } });
    expect((await ask('status=unheard-of')).status).toBe(400);
    expect((await ask('offset=-1')).status).toBe(400);
  });

  test('contains no devices of other accounts', async () => {
    const { service, browser } = await opened();
    const { metadata, clock } = service.service.context;
    const other = await metadata.members.createAccount({
      email: 'eve@example.org',
      passwordHash: '',
      now: clock.now(),
    });
    const device = { id: 'dev_eve', accountId: other!.accountId, name: 'Eve', os: 'x', agentVersion: '1' };
    const unused = { keyHash: Buffer.alloc(1), permissions: [], lastBackup: undefined, revokedAt: undefined };
    const event = { event: 'device.registered', data: {} } as never;
    await metadata.devices.register({ ...device, ...unused }, clock.now(), event);
    expect(names(await browser.ask('GET', '/portal/v1/devices'))).toEqual([]);
    expect((await browser.ask('GET', '/portal/v1/devices/dev_eve')).status).toBe(404);
  });
});

describe('the list of backup sets', () => {
  test('has pages of 50 and is searched by set and device', async () => {
    const { service, browser } = await opened();
    const laptop = await service.addDevice('Laptop', 'Linux');
    const desk = await service.addDevice('Reception', 'Linux');
    for (let number = 0; number < 51; number += 1) {
      await service.backUp(laptop, `set ${String(number).padStart(2, '0')}`, { '/a': Buffer.from('a') });
    }
    await service.backUp(desk, 'Accounts', { '/b': Buffer.from('bb'), '/c': Buffer.from('c') });
    const ask = async (query: string) => (await browser.ask('GET', `/portal/v1/backup-sets?${query}`)).body;
    const first = await ask('');
    expect([first.backup_sets.length, first.total]).toEqual([50, 52]);
    const second = await ask('offset=50');
    expect(second.backup_sets.map(({ name }: { name: string }) => name)).toEqual(['set 50', 'Accounts']);
    expect((await ask('search=recep')).backup_sets).toMatchObject([
      { device_name: 'Reception', name: 'Accounts', restore_points: 1, files: 2, bytes: 3 },
    ]);
    expect(await ask('search=set+07')).toMatchObject({ total: 1, backup_sets: [{ name: 'set 07' }] });
  });
});

test('a device and its sets have the figures that the device itself shows', async () => {
  const { service, browser } = await opened();
  const id = await service.addDevice('Laptop', 'Debian 13');
  const files = { '/a': randomBytes(3_000), '/b': randomBytes(500) };
  const kept = { '/.holdfast/tree': randomBytes(900), '/.holdfast/keys': randomBytes(400) };
  await service.backUp(id, 'Documents', { ...files, ...kept });
  const figures = { files: 2, bytes: 3_500 };
  const { body } = await browser.ask('GET', `/portal/v1/devices/${id}`);
  expect(body.runs).toMatchObject([figures]);
  expect(body.backup_sets).toMatchObject([{ bytes: figures.bytes }]);
  expect((await browser.ask('GET', '/portal/v1/backup-sets')).body.backup_sets).toMatchObject([figures]);
});

describe('the page of a device', () => {
  test('has its owner, sets, runs with their errors, and days', async () => {
    const { service, browser } = await opened();
    const id = await service.addDevice('Laptop', 'Debian 13');
    await service.daysAgo(1, () => service.backUp(id, 'Documents', { '/a': randomBytes(3_000) }));
    const aborted = await service.begin(id, 'Documents', { '/b': randomBytes(10) });
    await service.abort(id, aborted);
    await service.begin(id, 'Pictures', { '/c': randomBytes(20) });
    const { status, body } = await browser.ask('GET', `/portal/v1/devices/${id}`);
    expect(status).toBe(200);
    expect(body.device).toMatchObject({
      name: 'Laptop',
      os: 'Debian 13',
      status: 'warning',
      owner: 'anna@example.org',
    });
    expect(body.backup_sets).toMatchObject([
      { name: 'Documents', restore_points: 1, bytes: 3_000 },
      { name: 'Pictures', restore_points: 0 },
    ]);
    expect(body.runs).toMatchObject([
      { backup_set: 'Pictures', state: 'running', ended: null, failure: null },
      { backup_set: 'Documents', state: 'failed', failure: 'aborted' },
      { backup_set: 'Documents', state: 'completed', failure: null, files: 1, bytes: 3_000, suspicious: false },
    ]);
    expect(body.days.map(({ completed, failed }: Record<string, number>) => [completed, failed])).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });

  test('shows a member the e-mail address of nobody else', async () => {
    const { service, browser } = await opened();
    const id = await service.addDevice('Laptop', 'Linux');
    const member = await join(service, browser, 'ben@example.org', 'member');
    const admin = await join(service, browser, 'ad@example.org', 'admin');
    const ownerFor = async (who: PortalBrowser) => (await who.ask('GET', `/portal/v1/devices/${id}`)).body.device.owner;
    expect([await ownerFor(member), await ownerFor(admin)]).toEqual([null, 'anna@example.org']);
  });

  test('does not exist for an unknown device', async () => {
    const { browser } = await opened();
    expect((await browser.ask('GET', '/portal/v1/devices/dev_none')).status).toBe(404);
  });
});
