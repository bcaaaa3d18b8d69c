import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isOnOwnDisk } from '../../../os/disks/own-disk.ts';
import type { Destination } from '../../../model/destination.ts';
import { printable } from '../../text.ts';

/** Folders in which systems mount disks. */
const MOUNT_FOLDERS = /^\/(?:media|mnt|run\/media|Volumes)\//;

/**
 * Returns what to know of a folder on the disk of the person's home folder. Below `/media` another disk is mostly not mounted.
 *
 * @param isOwn whether a path is on that disk; `undefined` if unknown
 * @param hasMount whether a file system is mounted between a folder and the one above it
 */
export async function diskWarnings(
  destination: Destination,
  isOwn: (path: string) => Promise<boolean | undefined> = isOnOwnDisk,
  hasMount: (path: string, above: string) => boolean = isOtherFileSystem,
): Promise<readonly string[]> {
  if (destination.kind !== 'folder') return [];
  // A program of the system that lists no disks is no reason to fail after everything is set up.
  if ((await isOwn(destination.directory).catch(() => undefined)) !== true) return [];
  const directory = printable(destination.directory);
  const warning = `${directory} is on the same disk as your home folder: if that disk fails, you lose both your files and your backups.`;
  const above = MOUNT_FOLDERS.exec(destination.directory)?.[0];
  if (above === undefined || hasMount(destination.directory, above)) return [warning];
  const parent = printable(dirname(destination.directory));
  return [
    `${warning} No other disk is mounted at ${parent}. If one belongs there, its backups would be hidden below it.`,
  ];
}

function isOtherFileSystem(path: string, above: string): boolean {
  return statSync(path).dev !== statSync(above).dev;
}
