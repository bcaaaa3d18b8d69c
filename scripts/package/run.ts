import { spawnSync } from 'node:child_process';

/** Runs a program to its end. @throws Error with its output if it fails or is missing */
export function run(
  program: string,
  words: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): string {
  const { status, stdout, stderr, error } = spawnSync(program, words, {
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    ...options,
  });
  if (status !== 0) throw new Error(`${program} ${words[0] ?? ''}: ${error?.message ?? `${stdout}${stderr}`.trim()}`);
  return stdout;
}

/** Returns whether a program is on the PATH. */
export function has(program: string): boolean {
  return spawnSync('which', [program], { stdio: 'ignore' }).status === 0;
}
