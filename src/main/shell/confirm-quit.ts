import { dialog } from 'electron';
import type { BrowserWindow } from 'electron';
import type { AppState } from '../../ipc/state.ts';
import type { Language } from '../../strings/strings.ts';

/** Returns whether the program may end; asks the person when that would interrupt a run. */
export async function confirmQuit(
  state: AppState | undefined,
  { strings }: Language,
  window: BrowserWindow | undefined,
): Promise<boolean> {
  const kinds = new Set(state?.runs.map(({ kind }) => kind));
  const isRestore = kinds.has('restore');
  // A verification loses nothing, and is repeated later.
  if (!isRestore && !kinds.has('backup')) return true;
  const { quit } = strings.shell;
  const options = {
    type: 'question' as const,
    message: isRestore ? quit.restoreMessage : quit.message,
    detail: isRestore ? quit.restoreDetail : quit.detail,
    buttons: [quit.keep, quit.stop],
    defaultId: 0,
    cancelId: 0,
    noLink: true,
  };
  const { response } = await (window ? dialog.showMessageBox(window, options) : dialog.showMessageBox(options));
  return response === 1;
}
