import { expect, test } from 'vitest';
import { ErasureService } from '../erasure/erasure-service.ts';
import { deviceSignature, file } from '../../../unit/service/harness.ts';

test('a member who becomes an auditor restores and manages nothing from then on', async () => {
  const fixture = await ErasureService.open();
  const mia = await fixture.join('mia@example.org', 'member');
  const laptop = await fixture.addDevice('Laptop', mia);
  await fixture.backUp(laptop, 'a', [file('/a', ['a'])]);
  const token = await fixture.tokenOf(mia);
  const { service } = fixture;
  const restore = { device_id: laptop.id, backup_set: 'a', point_in_time: '2100-01-01T00:00:00.000Z', path: '' };
  const manifest = async () =>
    (await service.post('/functions/v1/restore/manifest', token, { ...restore, recursive: true })).status;
  const rename = async () =>
    (await service.call('PATCH', `/rest/v1/devices/${laptop.id}`, token, { name: 'x' })).status;
  expect([await manifest(), await rename()]).toEqual([200, 200]);
  const change = { role: 'auditor' };
  await service.call('PATCH', `/auth/v1/members/${mia}`, await fixture.tokenOf(fixture.owner.id), change);
  expect([await manifest(), await rename()]).toEqual([403, 403]);
});

test('a device of a member who becomes an auditor backs up, and downloads nothing', async () => {
  const fixture = await ErasureService.open();
  const mia = await fixture.join('mia@example.org', 'member');
  const laptop = await fixture.addDevice('Laptop', mia);
  const desk = await fixture.addDevice('Desk', fixture.owner.id);
  await fixture.backUp(laptop, 'a', [file('/a', ['a'])]);
  const { service } = fixture;
  const become = async (role: string) =>
    service.call('PATCH', `/auth/v1/members/${mia}`, await fixture.tokenOf(fixture.owner.id), { role });
  const permissions = async () => {
    service.clock.advance(1_000);
    const signature = deviceSignature(laptop.key, laptop.id, Math.floor(fixture.now() / 1000));
    const body = { device_key: laptop.key, device_id: laptop.id, signature };
    return (await service.post('/functions/v1/auth/device', undefined, body)).body.device.permissions as string[];
  };
  const { body } = await service.manifest(laptop, 'a');
  const download = { restore_session_id: body.restore_session_id as string, chunk_hashes: body.files[0].chunks };
  const presign = async () => (await service.post('/functions/v1/restore/presign', laptop.token, download)).status;
  expect([await presign(), await permissions()]).toEqual([200, ['backup', 'restore', 'status']]);
  await become('auditor');
  expect([await presign(), (await fixture.manifest(laptop, 'a')).status]).toEqual([403, 403]);
  expect(await permissions()).toEqual(['backup', 'status']);
  expect((await fixture.backUp(laptop, 'a', [file('/a', ['b'])])).status).toBe(200);
  expect((await fixture.manifest(desk, 'a', '')).status).toBe(404);
  expect((await service.manifest(desk, 'a', { device_id: laptop.id })).status).toBe(200);
  await become('member');
  expect(await presign()).toBe(200);
});

test('an auditor reads the origin of a webhook only, an owner its address', async () => {
  const fixture = await ErasureService.open();
  const aldo = await fixture.join('aldo@example.org', 'auditor');
  const { audit } = fixture.context.metadata;
  const { accountId } = fixture;
  const details = { url: 'https://hooks.example.org/services/SECRET?token=SECRET' };
  await audit.record({ accountId, occurredAt: fixture.now(), kind: 'webhook.added', details });
  const read = async (by: string, path: string) =>
    JSON.stringify((await fixture.service.call('GET', path, await fixture.tokenOf(by))).body);
  for (const path of ['/auth/v1/audit', '/auth/v1/account_data']) {
    expect(await read(fixture.owner.id, path)).toContain('SECRET');
    expect(await read(aldo, path)).toContain('"url":"https://hooks.example.org"');
    expect(await read(aldo, path)).not.toContain('SECRET');
  }
});
