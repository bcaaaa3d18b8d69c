import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';

const CAN_TRACE = spawnSync('strace', ['-e', 'trace=none', 'true'], { stdio: 'ignore' }).status === 0;

/** The calls by which a new process prepares a home, without the part of their paths that all have. */
function callsOfPreparing(folder: string, home: string): readonly string[] {
  const log = join(folder, 'calls');
  const module = join(import.meta.dirname, '../../../../src/agent/home/home.ts');
  const script = `
    import { homeAt, prepareHome } from ${JSON.stringify(module)};
    prepareHome(homeAt(${JSON.stringify(home)}));`;
  const words = ['-f', '-y', '-e', 'trace=mkdir,mkdirat,fsync', '-o', log];
  const { status } = spawnSync('strace', [...words, process.execPath, '--input-type=module', '-e', script]);
  expect(status).toBe(0);
  return readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line.includes(folder) && line.endsWith('= 0'))
    .map((line) => /^\d+\s+(\w+)\((?:\d+<([^>]*)>|"([^"]*)")/.exec(line.replaceAll(folder, '')))
    .map((match) => `${match?.[1]} ${match?.[2] ?? match?.[3]}`);
}

describe.skipIf(!CAN_TRACE)('a home (needs strace, and the right to trace)', () => {
  function newFolder(): string {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-home-')));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
  }

  test('is on disk with the folders above it before anything is written to it', () => {
    const folder = newFolder();
    expect(callsOfPreparing(folder, join(folder, 'new/home'))).toEqual([
      'mkdir /new',
      'fsync ',
      'mkdir /new/home',
      'fsync /new',
      'mkdir /new/home/scratch',
    ]);
  });

  test('is on disk when a killed process may have created it', () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'home/scratch'), { recursive: true });
    expect(callsOfPreparing(folder, join(folder, 'home'))).toEqual(['fsync ']);
  });
});
