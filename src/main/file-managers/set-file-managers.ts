import { chmodSync, mkdirSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { writeFileAtomicallySync } from '../../base/files/atomic-file.ts';
import { readTextIfPresentSync } from '../../base/files/json-file.ts';
import { readableText } from '../system/readable-text.ts';
import { setExplorerMenu } from './explorer-menu.ts';
import { menuFiles, type MenuItem, type PersonalFolders } from './menu-files.ts';
import { PREVIOUS_VERSIONS } from './requested-path.ts';
import { NO_ACTIONS, withThunarAction } from './thunar-actions.ts';
import { userHome } from '../../base/files/user-home.ts';

/** Returns whether this system's file managers get the item from files or the registry of the person. Finder has no such place. */
export function canSetFileManagers(platform: NodeJS.Platform = process.platform): boolean {
  return platform === 'linux' || platform === 'win32';
}

/** The menus of the person's file managers, which are written when the preference or the language changes. */
export class FileManagerMenus {
  #last: string | undefined;

  /** Called with every state of the program. @param item `undefined` to remove it */
  update(item: MenuItem | undefined, environment: NodeJS.ProcessEnv): void {
    const key = JSON.stringify(item ?? null);
    if (key === this.#last) return;
    this.#last = key;
    setFileManagers(item, environment);
  }
}

/**
 * Adds the item to the menus of the person's file managers, or removes it. Does nothing where it is so already. A file that cannot
 * be written is left out: a menu item is no reason to fail.
 *
 * @param item `undefined` to remove it
 */
export function setFileManagers(item: MenuItem | undefined, environment: NodeJS.ProcessEnv): void {
  if (process.platform === 'win32') return setExplorerMenu(item);
  if (!canSetFileManagers()) return;
  const folders = personalFolders(environment);
  if (!folders) return;
  const files = item ? menuFiles(item, folders) : [];
  removeOthers(folders, new Set(files.map(({ path }) => path)));
  for (const { path, text, mode } of files) {
    ifPossible(() => {
      if (readableText(path) === text) return;
      mkdirSync(dirname(path), { recursive: true });
      writeFileAtomicallySync(path, text);
      chmodSync(path, mode);
    });
  }
  ifPossible(() => setThunar(item, folders, environment));
}

/** Returns `undefined` for a user without a home folder. */
function personalFolders(environment: NodeJS.ProcessEnv): PersonalFolders | undefined {
  const home = userHome();
  if (home === undefined) return undefined;
  return {
    data: environment['XDG_DATA_HOME'] || join(home, '.local/share'),
    config: environment['XDG_CONFIG_HOME'] || join(home, '.config'),
  };
}

/** Removes the files of an earlier language or of a preference that is off. Those of scripts are recognised by their text. */
function removeOthers(folders: PersonalFolders, wanted: ReadonlySet<string>): void {
  for (const { path } of menuFiles({ command: [], label: 'any' }, folders)) {
    const folder = dirname(path);
    const names = basename(path) === 'any' ? namesIn(folder) : [basename(path)];
    for (const other of names.map((name) => join(folder, name))) {
      if (wanted.has(other) || readableText(other)?.includes(PREVIOUS_VERSIONS) !== true) continue;
      ifPossible(() => rmSync(other));
    }
  }
}

/** Thunar has all actions in one file. Until the person has one, those of the system apply, and have to be in the first. */
function setThunar(item: MenuItem | undefined, { config }: PersonalFolders, environment: NodeJS.ProcessEnv): void {
  const file = realPathOr(join(config, 'Thunar/uca.xml'));
  // Throws if the person's file exists and cannot be read: it must not be replaced then.
  const own = readTextIfPresentSync(file);
  if (own === undefined && !item) return;
  const systems = (environment['XDG_CONFIG_DIRS'] || '/etc/xdg').split(':');
  const before =
    own ?? systems.map((folder) => readableText(join(folder, 'Thunar/uca.xml'))).find(Boolean) ?? NO_ACTIONS;
  const after = withThunarAction(before, item);
  if (after === undefined || after === own) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileAtomicallySync(file, after);
}

/** People keep such files elsewhere, behind a link, which has to stay. */
function realPathOr(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function ifPossible(work: () => void): void {
  try {
    work();
  } catch {
    // A read-only home, or a file in the place of a folder.
  }
}
