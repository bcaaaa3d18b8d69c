import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { PYTHON } from '../debian-python.ts';
import { differencesOnWindows } from './compare-on-windows.ts';

export interface Comparison {
  /** Owners are not compared: the restoring user may not change them. */
  readonly ignoreOwner?: boolean;
  /** FIFOs, sockets and devices of the expected tree have to be absent from the actual one. */
  readonly withoutSpecial?: boolean;
  readonly ignoreTimes?: boolean;
}

/** Returns the differences between two trees as reported by compare_trees.py, one per line; none for equal trees. */
export async function compareTrees(
  expected: string,
  actual: string,
  comparison: Comparison = {},
): Promise<readonly string[]> {
  if (process.platform === 'win32') return differencesOnWindows(expected, actual, comparison.ignoreTimes === true);
  const options = [
    ...(comparison.ignoreOwner ? ['--no-owner'] : []),
    ...(comparison.withoutSpecial ? ['--no-special'] : []),
    ...(comparison.ignoreTimes ? ['--no-times'] : []),
  ];
  const script = join(import.meta.dirname, 'compare_trees.py');
  const child = spawn(PYTHON, [script, ...options, expected, actual], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [lines, errors, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (status !== 0 && (status !== 1 || lines === '')) throw new Error(`compare_trees.py: ${errors}`);
  return lines.split('\n').filter((line) => line !== '');
}
