import { expect, test } from 'vitest';
import { foreignFileSystemOf, mountsIn, mountWithText } from '../../../src/os/filesystem/mount-list.ts';

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

test.each([
  ['fuse.rclone', 'rclone'],
  ['fuse.sshfs', 'sshfs'],
  ['fuse', 'fuse'],
  ['nfs4', 'nfs4'],
  ['fuseblk', undefined],
  ['ext4', undefined],
])('a mount of the type %s is foreign as %s', (type, kind) => {
  const list = mountsIn(`1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 0:39 / /mnt/there rw - ${type} remote: rw`);
  expect(foreignFileSystemOf('/mnt/there/backups', list)).toBe(kind);
  expect(foreignFileSystemOf('/mnt/elsewhere', list)).toBeUndefined();
});
