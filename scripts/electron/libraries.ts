import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { quoted, type Need } from './needs.ts';

/** A library that Electron loads, and the names of its Debian package, the newest first: some were renamed after Debian 12. */
interface Library {
  readonly file: string;
  readonly packages: readonly string[];
}

/** Their packages depend on all others without which Electron does not start. */
const NEEDED: readonly Library[] = [
  { file: 'libgtk-3.so.0', packages: ['libgtk-3-0t64', 'libgtk-3-0'] },
  { file: 'libnss3.so', packages: ['libnss3'] },
  { file: 'libasound.so.2', packages: ['libasound2t64', 'libasound2'] },
  { file: 'libgbm.so.1', packages: ['libgbm1'] },
  { file: 'libatk-bridge-2.0.so.0', packages: ['libatk-bridge2.0-0t64', 'libatk-bridge2.0-0'] },
];

/** What it loads while it runs: notifications, the keychain, whether somebody is at the computer. */
const USED: readonly Library[] = [
  { file: 'libXss.so.1', packages: ['libxss1'] },
  { file: 'libdrm.so.2', packages: ['libdrm2'] },
  { file: 'libXtst.so.6', packages: ['libxtst6'] },
  { file: 'libnotify.so.4', packages: ['libnotify4'] },
  { file: 'libsecret-1.so.0', packages: ['libsecret-1-0'] },
];

/**
 * Returns the libraries of Electron that this system lacks.
 *
 * @param electron the program, or `undefined` if there is none yet
 */
export function missingLibraries(electron: string | undefined): Need | undefined {
  if (process.platform !== 'linux') return undefined;
  const isKnown = knownLibraries();
  const lacks = ({ file }: Library): boolean => isKnown !== undefined && !isKnown.has(file);
  const files = electron === undefined ? NEEDED.filter(lacks).map(({ file }) => file) : unresolvedBy(electron);
  if (files.length === 0) return undefined;
  const packages = [...NEEDED, ...USED].filter((library) => isKnown === undefined || lacks(library));
  return { what: `libraries of Electron: ${files.join(', ')}`, packages: packages.map((library) => library.packages) };
}

function unresolvedBy(program: string): readonly string[] {
  const { stdout } = spawnSync('ldd', [program], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
  return [...(stdout ?? '').matchAll(/^\s*(\S+) => not found/gm)].map(([, name]) => name!);
}

/** Returns the libraries that the linker finds, or `undefined` where it keeps no list of them. */
function knownLibraries(): ReadonlySet<string> | undefined {
  // It is not on the PATH of an ordinary user.
  const path = `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`;
  const { status, stdout } = spawnSync('ldconfig', ['-p'], { encoding: 'utf8', env: { ...process.env, PATH: path } });
  if (status !== 0) return undefined;
  return new Set([...stdout.matchAll(/^\s+(\S+) \(/gm)].map(([, name]) => name!));
}

/** Returns what this system lacks to run programs with windows without a display. */
export function missingScreen(): Need | undefined {
  const hasXvfb = spawnSync('sh', ['-c', 'command -v Xvfb'], { stdio: 'ignore' }).status === 0;
  return hasXvfb ? undefined : { what: 'a display, or Xvfb', packages: [['xvfb']] };
}

/** Returns what Electron lacks to put its pages into a sandbox, which root cannot have. */
export function missingSandbox(electron: string): Need | undefined {
  if (process.platform !== 'linux' || process.getuid?.() === 0) return undefined;
  const helper = join(dirname(electron), 'chrome-sandbox');
  const found = statSync(helper, { throwIfNoEntry: false });
  if (found === undefined || (found.uid === 0 && (found.mode & 0o4111) === 0o4111)) return undefined;
  const hasNamespaces = spawnSync('unshare', ['--user', '--map-root-user', 'true'], { stdio: 'ignore' }).status === 0;
  if (hasNamespaces) return undefined;
  return {
    what: 'namespaces for ordinary users, or a sandbox of Electron that belongs to root',
    packages: [],
    commands: [`sudo chown root:root ${quoted(helper)}`, `sudo chmod 4755 ${quoted(helper)}`],
  };
}
