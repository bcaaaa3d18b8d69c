import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const PACKAGE = join(dirname(dirname(import.meta.dirname)), 'node_modules/electron');
const RELEASES = 'https://github.com/electron/electron/releases/download/';
/** Whether the download can be reached shows in this time; how long it then takes is a matter of the line. */
const PROBE_MS = 3_000;
/** Where it could not be reached, it is not tried again for so long. */
const QUIET_MS = 24 * 3_600_000;

/** The program of the `electron` package; nothing before it was fetched, or where it is of another version. */
export function officialElectron(): string | undefined {
  try {
    const folder = join(PACKAGE, 'dist');
    const wanted = (JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { version: string }).version;
    if (readFileSync(join(folder, 'version'), 'utf8').trim().replace(/^v/, '') !== wanted) return undefined;
    const program = join(folder, readFileSync(join(PACKAGE, 'path.txt'), 'utf8'));
    return existsSync(program) ? program : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Fetches it as its package does, where the place that it comes from can be reached.
 *
 * @param cache a folder that remembers that it could not
 */
export async function fetchOfficialElectron(cache: string, say: (line: string) => void): Promise<string | undefined> {
  if (!existsSync(PACKAGE)) return undefined;
  const unreachable = join(cache, 'electron-unreachable');
  if (isYoung(unreachable)) return undefined;
  if (!(await canBeReached())) {
    mkdirSync(cache, { recursive: true });
    writeFileSync(unreachable, '');
    return undefined;
  }
  rmSync(unreachable, { force: true });
  say('Fetching Electron, about 120 MB …');
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
    // Any answer shows that somebody is there; the list itself is no page.
    return true;
  } catch {
    return false;
  }
}

function isYoung(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  return found !== undefined && Date.now() - found.mtimeMs < QUIET_MS;
}
