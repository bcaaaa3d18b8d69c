import { app, autoUpdater } from 'electron';
import { AppImageUpdater, MacUpdater, NsisUpdater, type AppUpdater, type UpdateInfo } from 'electron-updater';
import { once } from 'node:events';
import { SignedProvider, type ServerOptions } from './signed-provider.ts';
import { isHigher } from './update-metadata.ts';
import type { UpdateEngine } from './updates.ts';

/** Updates by electron-updater: the installer of Windows, the archive of macOS, or an AppImage. */
export function electronUpdates(server: ServerOptions): UpdateEngine {
  const updater = updaterOf(process.platform);
  updater.logger = null;
  updater.autoDownload = false;
  // The agent has to end first.
  updater.autoInstallOnAppQuit = false;
  updater.allowDowngrade = false;
  updater.disableWebInstaller = true;
  // Looks for versions of a program that was unpacked from an archive, too.
  updater.forceDevUpdateConfig = true;
  // Everything that fails rejects, too.
  updater.on('error', () => undefined);
  updater.setFeedURL({ provider: 'custom', updateProvider: SignedProvider, ...server } as never);
  return {
    check: async () => {
      const found = await updater.checkForUpdates();
      if (!found?.isUpdateAvailable || !isHigher(found.updateInfo.version, app.getVersion())) return undefined;
      // There is none for this system and processor.
      if (found.updateInfo.files.length === 0) return undefined;
      return { version: found.updateInfo.version, notes: notesOf(found.updateInfo) };
    },
    download: async (onPercent) => {
      const listener = ({ percent }: { readonly percent: number }): void => onPercent(percent);
      updater.on('download-progress', listener);
      try {
        await updater.downloadUpdate();
      } finally {
        updater.removeListener('download-progress', listener);
      }
    },
    install: async () => {
      // The new version starts while this one ends.
      app.releaseSingleInstanceLock();
      const isReady = process.platform === 'darwin' ? once(autoUpdater, 'before-quit-for-update') : undefined;
      updater.quitAndInstall(true, true);
      await isReady;
    },
  };
}

function updaterOf(platform: NodeJS.Platform): AppUpdater {
  if (platform === 'win32') return new NsisUpdater();
  return platform === 'darwin' ? new MacUpdater() : new AppImageUpdater();
}

function notesOf({ releaseNotes }: UpdateInfo): string | undefined {
  return typeof releaseNotes === 'string' ? releaseNotes : undefined;
}
