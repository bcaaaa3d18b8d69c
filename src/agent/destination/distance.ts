import { isInside } from '../../model/local-path.ts';
import { statfs } from 'node:fs/promises';
import { isNetworkDrive } from '../../os/filesystem/windows/network-drive.ts';
import { outputOf } from '../../os/power/program-output.ts';
import type { Destination } from '../../model/destination.ts';

/** How far away a destination is, the nearest first. */
export const DISTANCES = ['disk', 'share', 'remote'] as const;
export type Distance = (typeof DISTANCES)[number];

/** A network share whose server is gone may never respond. */
const TIMEOUT_MS = 2_000;

/** Types of network file systems, by statfs(2). FUSE mostly is one. */
const LINUX_NETWORK_TYPES: ReadonlySet<number> = new Set([
  0x69_69, // NFS
  0x51_7b, // SMB
  0xff_53_4d_42, // CIFS
  0xfe_53_4d_42, // SMB 2
  0x01_02_19_97, // 9P
  0x00_c3_64_00, // Ceph
  0x65_73_55_46, // FUSE
]);

export async function distanceOf(destination: Destination): Promise<Distance> {
  if (destination.kind !== 'folder') return 'remote';
  return (await isOnShare(destination.directory)) ? 'share' : 'disk';
}

async function isOnShare(directory: string): Promise<boolean> {
  if (process.platform === 'win32') return isOnWindowsShare(directory, isNetworkDrive);
  if (process.platform === 'darwin') return isOnMacShare(directory, (await outputOf('/sbin/mount', [])) ?? '');
  const late = new Promise<true>((resolve) => {
    setTimeout(() => resolve(true), TIMEOUT_MS).unref();
  });
  return await Promise.race([late, isOnLinuxShare(directory)]);
}

async function isOnLinuxShare(directory: string): Promise<boolean> {
  try {
    // On some systems the type is a signed number of 32 bits.
    return LINUX_NETWORK_TYPES.has((await statfs(directory)).type >>> 0);
  } catch {
    return false;
  }
}

/**
 * @param directory such as `Z:\backups` and `\\nas\backups`, or either in its `\\?\` form
 * @param isNetwork whether the letter of a drive, such as `Z:`, stands for a share
 */
export function isOnWindowsShare(directory: string, isNetwork: (drive: string) => boolean): boolean {
  const [, drive] = /^(?:\\\\\?\\)?([a-z]:)/i.exec(directory) ?? [];
  return drive === undefined ? /^[\\/]{2}/.test(directory) : isNetwork(drive.toUpperCase());
}

/** @param mounts output of mount(8): `//anna@nas/backup on /Volumes/backup (smbfs, nodev, nosuid)` */
export function isOnMacShare(directory: string, mounts: string): boolean {
  let longest = '';
  let isShare = false;
  for (const [, path = '', type = ''] of mounts.matchAll(/^.+? on (\/.*) \(([^(),]+)[^()]*\)$/gm)) {
    if (!isInside(directory, path) || path.length < longest.length) continue;
    longest = path;
    isShare = ['smbfs', 'nfs', 'afpfs', 'webdav', 'ftp'].includes(type);
  }
  return isShare;
}
