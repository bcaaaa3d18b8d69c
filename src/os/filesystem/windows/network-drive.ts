import { windowsCalls } from './calls.ts';

/** DRIVE_REMOTE */
const REMOTE = 4;

/** Returns whether a letter stands for a share of the network. @param drive such as `Z:` */
export function isNetworkDrive(drive: string): boolean {
  return windowsCalls()?.getDriveType(`${drive}\\`) === REMOTE;
}
