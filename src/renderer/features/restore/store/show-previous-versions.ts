import { call } from '../../../bridge/bridge.ts';
import { openAt, setUnknownPath } from './restore-store.ts';

/** Opens the newest restore point at a file or folder of this computer, which a person has chosen in a file manager. */
export async function showPreviousVersions(path: string): Promise<void> {
  try {
    const { found } = await call('sets.locate', { path });
    if (found) openAt(found);
    else setUnknownPath(path);
  } catch {
    // Without an agent there are no backups to show; the window says so.
    setUnknownPath(path);
  }
}
