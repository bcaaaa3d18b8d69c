import { lstatSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Whether this account can create symbolic links: on Windows that takes Developer Mode or an administrator, and Wine says that it has created one. */
export const CAN_LINK = canLink();

function canLink(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-link-'));
  try {
    symlinkSync('target', join(folder, 'link'));
    return lstatSync(join(folder, 'link')).isSymbolicLink();
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
