import { spawnSync } from 'node:child_process';

/** Debian packages with the libraries that Electron loads; some were renamed after Debian 12. */
const PACKAGES: readonly (readonly string[])[] = [
  ['libgtk-3-0t64', 'libgtk-3-0'],
  ['libnss3'],
  ['libasound2t64', 'libasound2'],
  ['libgbm1'],
  ['libxss1'],
  ['libatk-bridge2.0-0t64', 'libatk-bridge2.0-0'],
  ['libdrm2'],
  ['libxtst6'],
  ['libnotify4'],
  ['libsecret-1-0'],
];

/** The virtual screen. */
const SCREEN = [['xvfb']];

export interface Missing {
  readonly what: string;
  readonly packages: readonly (readonly string[])[];
}

/** Returns the libraries of Electron that this system lacks. */
export function missingLibraries(electron: string): Missing | undefined {
  if (process.platform !== 'linux') return undefined;
  const { stdout } = spawnSync('ldd', [electron], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
  const names = [...(stdout ?? '').matchAll(/^\s*(\S+) => not found/gm)].map(([, name]) => name!);
  return names.length === 0 ? undefined : { what: `libraries (${names.join(', ')})`, packages: PACKAGES };
}

/** Returns what this system lacks to run programs with windows without a display. */
export function missingScreen(): Missing | undefined {
  const hasXvfb = spawnSync('which', ['Xvfb']).status === 0;
  return hasXvfb ? undefined : { what: 'a display, or Xvfb', packages: SCREEN };
}

/**
 * Installs Debian packages if this process has the rights, and otherwise prints the command.
 *
 * @returns whether they are installed now
 */
export function install({ what, packages }: Missing, say: (line: string) => void): boolean {
  const hasApt = spawnSync('which', ['apt-get']).status === 0;
  if (!hasApt) {
    say(`The desktop app needs ${what}.`);
    return false;
  }
  if (process.getuid?.() !== 0) {
    say(`The desktop app needs ${what}. With Debian: sudo apt-get install ${namesOf(packages).join(' ')}`);
    return false;
  }
  say(`Installing what the desktop app needs: ${what} …`);
  if (aptInstall(packages)) return true;
  spawnSync('apt-get', ['update', '-qq'], { stdio: 'ignore' });
  if (aptInstall(packages)) return true;
  say(`Could not install ${namesOf(packages).join(' ')}.`);
  return false;
}

function aptInstall(packages: readonly (readonly string[])[]): boolean {
  const words = ['install', '-y', '-qq', '--no-install-recommends', ...namesOf(packages)];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync('apt-get', words, { stdio: 'ignore', env }).status === 0;
}

/** Returns for each package the first name that exists on this system. */
function namesOf(packages: readonly (readonly string[])[]): readonly string[] {
  return packages.map((names) => names.find(isKnown) ?? names.at(-1)!);
}

function isKnown(name: string): boolean {
  const { stdout } = spawnSync('apt-cache', ['policy', name], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  });
  return /Candidate: (?!\(none\))/.test(stdout ?? '');
}
