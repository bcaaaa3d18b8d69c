import { spawnSync } from 'node:child_process';

/** Compares two folders with diff. Returns what differs; empty if nothing does. @param options of diff */
export function differences(one: string, other: string, ...options: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('diff', ['-r', ...options, one, other], { encoding: 'latin1' });
  return status === 0 ? '' : stdout + stderr || 'diff failed';
}
