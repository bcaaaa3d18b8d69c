import { realPathOf } from '../filesystem/real-path.ts';
import { userHome } from '../../base/files/user-home.ts';
import { shareDisk, type DiskMap } from './disk-map.ts';

/** Returns the file systems of this computer. @throws what the programs of the system that list them throw */
export async function diskMap(): Promise<DiskMap> {
  if (process.platform === 'darwin') return (await import('./macos-disks.ts')).macosDisks();
  if (process.platform === 'win32') return (await import('./windows-disks.ts')).windowsDisks();
  return (await import('./linux-disks.ts')).linuxDisks();
}

/** Returns whether a path is on the disk of the home folder; `undefined` if unknown. The path need not exist. */
export async function isOnOwnDisk(path: string): Promise<boolean | undefined> {
  const home = userHome();
  return home === undefined ? undefined : shareDisk(await diskMap(), realPathOf(path), realPathOf(home));
}

/** Returns whether a path is on the disk of one of the sources; `undefined` if unknown. The paths need not exist. */
export async function isOnDiskOf(path: string, sources: readonly string[]): Promise<boolean | undefined> {
  const map = await diskMap();
  const place = realPathOf(path);
  const shared = new Set(sources.map((source) => shareDisk(map, place, realPathOf(source))));
  if (shared.has(true)) return true;
  return shared.has(undefined) ? undefined : false;
}
