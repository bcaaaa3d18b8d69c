import { expect, test } from 'vitest';
import { mountPointsIn } from '../../../../src/engine/restore/conflicts/mount-points.ts';

test('mount points are read with their spaces and other characters', () => {
  const list = [
    '36 35 98:0 /mnt1 /mnt/my\\040disk rw,noatime master:1 - ext3 /dev/root rw,errors=continue',
    `37 35 98:0 / /mnt/${Buffer.from('Fotos\\040für', 'utf8').toString('latin1')} rw - ext4 /dev/sda1 rw`,
    '',
  ].join('\n');
  expect([...mountPointsIn(list)]).toEqual(['/mnt/my disk', '/mnt/Fotos für']);
});
