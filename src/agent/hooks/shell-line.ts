import { spawnSync } from 'node:child_process';

/** A program and its arguments, without the line that comes last. */
type Shell = readonly [string, ...string[]];

const PLAIN: Shell = ['/bin/sh', '-c'];

/**
 * Shells by which a pipeline fails if a part of it fails, best first. Others than `sh` behave like it as far as they can: bash writes with
 * `echo` as dash does, and expands no braces.
 */
const PIPE_SHELLS: readonly Shell[] = [
  ['/bin/sh', '-o', 'pipefail', '-c'],
  ['bash', '--posix', '+B', '-O', 'xpg_echo', '-o', 'pipefail', '-c'],
  ['busybox', 'ash', '-o', 'pipefail', '-c'],
  ['zsh', '--emulate', 'sh', '-o', 'pipefail', '-c'],
  ['ksh', '-o', 'pipefail', '-c'],
];

/** One bar, and not two, which mean “or”. A bar in quotes counts, too, and does no harm. */
const PIPE = /(?<!\|)\|(?!\|)/;

let found: Shell | null | undefined;

/** Returns whether a line may have a pipeline whose failure depends on the shell. */
export function hasPipe(line: string): boolean {
  return PIPE.test(line);
}

/**
 * Finds the shell for lines with a pipeline; `undefined` if no shell here tells that a part of one failed, and on Windows, where `cmd` does
 * not.
 */
export function pipeShell(): Shell | undefined {
  if (found === undefined) found = process.platform === 'win32' ? null : (PIPE_SHELLS.find(failsWithPart) ?? null);
  return found ?? undefined;
}

/** The words that run a line. Lines without a pipeline are always those of `sh`. */
export function wordsForLine(line: string): readonly string[] {
  return [...((hasPipe(line) ? pipeShell() : undefined) ?? PLAIN), line];
}

function failsWithPart([program, ...words]: Shell): boolean {
  const options = { stdio: 'ignore', timeout: 10_000 } as const;
  return spawnSync(program, [...words, 'exit 3 | exit 0'], options).status === 3;
}
