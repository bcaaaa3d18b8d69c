import { spawnSync } from 'node:child_process';

/** The first line that a program says about its version; undefined where it is not installed. */
export function versionLine(program: string, ...args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync(program, args, { encoding: 'utf8' });
  return status === 0 ? stdout.split('\n')[0] : undefined;
}
