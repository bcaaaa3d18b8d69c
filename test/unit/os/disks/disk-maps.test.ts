import { describe, expect, test } from 'vitest';
import { mountsIn } from '../../../../src/os/filesystem/mount-list.ts';
import { shareDisk } from '../../../../src/os/disks/disk-map.ts';
import { diskMapOf, parseBlockDevices } from '../../../../src/os/disks/linux-disks.ts';
import { macDiskMapOf, parseMacMounts, parseVolume } from '../../../../src/os/disks/macos-disks.ts';
import { windowsDiskMapOf } from '../../../../src/os/disks/windows-disks.ts';

describe('Linux', () => {
  const block = (name: string, device: string, more: object = {}) => ({
    name,
    path: name.startsWith('luks') ? `/dev/mapper/${name}` : `/dev/${name}`,
    'maj:min': device,
    label: null,
    model: null,
    rm: false,
    hotplug: false,
    tran: null,
    type: 'part',
    ...more,
  });
  const blocks = parseBlockDevices(
    JSON.stringify({
      blockdevices: [
        block('nvme0n1', '259:0', {
          model: 'SAMSUNG MZVL2512 ',
          tran: 'nvme',
          children: [
            block('nvme0n1p1', '259:1', { label: 'EFI' }),
            block('nvme0n1p3', '259:3', { children: [block('luks-1', '254:0', { label: 'root' })] }),
          ],
        }),
        block('sda', '8:0', {
          model: 'Elements 2621',
          tran: 'usb',
          children: [block('sda1', '8:1', { label: 'My Passport' })],
        }),
        block('sdb', '8:16', { model: 'WDC WD40EFRX', tran: 'sata', children: [block('sdb1', '8:17')] }),
        // The format of older programs.
        block('sdc', '8:32', { rm: '1', hotplug: '1', children: [block('sdc1', '8:33', { label: 'STICK', rm: '1' })] }),
      ],
    }),
  );
  const mounts = mountsIn(
    [
      '22 28 0:21 / /proc rw,nosuid - proc proc rw',
      '28 1 0:26 /@ / rw,relatime shared:1 - btrfs /dev/mapper/luks-1 rw,subvol=/@',
      '29 28 0:26 /@home /home rw,relatime shared:2 - btrfs /dev/mapper/luks-1 rw,subvol=/@home',
      '30 28 259:1 / /boot/efi rw - vfat /dev/nvme0n1p1 rw',
      '31 28 8:1 / /media/anna/My\\040Passport rw,nosuid - exfat /dev/sda1 rw',
      '32 28 8:17 / /srv/data rw - ext4 /dev/sdb1 rw',
      '33 28 8:17 /anna /mnt/again rw - ext4 /dev/sdb1 rw',
      '34 28 8:33 / /media/anna/STICK ro - vfat /dev/sdc1 ro',
      '35 28 0:50 / /mnt/nas rw - nfs4 nas:/volume1/backup rw,vers=4.2',
      '36 28 7:3 / /snap/core22/1 ro - squashfs /dev/loop3 ro',
      '',
    ].join('\n'),
  );
  const map = diskMapOf(mounts, blocks);

  test('lists disks for backups', () => {
    expect(map.found.toSorted((a, b) => a.path.localeCompare(b.path))).toEqual([
      { path: '/home', label: 'root', kind: 'internal', disks: ['nvme0n1'] },
      { path: '/media/anna/My Passport', label: 'My Passport', kind: 'external', disks: ['sda'] },
      { path: '/mnt/nas', label: undefined, kind: 'network', disks: [] },
      { path: '/srv/data', label: 'WDC WD40EFRX', kind: 'internal', disks: ['sdb'] },
    ]);
  });

  test('recognises paths on the same disk through partitions and mappings', () => {
    const share = (path: string) => shareDisk(map, path, '/home/anna');
    expect(share('/var/backups')).toBe(true);
    expect(share('/boot/efi')).toBe(true);
    expect(share('/home/anna/Documents')).toBe(true);
    expect(share('/media/anna/My Passport/Holdfast')).toBe(false);
    expect(share('/media/anna/My Passports')).toBe(true);
    expect(share('/mnt/nas')).toBe(false);
  });

  test('compares file systems when no disks are listed', () => {
    const bare = diskMapOf(mounts, []);
    expect(bare.found).toMatchObject([{ path: '/mnt/nas', kind: 'network' }]);
    expect(shareDisk(bare, '/home/a', '/home/b')).toBe(true);
    expect(shareDisk(bare, '/srv/data', '/home/b')).toBe(false);
    expect(parseBlockDevices('{}')).toEqual([]);
  });
});

