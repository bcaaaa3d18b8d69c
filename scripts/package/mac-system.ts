import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the least macOS of the packages, such as `13.0`. @param settings of electron-builder, as YAML */
export function neededMacOS(settings: string): string {
  const [, version] = /^ *minimumSystemVersion: ['"](\d+\.\d+)['"]$/m.exec(settings) ?? [];
  if (version === undefined) throw new Error('electron-builder.yml names no minimumSystemVersion');
  return version;
}

/** Returns the version of a macOS's kernel (Darwin), which `os.release()` returns: 20 for macOS 11, 24 for 15, 25 for 26. */
export function kernelOf(macOS: string): string {
  const major = Number(macOS.split('.')[0]);
  return `${major >= 26 ? major - 1 : major + 9}.0.0`;
}

/**
 * Adds the least system to the metadata of an update for macOS, if the build has any: electron-builder writes it only into the program, where an older
 * system finds it after the update.
 *
 * @param out the folder with the packages
 * @param settings of electron-builder, as YAML
 */
export function addNeededSystem(out: string, settings: string): void {
  const file = join(out, 'latest-mac.yml');
  if (existsSync(file)) appendFileSync(file, `minimumSystemVersion: ${kernelOf(neededMacOS(settings))}\n`);
}
