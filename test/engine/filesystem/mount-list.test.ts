import { expect, test } from 'vitest';
import { mountsIn, mountWithText } from '../../../src/engine/filesystem/mount-list.ts';

test('mounts are read with their spaces and other characters', () => {
  const list = [
    '36 35 98:0 /mnt1 /mnt/my\\040disk rw,noatime master:1 - ext3 /dev/root rw,errors=continue',
    `37 35 98:0 / /mnt/${Buffer.from('Fotos\\040für', 'utf8').toString('latin1')} ro,noatime - ext4 //nas/a\\040b rw`,
    '',
  ].join('\n');
  expect(mountsIn(list).map(mountWithText)).toEqual([
    { device: '98:0', root: '/mnt1', path: '/mnt/my disk', isReadOnly: false, type: 'ext3', source: '/dev/root' },
    { device: '98:0', root: '/', path: '/mnt/Fotos für', isReadOnly: true, type: 'ext4', source: '//nas/a b' },
  ]);
});
