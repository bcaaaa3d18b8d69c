import { expect, test } from 'vitest';
import { mountsIn } from '../../../src/engine/filesystem/mount-list.ts';

test('mounts are read with their spaces and other characters', () => {
  const list = [
    '36 35 98:0 /mnt1 /mnt/my\\040disk rw,noatime master:1 - ext3 /dev/root rw,errors=continue',
    `37 35 98:0 / /mnt/${Buffer.from('Fotos\\040für', 'utf8').toString('latin1')} rw - ext4 /dev/sda1 rw`,
    '',
  ].join('\n');
  expect(mountsIn(list).map(({ device, root, path }) => [device, root.toString(), path.toString()])).toEqual([
    ['98:0', '/mnt1', '/mnt/my disk'],
    ['98:0', '/', '/mnt/Fotos für'],
  ]);
});
