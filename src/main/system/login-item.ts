import { app } from 'electron';
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeFileAtomicallySync } from '../../base/files/atomic-file.ts';
import { autostartEntry } from './autostart-entry.ts';
import { ownCommand } from './own-command.ts';
import { readableText } from './readable-text.ts';
import { requireUserHome, userHome } from '../../base/files/user-home.ts';

/** Passed when the system starts the program at login, which then opens no window. */
export const HIDDEN = '--hidden';

/** Returns whether the system has started the program at login. macOS passes no words, and says so itself. */
export function isStartedAtLogin(words: readonly string[], platform: NodeJS.Platform = process.platform): boolean {
  return words.includes(HIDDEN) || (platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin);
}

/**
 * Sets whether Holdfast starts, without a window, when the person logs in. Does nothing when it is set already, or when
 * the system does not support it.
 */
export function setLoginItem(isWanted: boolean, environment: NodeJS.ProcessEnv): void {
  if (process.platform === 'linux') return writeAutostart(isWanted, environment);
  if (app.getLoginItemSettings({ args: [HIDDEN] }).openAtLogin === isWanted) return;
  app.setLoginItemSettings({ openAtLogin: isWanted, args: [HIDDEN] });
}

/** Desktops that follow freedesktop.org start every program that has an entry in this folder. */
function writeAutostart(isWanted: boolean, environment: NodeJS.ProcessEnv): void {
  const { XDG_CONFIG_HOME: config } = environment;
  if (!isWanted && !config && userHome() === undefined) return;
  const folder = join(config || join(requireUserHome(), '.config'), 'autostart');
  const file = join(folder, 'holdfast.desktop');
  if (!isWanted) return rmSync(file, { force: true });
  const text = autostartEntry([...ownCommand(environment), HIDDEN]);
  if (readableText(file) === text) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileAtomicallySync(file, text);
}
