import { dialog } from 'electron';
import type { BrowserWindow, SaveDialogOptions } from 'electron';

/** Shows the system's save dialog; returns `undefined` when the person cancels it. */
export async function askSavePath(
  window: BrowserWindow | undefined,
  options: SaveDialogOptions,
): Promise<string | undefined> {
  const { canceled, filePath } = await (window
    ? dialog.showSaveDialog(window, options)
    : dialog.showSaveDialog(options));
  return canceled || filePath === '' ? undefined : filePath;
}
