import { homedir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { distanceOf, isOnMacShare, isOnWindowsShare } from '../../../../src/agent/destination/distance.ts';

/** A drive that counts as one of the network, such as `N:`. */
const NETWORK_DRIVE = process.platform === 'win32' ? process.env['HOLDFAST_TEST_NETWORK_DRIVE'] : undefined;

describe('the distance of a destination', () => {
  test('is that of a disk for a folder, and remote for everything else', async () => {
    expect(await distanceOf({ kind: 'folder', directory: import.meta.dirname })).toBe('disk');
    expect(await distanceOf({ kind: 'folder', directory: '/nowhere/at/all' })).toBe('disk');
    expect(await distanceOf({ kind: 'rclone', remote: 'drive:backups' })).toBe('remote');
  });

  test('is that of a share if the innermost mount on macOS is one', () => {
    const mounts = [
      '/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)',
      '//anna@nas/backup on /Volumes/backup (smbfs, nodev, nosuid, mounted by anna)',
      '/dev/disk5s1 on /Volumes/backup/disk (apfs, local, nodev)',
      '/dev/disk4s1 on /Volumes/back (apfs, local, nodev)',
    ].join('\n');
    expect(isOnMacShare('/Volumes/backup', mounts)).toBe(true);
    expect(isOnMacShare('/Volumes/backup/holdfast', mounts)).toBe(true);
    expect(isOnMacShare('/Volumes/backup/disk/holdfast', mounts)).toBe(false);
    expect(isOnMacShare('/Volumes/back/up', mounts)).toBe(false);
    expect(isOnMacShare('/Users/anna', mounts)).toBe(false);
  });

  test('is that of a share on Windows for a path on one, and for a drive that the network has', () => {
    const asked: string[] = [];
    const isShare = (directory: string): boolean =>
      isOnWindowsShare(directory, (drive) => {
        asked.push(drive);
        return drive === 'Z:';
      });
    expect(isShare('Z:\\backups')).toBe(true);
    expect(isShare('z:/backups')).toBe(true);
    expect(isShare('Z:')).toBe(true);
    expect(isShare('C:\\backups')).toBe(false);
    expect(isShare('\\\\?\\Z:\\backups')).toBe(true);
    expect(isShare('\\\\?\\C:\\backups')).toBe(false);
    expect(asked).toEqual(['Z:', 'Z:', 'Z:', 'C:', 'Z:', 'C:']);
    // Asking for a share whose server is gone takes long.
    expect(isShare('\\\\nas\\backups\\anna')).toBe(true);
    expect(isShare('//nas/backups')).toBe(true);
    expect(isShare('\\\\?\\UNC\\nas\\backups')).toBe(true);
    expect(asked).toHaveLength(6);
  });

  test.skipIf(NETWORK_DRIVE === undefined)(
    'is that of a share for a drive of the network that Windows names',
    async () => {
      expect(await distanceOf({ kind: 'folder', directory: `${NETWORK_DRIVE}\\backups` })).toBe('share');
      expect(await distanceOf({ kind: 'folder', directory: homedir() })).toBe('disk');
    },
  );
});
