import { spawnSync } from 'node:child_process';

/** Something without which the desktop app does not start. */
export interface Need {
  readonly what: string;
  /** Debian packages that bring it, each with its possible names. */
  readonly packages: readonly (readonly string[])[];
  /** Commands that bring it otherwise. */
  readonly commands?: readonly string[];
  /** What `npm start` has to be told, as `NAME=value`, and why. */
  readonly setting?: { readonly words: string; readonly why: string };
}

/** Which of these packages a computer's apt knows; `undefined` without apt. */
export type KnownPackages = ((name: string) => boolean) | undefined;

/**
 * Returns lines that name everything that is missing, and one command for all of it.
 *
 * @param setting what `npm start` was told, which the command repeats
 */
export function linesFor(needs: readonly Need[], isKnown: KnownPackages, setting?: string): readonly string[] {
  const told = needs.find((need) => need.setting)?.setting;
  const words = told?.words ?? setting;
  const again = words === undefined ? 'npm start' : `${words} npm start`;
  const packages = needs.flatMap((need) => need.packages);
  const commands = needs.flatMap((need) => need.commands ?? []);
  const lines = ['Holdfast cannot start yet. This computer lacks:', ...needs.map(({ what }) => `  ${what}`)];
  if (packages.length > 0 && isKnown === undefined) {
    lines.push('Install the packages of your system that bring these. Then:');
  } else {
    if (packages.length > 0) commands.unshift(...aptCommands(packages, isKnown));
    lines.push('With this line it starts:');
  }
  lines.push(`  ${[...commands, again].join(' && ')}`);
  if (told) lines.push(told.why);
  return lines;
}

/** Returns a word as a shell has to be given it. */
export function quoted(word: string): string {
  return /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function aptCommands(packages: Need['packages'], isKnown: KnownPackages): readonly string[] {
  const names = packages.map((one) => one.find((name) => isKnown?.(name)) ?? one.at(-1)!);
  // A new installation may have no list of packages yet.
  const update = names.every((name) => !isKnown?.(name)) ? ['sudo apt-get update'] : [];
  return [...update, `sudo apt-get install -y --no-install-recommends ${names.join(' ')}`];
}

/** Asks this computer's apt. */
export function packagesKnownHere(): KnownPackages {
  const found = spawnSync('sh', ['-c', 'command -v apt-get && command -v apt-cache'], { stdio: 'ignore' });
  if (found.status !== 0) return undefined;
  return (name) => {
    const env = { ...process.env, LC_ALL: 'C' };
    const { stdout } = spawnSync('apt-cache', ['policy', name], { encoding: 'utf8', env });
    return /Candidate: (?!\(none\))/.test(stdout ?? '');
  };
}

/** Installs the packages of all needs as root. @returns whether that has worked */
export function install(needs: readonly Need[], isKnown: NonNullable<KnownPackages>): boolean {
  const packages = needs.flatMap((need) => need.packages);
  if (packages.length === 0) return true;
  const aptGet = (...words: readonly string[]): boolean => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    return spawnSync('apt-get', words, { stdio: 'ignore', env }).status === 0;
  };
  const tryOnce = (): boolean => {
    const names = packages.map((one) => one.find(isKnown) ?? one.at(-1)!);
    return aptGet('install', '-y', '-qq', '--no-install-recommends', ...names);
  };
  return tryOnce() || (aptGet('update', '-qq') && tryOnce());
}
