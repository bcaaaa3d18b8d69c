import { rmSync } from 'node:fs';

/**
 * Removes a test's own folder. Windows removes no file that is open, such as the index of a thread that ends with the process: such a folder is
 * left behind there.
 */
export function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    if (process.platform !== 'win32') throw error;
  }
}
