import { realpathSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { isBelow } from '../../model/local-path.ts';

/**
 * Returns the AppImage that a program was started from. The variables alone prove nothing: whatever another AppImage starts, such as a terminal, inherits
 * that one's.
 *
 * @param program the program's own file, which is below `APPDIR` in an AppImage
 * @see https://docs.appimage.org/packaging-guide/environment-variables.html
 */
export function ownImage(environment: NodeJS.ProcessEnv, program: string = process.execPath): string | undefined {
  const { APPIMAGE: image = '', APPDIR: folder = '' } = environment;
  if (!isAbsolute(image) || !isAbsolute(folder)) return undefined;
  return isFileBelow(folder, program) ? image : undefined;
}

function isFileBelow(folder: string, file: string): boolean {
  try {
    return isBelow(realpathSync(file), realpathSync(folder));
  } catch {
    return false;
  }
}
