import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const PROCESS = fileURLToPath(new URL('threads-process.ts', import.meta.url));
const NOBODY = '65534';
const isRoot = process.getuid?.() === 0;

function run(...words: readonly string[]): unknown {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROCESS, ...words], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

const LOW = 10;
const all = (priority: number) => ({ main: priority, own: [priority], run: [priority], late: [priority] });

describe.skipIf(process.platform !== 'linux')('threads', () => {
  test.skipIf(!isRoot)('are all lowered and restored with privileges', () => {
    for (const endsWithRun of ['false', 'true']) {
      expect(run(endsWithRun)).toEqual({ low: true, during: all(LOW), restored: true, after: all(0), next: [0] });
    }
  });

  test('are kept without privileges if they outlive the run, so that the next one starts at normal priority', () => {
    const during = { main: 0, own: [0], run: [LOW], late: [LOW] };
    const words = isRoot ? ['false', NOBODY] : ['false'];
    expect(run(...words)).toEqual({ low: true, during, restored: false, after: during, next: [0] });
  });

  test('are all lowered without privileges in a process that ends with the run', () => {
    const words = isRoot ? ['true', NOBODY] : ['true'];
    expect(run(...words)).toEqual({ low: true, during: all(LOW), restored: false, after: all(LOW), next: [LOW] });
  });
});
