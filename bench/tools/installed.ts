import { spawnSync } from 'node:child_process';

/** Returns the first line of a program's version output, or `undefined` if it is not installed. */
export function versionLine(program: string, ...args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync(program, args, { encoding: 'utf8' });
  return status === 0 ? stdout.split('\n')[0] : undefined;
}
