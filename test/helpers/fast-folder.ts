import { existsSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const IN_MEMORY = '/dev/shm';
/** A container may have 64 MB there. */
const ENOUGH_BYTES = 2 * 2 ** 30;

/** The parent of temporary folders: in memory if there is room, so that a sync costs nothing. Not for tests of a file system. */
export const FAST_FOLDER = hasRoom() ? IN_MEMORY : tmpdir();

function hasRoom(): boolean {
  if (!existsSync(IN_MEMORY)) return false;
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  return bavail * bsize >= ENOUGH_BYTES;
}
