import { app } from 'electron';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { autostartFile } from './autostart-entry.ts';
import { writeWholeFile } from './whole-file.ts';

/** Said at the start by the system itself: no window then. */
export const HIDDEN = '--hidden';

/**
 * Whether Holdfast starts, without a window, when the person logs in. Does nothing where it is so already, and nothing
 * where the system cannot do it.
 */
export function startAtLogin(isWanted: boolean, environment: NodeJS.ProcessEnv): void {
  if (process.platform === 'linux') return writeAutostart(isWanted, environment);
  if (app.getLoginItemSettings({ args: [HIDDEN] }).openAtLogin === isWanted) return;
  app.setLoginItemSettings({ openAtLogin: isWanted, args: [HIDDEN] });
}

/** A desktop that follows freedesktop.org starts what has a file there. */
function writeAutostart(isWanted: boolean, environment: NodeJS.ProcessEnv): void {
  const folder = join(environment['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'autostart');
  const file = join(folder, 'holdfast.desktop');
  if (!isWanted) return rmSync(file, { force: true });
  const text = autostartFile(commandLine(environment));
  if (readIfThere(file) === text) return;
  mkdirSync(dirname(file), { recursive: true });
  writeWholeFile(file, text);
}

function commandLine(environment: NodeJS.ProcessEnv): readonly string[] {
  // An AppImage runs from a folder that is another one each time.
  if (environment['APPIMAGE']) return [environment['APPIMAGE'], HIDDEN];
  return app.isPackaged ? [process.execPath, HIDDEN] : [process.execPath, app.getAppPath(), HIDDEN];
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