describe('macOS', () => {
  const volume = (more: object) => parseVolume(JSON.stringify(more))!;
  const mounts = parseMacMounts(
    [
      '/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)',
      '/dev/disk3s5 on /System/Volumes/Data (apfs, local, journaled, nobrowse, protect)',
      '/dev/disk5s2 on /Volumes/Time (Machine) (apfs, local, nodev, nosuid, journaled, noowners)',
      '/dev/disk4s1 on /Volumes/Installer (hfs, local, nodev, nosuid, read-only, noowners)',
      '//anna@nas._smb._tcp.local/home on /Volumes/home (smbfs, nodev, nosuid, mounted by anna)',
    ].join('\n'),
  );
  const store = (name: string) => ({ APFSPhysicalStores: [{ APFSPhysicalStore: name }] });
  const own = volume({ VolumeName: 'Data', Internal: true, ...store('disk0s2') });
  const map = macDiskMapOf(
    mounts,
    new Map([
      ['/dev/disk3s1s1', own],
      ['/dev/disk3s5', own],
      ['/dev/disk5s2', volume({ VolumeName: 'Time', RemovableMediaOrExternalDevice: true, ...store('disk4s2') })],
    ]),
  );

  test('lists volumes for backups', () => {
    expect(map.found).toEqual([
      { path: '/Volumes/Time (Machine)', label: 'Time', kind: 'external', disks: ['disk4'] },
      { path: '/Volumes/home', label: undefined, kind: 'network', disks: [] },
    ]);
    expect(shareDisk(map, '/Users/anna', '/System/Volumes/Data/x')).toBe(true);
    expect(shareDisk(map, '/Volumes/Time (Machine)/x', '/Users/anna')).toBe(false);
  });

  test('finds the disk of a volume without a container', () => {
    expect(volume({ VolumeName: '', Internal: false, ParentWholeDisk: 'disk6' })).toEqual({
      label: undefined,
      isExternal: true,
      disks: ['disk6'],
    });
  });
});

describe('Windows', () => {
  const map = windowsDiskMapOf(
    JSON.stringify({
      drives: [
        { DeviceID: 'C:', DriveType: 3, VolumeName: 'Windows' },
        { DeviceID: 'D:', DriveType: 3, VolumeName: '' },
        { DeviceID: 'E:', DriveType: 3, VolumeName: 'Backup' },
        { DeviceID: 'F:', DriveType: 5, VolumeName: 'DVD' },
        { DeviceID: 'G:', DriveType: 2, VolumeName: null },
        { DeviceID: 'Y:', DriveType: 4, VolumeName: 'old', ProviderName: null },
        { DeviceID: 'Z:', DriveType: 4, VolumeName: 'home', ProviderName: '\\\\NAS\\home' },
      ],
      partitions: [
        { Letter: 'C', DiskNumber: 0 },
        { Letter: 'D', DiskNumber: 0 },
        { Letter: 'E', DiskNumber: 1 },
        { Letter: 'G', DiskNumber: 2 },
      ],
      disks: [
        { Number: 0, Bus: 'NVMe', FriendlyName: 'KINGSTON' },
        { Number: 1, Bus: 'USB', FriendlyName: 'Elements' },
        { Number: 2, Bus: 'USB', FriendlyName: 'Stick' },
      ],
    }),
  );

  test('lists drives for backups', () => {
    expect(map.found.map(({ path, label, kind }) => [path, label, kind])).toEqual([
      ['C:\\', 'Windows', 'internal'],
      ['D:\\', 'KINGSTON', 'internal'],
      ['E:\\', 'Backup', 'external'],
      ['G:\\', 'Stick', 'external'],
      ['Y:\\', 'old', 'network'],
      ['Z:\\', 'home', 'network'],
    ]);
    expect(shareDisk(map, 'd:\\backups', 'C:\\Users\\anna')).toBe(true);
    expect(shareDisk(map, 'E:\\backups', 'C:\\Users\\anna')).toBe(false);
    expect(shareDisk(map, 'Z:\\backups', 'C:\\Users\\anna')).toBe(false);
  });

  test('knows a share by its name and by the letter that it has', () => {
    // Resolving a path makes the name of the letter.
    expect(shareDisk(map, '\\\\nas\\Home\\backups', 'Z:\\photos')).toBe(true);
    expect(shareDisk(map, '\\\\nas\\home\\backups', '//NAS/home/photos')).toBe(true);
    expect(shareDisk(map, '\\\\nas\\home\\backups', '\\\\nas\\home')).toBe(true);
    expect(shareDisk(map, '\\\\nas\\home\\backups', '\\\\nas\\homes\\photos')).toBe(false);
    expect(shareDisk(map, '\\\\nas\\home\\backups', 'C:\\Users\\anna')).toBe(false);
    expect(shareDisk(map, 'Y:\\backups', 'y:\\photos')).toBe(true);
    expect(shareDisk(map, 'Y:\\backups', 'Z:\\photos')).toBe(false);
  });

  test.each(['', '\r\n', 'Access denied.', '{"drives":null}'])(
    'tells drives apart by their letters if it prints %j',
    (output) => {
      const letters = windowsDiskMapOf(output);
      expect(letters.found).toEqual([]);
      expect(shareDisk(letters, 'd:\\backups', 'D:\\files')).toBe(true);
      expect(shareDisk(letters, 'D:\\backups', 'C:\\Users\\anna')).toBe(false);
      expect(shareDisk(letters, '\\\\nas\\backups', 'C:\\Users\\anna')).toBe(false);
      expect(shareDisk(letters, '\\\\nas\\backups', '\\\\nas\\backups\\anna')).toBe(true);
      expect(shareDisk(letters, 'backups', 'C:\\Users\\anna')).toBeUndefined();
    },
  );
});
