import { describe, expect, test } from 'vitest';
import { distanceOf, isOnMacShare } from '../../../src/agent/destination/distance.ts';

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
});
