import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** Names the folder in memory of a campaign. */
export const CAMPAIGN_FOLDER = 'HOLDFAST_CAMPAIGN_FOLDER';

const IN_MEMORY = '/dev/shm';
/** A container may have 64 MB there. */
const ENOUGH_BYTES = 2 * 2 ** 30;

/** A folder in memory if there is room. */
export const FAST_PARENT = hasRoom() ? IN_MEMORY : tmpdir();

function hasRoom(): boolean {
  try {
    accessSync(IN_MEMORY, constants.W_OK | constants.X_OK);
  } catch {
    return false;
  }
  const { bavail, bsize } = statfsSync(IN_MEMORY);
  return bavail * bsize >= ENOUGH_BYTES;
}
