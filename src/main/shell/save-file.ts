import { dialog } from 'electron';
import type { BrowserWindow, SaveDialogOptions } from 'electron';
import { writeFileAtomicallySync } from '../../base/files/atomic-file.ts';
import { HoldfastError, systemCodeOf } from '../../base/errors/errors.ts';

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

/** @throws HoldfastError `target_full`, `target_unwritable` */
export function saveFile(path: string, content: string | Uint8Array): { path: string } {
  try {
    writeFileAtomicallySync(path, content);
  } catch (error) {
    const problem = systemCodeOf(error) ?? 'unknown';
    throw new HoldfastError(problem === 'ENOSPC' ? 'target_full' : 'target_unwritable', { target: path, problem });
  }
  return { path };
}
