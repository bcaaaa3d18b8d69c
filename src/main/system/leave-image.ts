import { isAbsolute } from 'node:path';
import { isInside } from '../../model/local-path.ts';
import { ownImage } from './own-image.ts';

/** Variables of an AppImage's own start, which mean something else to the next program: zsh names every command after `ARGV0`. */
const OF_START = ['ARGV0', 'OWD'];

/**
 * Removes from an environment what an AppImage has added for its own program: folders of the image in lists such as `LD_LIBRARY_PATH`.
 * Otherwise a person's commands, browser and other programs would load libraries of the image. `APPIMAGE` and `APPDIR` stay,
 * since updates read them. Does nothing if this program was not started from an AppImage.
 *
 * @param environment is changed @param program the program's own file
 */
export function leaveImage(environment: NodeJS.ProcessEnv, program: string = process.execPath): void {
  const { APPDIR: folder } = environment;
  if (folder === undefined || ownImage(environment, program) === undefined) return;
  for (const name of OF_START) delete environment[name];
  for (const [name, value = ''] of Object.entries(environment)) {
    if (name === 'APPDIR' || name === 'APPIMAGE') continue;
    const entries = value.split(':');
    const kept = entries.filter((entry) => !isAbsolute(entry) || !isInside(entry, folder));
    if (kept.length === entries.length) continue;
    if (kept.some((entry) => entry !== '')) environment[name] = kept.join(':');
    else delete environment[name];
  }
}
