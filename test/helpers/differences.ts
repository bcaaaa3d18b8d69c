import { spawnSync } from 'node:child_process';
import { differencesOnWindows } from './tree/compare-on-windows.ts';

/** Compares two folders with diff. Returns what differs; empty if nothing does. @param options of diff */
export function differences(one: string, other: string, ...options: readonly string[]): string {
  if (process.platform === 'win32') return differencesOnWindows(one, other, true).join('\n');
  const { status, stdout, stderr } = spawnSync('diff', ['-r', ...options, one, other], { encoding: 'latin1' });
  return status === 0 ? '' : stdout + stderr || 'diff failed';
}
