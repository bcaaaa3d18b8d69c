import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';
import { localPath } from '../input/local-path.ts';
import { HoldfastError, systemCodeOf } from '../../base/errors/errors.ts';
import { restrictFolder } from '../../os/filesystem/windows/private-folder.ts';
import { timeMachineMark } from '../../os/filesystem/macos/time-machine-mark.ts';
import { dataFolder } from '../../base/files/user-home.ts';
import { makeDurableFolderSync, makePrivateFolderSync } from '../../os/filesystem/make-folder.ts';

/** The folder with this computer's state: settings, keys, catalog. */
export interface Home {
  /** Absolute. */
  readonly folder: string;
  readonly settingsFile: string;
  readonly secretsFile: string;
  readonly catalogFile: string;
  /** The history of files, which is made anew if it is missing. */
  readonly historyFile: string;
  /** Holds plans too large for memory. Each user cleans up after itself. */
  readonly scratchFolder: string;
  /** The records of restores to the original places, by which they are continued and undone. */
  readonly undoFolder: string;
}

/** Chooses `--home`, else `HOLDFAST_HOME`, else the platform's data folder, which the desktop app shares. @throws HoldfastError `usage` `no-home` */
export function homeFolder(option: string | undefined, environment: NodeJS.ProcessEnv): string {
  const chosen = option ?? (environment['HOLDFAST_HOME'] || undefined);
  return chosen === undefined ? dataFolder(environment) : localPath(chosen);
}

/** Returns the layout of a home, whether it exists or not. */
export function homeAt(folder: string): Home {
  return {
    folder,
    settingsFile: join(folder, 'settings.json'),
    secretsFile: join(folder, 'secrets.json'),
    catalogFile: join(folder, 'catalog.sqlite'),
    historyFile: join(folder, 'history.sqlite'),
    scratchFolder: join(folder, 'scratch'),
    undoFolder: join(folder, 'undo'),
  };
}

/**
 * Creates the folder if it is missing, for its owner only. On Windows it is restricted each time.
 *
 * @throws HoldfastError `home_unwritable`
 */
export function prepareHome(home: Home): void {
  try {
    makeDurableFolderSync(home.folder);
    if (!statSync(home.folder).isDirectory()) throw new HoldfastError('home_unwritable', { file: home.folder });
    accessSync(home.folder, constants.W_OK | constants.X_OK);
    restrictFolder(home.folder);
    makePrivateFolderSync(home.scratchFolder);
    timeMachineMark()?.set(home.scratchFolder);
  } catch (error) {
    throw new HoldfastError('home_unwritable', { file: home.folder, problem: systemCodeOf(error) }, { cause: error });
  }
}
