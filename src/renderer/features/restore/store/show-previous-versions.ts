import { call } from '../../../bridge/bridge.ts';
import { openAt, setUnknownPath } from './restore-store.ts';

/** Counts the wishes; the newest wins. */
let newest = 0;

/** Opens the newest restore point at a file or folder of this computer, which a person has chosen in a file manager. */
export async function showPreviousVersions(path: string): Promise<void> {
  newest += 1;
  const own = newest;
  try {
    const { found } = await call('sets.locate', { path });
    if (own !== newest) return;
    if (found) openAt(found);
    else setUnknownPath(path);
  } catch {
    // Without an agent there are no backups to show; the window says so.
    if (own === newest) setUnknownPath(path);
  }
}
