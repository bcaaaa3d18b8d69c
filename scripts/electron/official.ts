import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const PACKAGE = join(dirname(dirname(import.meta.dirname)), 'node_modules/electron');
const RELEASES = 'https://github.com/electron/electron/releases/download/';
/** Limits the check whether the server can be reached; the download itself may take longer. */
const PROBE_MS = 3_000;
const RETRY_UNREACHABLE_MS = 24 * 3_600_000;

export function declaredElectronVersion(): string {
  return (JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { version: string }).version;
}

/** Returns the program of the `electron` package, or `undefined` if it is not downloaded or has another version. */
export function officialElectron(): string | undefined {
  try {
    const folder = join(PACKAGE, 'dist');
    const installed = readFileSync(join(folder, 'version'), 'utf8').trim().replace(/^v/, '');
    if (installed !== declaredElectronVersion()) return undefined;
    const program = join(folder, readFileSync(join(PACKAGE, 'path.txt'), 'utf8'));
    return existsSync(program) ? program : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Downloads the official build with the package's own installer if its server can be reached.
 *
 * @param cache stores when the server could not be reached
 * @param options.skipIfRecentlyUnreachable returns `undefined` at once if that was within a day
 */
export async function fetchOfficialElectron(
  cache: string,
  say: (line: string) => void,
  { skipIfRecentlyUnreachable }: { readonly skipIfRecentlyUnreachable: boolean },
): Promise<string | undefined> {
  if (!existsSync(PACKAGE)) return undefined;
  const unreachable = join(cache, 'electron-unreachable');
  if (skipIfRecentlyUnreachable && isRecent(unreachable)) return undefined;
  if (!(await canBeReached())) {
    mkdirSync(cache, { recursive: true });
    writeFileSync(unreachable, '');
    return undefined;
  }
  rmSync(unreachable, { force: true });
  say('Downloading Electron, about 120 MB …');
  const { status } = spawnSync(process.execPath, [join(PACKAGE, 'install.js')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return status === 0 ? officialElectron() : undefined;
}

async function canBeReached(): Promise<boolean> {
  const mirror = process.env['ELECTRON_MIRROR'] || process.env['npm_config_electron_mirror'];
  try {
    const { body } = await fetch(mirror ?? RELEASES, { method: 'HEAD', signal: AbortSignal.timeout(PROBE_MS) });
    await body?.cancel();
    // Any status will do: the folder itself is no page.
    return true;
  } catch {
    return false;
  }
}

function isRecent(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  return found !== undefined && Date.now() - found.mtimeMs < RETRY_UNREACHABLE_MS;
}
