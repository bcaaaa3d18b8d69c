import { expect, test } from 'vitest';
import { ErasureService } from './erasure/erasure-service.ts';
import { file } from './harness.ts';

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
