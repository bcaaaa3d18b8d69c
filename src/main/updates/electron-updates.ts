import { app, autoUpdater } from 'electron';
import { AppImageUpdater, MacUpdater, NsisUpdater, type AppUpdater, type UpdateInfo } from 'electron-updater';
import { ElectronAppAdapter } from 'electron-updater/out/ElectronAppAdapter.js';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { release } from 'node:os';
import type { AnnouncedFile } from './bounded-download.ts';
import { BoundedExecutor } from './bounded-executor.ts';
import { startInstalledProgram } from './installed-program.ts';
import { ownImage } from '../system/own-image.ts';
import { hasDigest, replaceImage } from './replace-image.ts';
import { SignedProvider, type ServerOptions } from './metadata/signed-provider.ts';
import { isHigher, isSystemTooOld } from './metadata/update-metadata.ts';
import { UpdateProblem } from './update-problem.ts';
import type { UpdateEngine } from './updates.ts';

/** A file that was downloaded and verified. */
interface Downloaded extends AnnouncedFile {
  readonly file: string;
}

/**
 * Updates by electron-updater: the installer of Windows or the archive of macOS. An AppImage is replaced without it.
 *
 * @param folder for downloads, which nobody else can write to
 */
export function electronUpdates(server: ServerOptions, folder: string): UpdateEngine {
  const executor = new BoundedExecutor();
  const updater = updaterOf(process.platform, new Surroundings(folder));
  Object.assign(updater, { httpExecutor: executor });
  updater.logger = null;
  updater.autoDownload = false;
  // The agent has to end first.
  updater.autoInstallOnAppQuit = false;
  updater.allowDowngrade = false;
  updater.disableWebInstaller = true;
  // It reads lists of blocks that nobody has signed.
  updater.disableDifferentialDownload = true;
  // Looks for versions of a program that was unpacked from an archive, too.
  updater.forceDevUpdateConfig = true;
  // Its own comparison takes Linux's 6.8.0-45-generic for an earlier version than 6.8.0.
  updater.isUpdateSupported = ({ minimumSystemVersion }) => !isSystemTooOld(minimumSystemVersion, release());
  // Everything that fails rejects, too.
  updater.on('error', () => undefined);
  updater.setFeedURL({ provider: 'custom', updateProvider: SignedProvider, ...server } as never);
  let announced: AnnouncedFile | undefined;
  let downloaded: Downloaded | undefined;
  return {
    check: async () => {
      const found = await updater.checkForUpdates();
      if (!found || !isHigher(found.updateInfo.version, app.getVersion())) return undefined;
      const { version, files, minimumSystemVersion } = found.updateInfo;
      const [file] = files;
      // There is none for this system and processor.
      if (!file) return undefined;
      const offer = { version, notes: notesOf(found.updateInfo) };
      if (isSystemTooOld(minimumSystemVersion, release())) return { ...offer, isSystemTooOld: true };
      if (!found.isUpdateAvailable) return undefined;
      announced = { size: file.size!, sha512: file.sha512 };
      return { ...offer, isSystemTooOld: false };
    },
    download: async (onPercent, signal) => {
      downloaded = undefined;
      executor.expected = { announced: announced!, signal, onPercent };
      const [file] = await updater.downloadUpdate();
      downloaded = { ...announced!, file: file! };
    },
    install: async () => {
      const image = ownImage(process.env);
      try {
        if (process.platform !== 'linux') await installWith(updater, downloaded!);
        else if (image === undefined) throw new UpdateProblem('install');
        else await installImage(downloaded!, image);
      } catch (error) {
        // The next attempt downloads it again.
        await rm(downloaded!.file, { force: true });
        throw error;
      }
    },
  };
}

/** Electron as electron-updater sees it, with a folder for downloads that belongs to this home: other homes have their own. */
class Surroundings extends ElectronAppAdapter {
  readonly #folder: string;

  constructor(folder: string) {
    super(app);
    this.#folder = folder;
  }

  override get baseCachePath(): string {
    return this.#folder;
  }
}

function updaterOf(platform: NodeJS.Platform, surroundings: ElectronAppAdapter): AppUpdater {
  if (platform === 'win32') return new NsisUpdater(undefined, surroundings);
  if (platform === 'darwin') return new MacUpdater(undefined, surroundings);
  return new AppImageUpdater(undefined, surroundings);
}

async function installImage({ file, sha512 }: Downloaded, image: string): Promise<void> {
  await replaceImage(file, image, sha512);
  await rm(file, { force: true });
  await startInstalledProgram();
}

async function installWith(updater: AppUpdater, { file, sha512 }: Downloaded): Promise<void> {
  // It may have been replaced since it was verified.
  if (!(await hasDigest(file, sha512))) throw new UpdateProblem('damaged');
  // The new version starts while this one ends.
  app.releaseSingleInstanceLock();
  const isReady = process.platform === 'darwin' ? once(autoUpdater, 'before-quit-for-update') : undefined;
  let failure: Error | undefined;
  // It reports what fails, and returns as if nothing had.
  const onError = (error: Error): void => void (failure = error);
  updater.once('error', onError);
  updater.quitAndInstall(true, true);
  updater.removeListener('error', onError);
  if (failure) {
    app.requestSingleInstanceLock();
    throw new UpdateProblem('install', { cause: failure });
  }
  await isReady;
}

function notesOf({ releaseNotes }: UpdateInfo): string | undefined {
  return typeof releaseNotes === 'string' ? releaseNotes : undefined;
}
