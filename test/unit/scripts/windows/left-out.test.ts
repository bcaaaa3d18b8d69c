import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { EXPECTED, LEFT_OUT, outdatedReasons, reasonToFail } from '../../../../scripts/windows/left-out.ts';

const ROOT = dirname(dirname(dirname(dirname(import.meta.dirname))));
const FILE = 'test/unit/os/filesystem/folder.test.ts';
const [[TEST]] = EXPECTED[FILE]! as unknown as readonly [readonly [string, string]];

test('what is not run on Windows, or fails there, exists', () => {
  const paths = [...LEFT_OUT.map(([prefix]) => prefix), ...Object.keys(EXPECTED)];
  expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('a reason excuses the test that it is stated for, and no other', () => {
  expect(reasonToFail(FILE, { name: TEST, state: 'failed' })).toEqual(expect.any(String));
  expect(reasonToFail(FILE, { name: `${TEST} again`, state: 'failed' })).toBeUndefined();
  expect(reasonToFail('test/another.test.ts', { name: TEST, state: 'failed' })).toBeUndefined();
});

test('a process that died is not excused by what it printed last', () => {
  const error = 'Error: spawn sh ENOENT';
  expect(reasonToFail('test/another.test.ts', { name: TEST, state: 'failed', error })).toEqual(expect.any(String));
  for (const problem of ['died', 'hung'])
    expect(
      reasonToFail('test/another.test.ts', { name: `${TEST} (${problem})`, state: 'failed', error }),
    ).toBeUndefined();
});

test('a reason is out of date when its test passes, or has another name', () => {
  const others = EXPECTED[FILE]!.slice(1).map(([name]) => ({ name, state: 'failed' }) as const);
  const outdated = [`${FILE}: ${TEST}`];
  expect(outdatedReasons([{ file: FILE, seconds: 1, tests: others }])).toEqual(outdated);
  const passed = { name: TEST, state: 'passed' } as const;
  expect(outdatedReasons([{ file: FILE, seconds: 1, tests: [...others, passed] }])).toEqual(outdated);
  const failed = { name: TEST, state: 'failed' } as const;
  expect(outdatedReasons([{ file: FILE, seconds: 1, tests: [...others, failed] }])).toEqual([]);
});
