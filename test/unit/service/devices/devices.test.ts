import { beforeEach, describe, expect, test } from 'vitest';
import { deviceStatus } from '../../../../src/service/devices/status.ts';
import { reportOfflineDevices } from '../../../../src/service/devices/offline.ts';
import type { User } from '../../../../src/service/auth/account-store.ts';
import { type Answer, type TestDevice, TestService, deviceSignature, file } from '../harness.ts';

const DAY = 24 * 3_600_000;

describe('the status of a device', () => {
  const NOW = 100 * DAY;
  const seen = { lastSeen: NOW, registeredAt: NOW - DAY };
  test.each([
    ['one without a backup yet', seen, 'new'],
    ['one that backs up', { ...seen, lastBackup: NOW - DAY }, 'healthy'],
    [
      'one that was silent as long as it may',
      { ...seen, lastSeen: NOW - 3 * DAY, lastBackup: NOW - 3 * DAY },
      'healthy',
    ],
    ['one that was silent longer', { ...seen, lastSeen: NOW - 3 * DAY - 1, lastBackup: NOW - 3 * DAY - 1 }, 'offline'],
    ['one that is there and does not back up', { ...seen, lastBackup: NOW - 3 * DAY - 1 }, 'warning'],
    ['one that never did', { lastSeen: NOW, registeredAt: NOW - 3 * DAY - 1 }, 'warning'],
    ['one whose last backup failed', { ...seen, lastBackup: NOW - DAY, lastFailure: NOW }, 'warning'],
    ['one whose first backup failed', { ...seen, lastFailure: NOW }, 'warning'],
    ['one that made up for it', { ...seen, lastBackup: NOW, lastFailure: NOW - DAY }, 'healthy'],
    ['one whose run looked like ransomware', { ...seen, lastBackup: NOW, lastAlarm: NOW }, 'alarm'],
    ['one that was silent since such a run', { ...seen, lastSeen: 0, lastBackup: 0, lastAlarm: 1 }, 'alarm'],
    ['one that was revoked, whatever else', { ...seen, lastFailure: NOW, lastAlarm: NOW, revokedAt: NOW }, 'revoked'],
  ] as const)('%s', (_, facts, status) => {
    const known = { id: '', accountId: '', name: '', os: '', agentVersion: '', registeredBy: undefined };
    const absent = { lastBackup: undefined, lastFailure: undefined, lastAlarm: undefined, revokedAt: undefined };
    expect(deviceStatus({ ...known, ...absent, ...facts }, NOW, 3 * DAY)).toBe(status);
  });
});

