import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import type { Destination } from '../../../agent/home/settings.ts';
import { printable } from '../../text.ts';

/** Folders in which systems mount disks. */
const MOUNT_FOLDERS = /^\/(?:media|mnt|run\/media|Volumes)\//;

/** Returns what to know of a destination in the file system of the person's home folder: below `/media` the disk is mostly not mounted. */
export function diskWarnings(destination: Destination, isBeside = isBesideHome): readonly string[] {
  if (destination.kind !== 'folder' || !isBeside(destination.directory)) return [];
  const directory = printable(destination.directory);
  const warning = `${directory} is on the same disk as your home folder: if that disk fails, you lose both your files and your backups.`;
  if (!MOUNT_FOLDERS.test(destination.directory)) return [warning];
  const parent = printable(dirname(destination.directory));
  return [
    `${warning} No other disk is mounted at ${parent}. If one belongs there, its backups would be hidden below it.`,
  ];
}

function isBesideHome(directory: string): boolean {
  try {
    return statSync(directory).dev === statSync(homedir()).dev;
  } catch {
    // Whoever has no home folder has no files there.
    return false;
  }
}
