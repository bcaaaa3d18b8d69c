import { execFile } from 'node:child_process';

const LIMIT_MS = 2_000;

/**
 * Whether there is a place for the tray's icon. Desktops of Linux have one where somebody watches over status icons;
 * where that cannot be asked, there is taken to be none.
 */
export function hasTray(): Promise<boolean> {
  if (process.platform !== 'linux') return Promise.resolve(true);
  const question = [
    '--session',
    '--print-reply',
    '--dest=org.freedesktop.DBus',
    '/org/freedesktop/DBus',
    'org.freedesktop.DBus.NameHasOwner',
    'string:org.kde.StatusNotifierWatcher',
  ];
  return new Promise((resolve) => {
    execFile('dbus-send', question, { timeout: LIMIT_MS }, (error, answer) =>
      resolve(error === null && answer.includes('boolean true')),
    );
  });
}
