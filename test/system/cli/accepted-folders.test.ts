import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Workplace } from '../e2e/workplace.ts';

let workplace: Workplace;
beforeAll(async () => {
  workplace = new Workplace();
  mkdirSync(workplace.path('source', 'nas'), { recursive: true });
  writeFileSync(workplace.path('source', 'a.txt'), 'a');
  await workplace.setUp();
  await workplace.addSet('documents', workplace.path('source'));
});
afterAll(() => workplace[Symbol.dispose]());

test.each([
  ['that does not exist', () => workplace.path('nowhere')],
  ['beside the source', () => workplace.path('source-2')],
  ['with a line feed', () => '/nas\nhome'],
  ['that is empty', () => ''],
  ['that is everything', () => '/'],
])('--accept of a path %s is refused, with --all as well', async (_what, path) => {
  for (const words of [['documents'], ['--all']]) {
    const { status, stderr } = await workplace.run('backup', ...words, '--accept', path());
    expect([status, stderr]).toEqual([2, expect.stringContaining('nothing that is backed up lies there')]);
  }
  expect(existsSync(workplace.path('destination', 'packs'))).toBe(false);
});

test('--accept of a folder in a source is taken, whether it exists or not', async () => {
  expect((await workplace.run('backup', 'documents', '--accept', workplace.path('source', 'nas'))).status).toBe(0);
  rmSync(workplace.path('source', 'nas'), { recursive: true });
  expect((await workplace.run('backup', '--all', '--accept', workplace.path('source', 'nas'))).status).toBe(0);
});