describe('devices', () => {
  let service: TestService;
  let owner: User;
  beforeEach(async () => {
    service = await TestService.open();
    owner = await person('anna@example.com');
  });

  /** A user without a password. */
  async function person(email: string, role?: string): Promise<User> {
    const { metadata } = service.service.context;
    const user = (await metadata.members.createAccount({ email, passwordHash: '', now: service.clock.now() }))!;
    if (role === undefined) return user;
    const joined = { account_id: owner.accountId, role };
    await service.openDatabase().queries.updateTable('user').set(joined).where('id', '=', user.id).execute();
    return { ...user, accountId: owner.accountId, role };
  }

  let signIns = 0;
  async function tokenOf({ id, accountId }: User): Promise<string> {
    signIns += 1;
    const [family, now] = [`fam_${signIns}`, service.clock.now()];
    const { metadata } = service.service.context;
    await metadata.tokens.startFamily(
      { id: family, userId: id },
      { hash: Buffer.from(family), expiresAt: now + DAY },
      now,
    );
    return service.service.tokens.issue({ kind: 'user', sub: id, account: accountId, family }, now);
  }

  async function register(by: User, changes: object = {}): Promise<TestDevice> {
    const request = { name: 'laptop', os: 'linux', agent_version: '1', ...changes };
    const { status, body } = await service.post('/functions/v1/devices', await tokenOf(by), request);
    expect(status).toBe(200);
    const id = body.device.id as string;
    // Entries of the same moment have no order.
    service.clock.advance(1);
    return { id, key: body.device_key as string, token: await service.tokenOf(id, by.accountId) };
  }

  const signIn = (device: TestDevice): Promise<Answer> =>
    service.post('/functions/v1/auth/device', undefined, {
      device_key: device.key,
      device_id: device.id,
      signature: deviceSignature(device.key, device.id, Math.floor(service.clock.now() / 1000)),
    });
  const statuses = async (token: string): Promise<string[]> => {
    const { body } = await service.call('GET', '/rest/v1/devices', token);
    return body.devices.map(({ status }: { status: string }) => status);
  };
  const rename = (id: string, token: string, name = 'new name'): Promise<Answer> =>
    service.call('PATCH', `/rest/v1/devices/${id}`, token, { name });
  const revoke = (id: string, token: string): Promise<Answer> =>
    service.call('DELETE', `/rest/v1/devices/${id}`, token);

  test('have the permissions of their registration', async () => {
    const device = await register(owner, { permissions: ['status'] });
    expect((await signIn(device)).body.device.permissions).toEqual(['status']);
    expect((await service.call('GET', '/rest/v1/devices', device.token)).status).toBe(200);
    expect((await service.init(device, 'docs', [file('/a', ['x'])])).status).toBe(403);
    expect((await service.manifest(device, 'docs')).status).toBe(403);
    const request = { name: 'n', os: 'o', agent_version: '1', permissions: [] };
    expect((await service.post('/functions/v1/devices', await tokenOf(owner), request)).status).toBe(400);
  });

  test('are renamed by users who may manage them', async () => {
    const [admin, member] = [await person('ad@a.org', 'admin'), await person('m@a.org', 'member')];
    const [annas, members] = [await register(owner), await register(member)];
    const stranger = await person('eve@example.com');
    expect((await rename(annas.id, await tokenOf(member))).status).toBe(403);
    expect((await rename(annas.id, await tokenOf(stranger))).status).toBe(404);
    expect((await rename(annas.id, annas.token)).status).toBe(403);
    expect((await rename(annas.id, await tokenOf(admin), ' ')).status).toBe(400);
    expect((await rename(annas.id, await tokenOf(admin))).status).toBe(200);
    expect((await rename(members.id, await tokenOf(member), 'mine')).status).toBe(200);
    const { body } = await service.call('GET', '/rest/v1/devices', annas.token);
    expect(body.devices.map(({ name }: { name: string }) => name)).toEqual(['new name', 'mine']);
    expect((await revoke(annas.id, await tokenOf(member))).status).toBe(403);
    expect((await revoke(members.id, await tokenOf(member))).status).toBe(200);
  });

  test('are listed with the time of their last contact', async () => {
    const device = await register(owner);
    const lastSeen = async (): Promise<unknown> => {
      const { body } = await service.call('GET', '/rest/v1/devices', await tokenOf(owner));
      return body.devices[0].last_seen;
    };
    expect(await lastSeen()).toBe(new Date(service.clock.now() - 1).toISOString());
    service.clock.advance(DAY);
    const connectedAt = new Date(service.clock.now()).toISOString();
    expect((await signIn(device)).status).toBe(200);
    service.clock.advance(DAY);
    expect(await lastSeen()).toBe(connectedAt);
  });

  test('revoked by another process are rejected within 30 s', async () => {
    const device = await register(owner);
    expect(await statuses(device.token)).toEqual(['new']);
    await service.service.context.metadata.devices.revoke(device.id, service.clock.now());
    service.clock.advance(30_000);
    expect((await service.call('GET', '/rest/v1/devices', device.token)).status).toBe(401);
    expect(await statuses(await tokenOf(owner))).toEqual(['revoked']);
  });

  test('are reported offline once until their next contact', async () => {
    const device = await register(owner);
    const { context } = service.service;
    const { queries } = service.openDatabase();
    const endpoint = {
      id: 'whk_1',
      account_id: owner.accountId,
      url: 'https://a.example',
      events_json: '["device.offline"]',
    };
    await queries
      .insertInto('webhook_endpoint')
      .values({ ...endpoint, secret: 's', created_at: 0 })
      .execute();
    const reported = async (): Promise<unknown[]> => {
      await reportOfflineDevices(context);
      const rows = await queries.selectFrom('webhook_delivery').select('body').execute();
      return rows.map(({ body }) => (JSON.parse(body) as { data: unknown }).data);
    };
    const registered = new Date(service.clock.now() - 1).toISOString();
    service.clock.advance(3 * DAY - 1);
    expect(await reported()).toEqual([]);
    service.clock.advance(1);
    const first = {
      device_id: device.id,
      device_name: 'laptop',
      os: 'linux',
      agent_version: '1',
      last_backup: null,
      last_seen: registered,
      threshold_seconds: 259_200,
    };
    expect(await reported()).toEqual([first]);
    expect(await statuses(await tokenOf(owner))).toEqual(['offline']);
    service.clock.advance(DAY);
    expect(await reported()).toEqual([first]);
    expect((await signIn(device)).status).toBe(200);
    expect(await statuses(await tokenOf(owner))).toEqual(['warning']);
    service.clock.advance(3 * DAY + 1);
    expect(await reported()).toHaveLength(2);
  });
});
