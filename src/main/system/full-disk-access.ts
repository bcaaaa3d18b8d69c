import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCodeOf } from '../../base/errors/errors.ts';
import type { DiskAccess } from '../../ipc/contract/shell.ts';
import { userHome } from '../../base/files/user-home.ts';

/** The pane of System Settings that lists the programs with Full Disk Access. */
export const FULL_DISK_ACCESS_PANE = 'x-apple.systempreferences:com.apple.preference.security?Privacy_AllFiles';

/** Files that macOS shows to nobody without Full Disk Access, and that nobody else protects. The first one is on every Mac. */
const PROTECTED = ['Library/Application Support/com.apple.TCC/TCC.db', 'Library/Safari/Bookmarks.plist'];

/**
 * Returns whether macOS gives this program Full Disk Access. There is no call for it: a protected file is opened, not read, and macOS
 * answers EPERM without the right. It starts no question of the system.
 *
 * @returns `unknown` on other systems, and if none of the files tells
 */
export async function fullDiskAccess(
  platform: NodeJS.Platform = process.platform,
  home = userHome() ?? '/',
  openFile: (path: string) => Promise<{ close(): Promise<void> }> = (path) => open(path, 'r'),
): Promise<DiskAccess> {
  if (platform !== 'darwin') return 'unknown';
  for (const path of PROTECTED) {
    try {
      const file = await openFile(join(home, path));
      await file.close();
      return 'given';
    } catch (error) {
      if (systemCodeOf(error) === 'EPERM') return 'missing';
    }
  }
  return 'unknown';
}
