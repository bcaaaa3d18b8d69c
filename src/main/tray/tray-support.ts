import { execFile } from 'node:child_process';

const LIMIT_MS = 2_000;

/**
 * Returns whether the desktop can show a tray icon. On Linux it can if a StatusNotifierWatcher is on the session bus;
 * returns false when the bus cannot be asked.
 */
export function isTrayAvailable(): Promise<boolean> {
  if (process.platform !== 'linux') return Promise.resolve(true);
  const words = [
    '--session',
    '--print-reply',
    '--dest=org.freedesktop.DBus',
    '/org/freedesktop/DBus',
    'org.freedesktop.DBus.NameHasOwner',
    'string:org.kde.StatusNotifierWatcher',
  ];
  return new Promise((resolve) => {
    execFile('dbus-send', words, { timeout: LIMIT_MS }, (error, answer) =>
      resolve(error === null && answer.includes('boolean true')),
    );
  });
}
