import { app } from 'electron';
import { ownImage } from './own-image.ts';

/**
 * Returns whether this program is an AppImage without Chromium's sandbox: electron-builder's start script passes `--no-sandbox` where a
 * person may make no user namespaces, as with Ubuntu 24, instead of failing.
 */
export function isImageWithoutSandbox(): boolean {
  return app.commandLine.hasSwitch('no-sandbox') && ownImage(process.env) !== undefined;
}
