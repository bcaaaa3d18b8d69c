import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { foreignFileSystemOf, mountsIn, type Mount } from '../../../../src/os/filesystem/mount-list.ts';
import { lookIn } from '../../../../src/os/fuse/unmount.ts';

/** Lines of mountinfo, a character for each byte, and what is mounted there. */
const LINES: readonly (readonly [what: string, line: string, path: Buffer, mount: Omit<Mount, 'path'>])[] = [
  [
    'without optional fields',
    '36 35 98:0 / /mnt/disk rw,noatime - ext4 /dev/sdb1 rw,errors=continue',
    Buffer.from('/mnt/disk'),
    { device: '98:0', root: Buffer.from('/'), isReadOnly: false, type: 'ext4', source: '/dev/sdb1' },
  ],
  [
    'with optional fields',
    '36 35 98:0 / /mnt/disk ro,noatime shared:7 master:1 propagate_from:2 unbindable - ext3 /dev/root rw',
    Buffer.from('/mnt/disk'),
    { device: '98:0', root: Buffer.from('/'), isReadOnly: true, type: 'ext3', source: '/dev/root' },
  ],
  [
    'with spaces, tabs, line feeds and backslashes',
    '37 35 0:52 /a\\040b /mnt/my\\040disk\\011\\012\\134040 ro - cifs //nas/a\\040b rw',
    Buffer.from('/mnt/my disk\t\n\\040'),
    { device: '0:52', root: Buffer.from('/a b'), isReadOnly: true, type: 'cifs', source: '//nas/a b' },
  ],
  [
    'with a hyphen that ends no fields',
    '37 35 0:53 / /mnt/a\\040-\\040b rw - tmpfs none rw',
    Buffer.from('/mnt/a - b'),
    { device: '0:53', root: Buffer.from('/'), isReadOnly: false, type: 'tmpfs', source: 'none' },
  ],
  [
    'with letters of UTF-8',
    `37 35 98:0 / /mnt/${Buffer.from('Büro', 'utf8').toString('latin1')} rw - ext4 /dev/sdb1 rw`,
    Buffer.from('/mnt/Büro'),
    { device: '98:0', root: Buffer.from('/'), isReadOnly: false, type: 'ext4', source: '/dev/sdb1' },
  ],
  [
    'with bytes that are not UTF-8',
    '37 35 98:0 /\xe9 /mnt/B\xfcro%s rw - ext4 /dev/sdb1 rw',
    Buffer.from('/mnt/B\xfcro%s', 'latin1'),
    { device: '98:0', root: Buffer.from('/\xe9', 'latin1'), isReadOnly: false, type: 'ext4', source: '/dev/sdb1' },
  ],
  [
    'of a single file',
    '38 35 8:2 /etc/hosts.real /etc/hosts rw,relatime - ext4 /dev/sda2 rw',
    Buffer.from('/etc/hosts'),
    { device: '8:2', root: Buffer.from('/etc/hosts.real'), isReadOnly: false, type: 'ext4', source: '/dev/sda2' },
  ],
  [
    'without a source',
    '39 35 0:60 / /mnt/x rw - tmpfs  rw',
    Buffer.from('/mnt/x'),
    { device: '0:60', root: Buffer.from('/'), isReadOnly: false, type: 'tmpfs', source: '' },
  ],
];

describe('the list of mounts', () => {
  test.each(LINES)('has a mount %s', (_what, line, path, mount) => {
    expect(mountsIn(`${line}\n`)).toEqual([{ path, ...mount }]);
  });

  test('leaves out a line that is cut off', () => {
    expect(mountsIn('36 35 98:0 / /mnt/disk rw\n36 35 98:0 /\n\n')).toEqual([]);
  });

  // A mount is undone by a shell, which reads the list by itself.
  test.skipIf(process.platform === 'win32').each(LINES)(
    'is read alike by the script that unmounts: %s',
    (_what, line, path) => {
      const own = line.replace(/ - .*/s, ' - fuse.holdfast own ro,user_id=0');
      expect(looked(`1 0 8:1 / / rw - ext4 /dev/sda1 rw\n${own}\n`)).toEqual({ path, isCovered: false });
      expect(looked(`${own}\n${line}\n`)).toEqual({ path, isCovered: true });
      expect(looked(`${line}\n${own}\n`)).toEqual({ path, isCovered: false });
    },
  );

  test.skipIf(process.platform === 'win32')('has nothing of the script where its file system is not mounted', () => {
    expect(looked('36 35 98:0 / /mnt/disk rw - fuse.holdfast another ro\n').path).toEqual(Buffer.of());
  });

  test.skipIf(process.platform === 'win32')('tells the script what is mounted over a folder above', () => {
    const own = '36 35 0:70 / /mnt/there/own rw - fuse.holdfast own ro';
    expect(looked(`${own}\n37 35 98:0 / /mnt/there rw - ext4 /dev/sdb1 rw\n`).isCovered).toBe(true);
    expect(looked(`${own}\n37 35 98:0 / /mnt/the rw - ext4 /dev/sdb1 rw\n`).isCovered).toBe(false);
  });
});

function looked(list: string): { readonly path: Buffer; readonly isCovered: boolean } {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-mounts-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'mountinfo');
  writeFileSync(file, list, 'latin1');
  const script = `source=own\n${lookIn(`'${file}'`)}\nlook\nprintf '%s\\n%s' "$over" "$place"`;
  const [over = '', place = ''] = execFileSync('sh', ['-c', script], {
    encoding: 'latin1',
    env: { LC_ALL: 'C' },
  }).split('\n');
  const bytes = place.replaceAll(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCodePoint(Number.parseInt(octal, 8)),
  );
  return { path: Buffer.from(bytes, 'latin1'), isCovered: over === '1' };
}

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
