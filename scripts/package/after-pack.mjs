import { rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Called by electron-builder before it sets the fuses and signs: removes the page that Electron shows without an app. */
export async function afterPack({ appOutDir, packager }) {
  await rm(join(packager.getResourcesDir(appOutDir), 'default_app.asar'), { force: true });
}
