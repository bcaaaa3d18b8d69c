import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Workplace } from './workplace.ts';

interface Answer {
  readonly sets: readonly {
    readonly name: string;
    readonly files_processed?: number;
    readonly error?: { readonly code: string };
  }[];
}

test('backup --all backs up every set, also after one that fails', async () => {
  using workplace = new Workplace();
  await workplace.setUp();
  const empty = await workplace.run('backup', '--all');
  expect([empty.status, empty.stderr]).toEqual([2, expect.stringContaining('holdfast set add NAME PATH...')]);
  for (const name of ['one', 'two', 'three']) {
    mkdirSync(workplace.path(name));
    writeFileSync(workplace.path(name, 'file'), name);
    await workplace.addSet(name, workplace.path(name));
  }
  const all = await workplace.json<Answer>(['backup', '--all']);
  expect(all.sets).toMatchObject(['one', 'two', 'three'].map((name) => ({ name, files_processed: 1, warnings: [] })));

  rmSync(workplace.path('two'), { recursive: true });
  const some = await workplace.json<Answer>(['backup', '--all'], 3);
  expect(some.sets.map(({ error }) => error?.code)).toEqual([undefined, 'source_missing', undefined]);
  const { status, stdout, stderr } = await workplace.run('backup', '--all');
  expect(status).toBe(3);
  expect(stdout).toMatch(/Backed up one\.[^]*Backed up three\./);
  expect(stderr).toContain('warning: two was not backed up: ');
  // Each line of progress names its set.
  const progress = stderr.split('\n').filter((line) => /Scanning|Uploading|Finishing/.test(line));
  expect(new Set(progress.map((line) => line.split(': ')[0]))).toEqual(new Set(['one', 'three']));
  const lines = await workplace.run('backup', '--all', '--progress', 'json');
  const sets = [...lines.stderr.matchAll(/^\{.*"set":"(\w+)"/gm)].map(([, set]) => set);
  expect(new Set(sets)).toEqual(new Set(['one', 'three']));
});

test.each([
  [['backup'], 'Name a backup set, or back up every set with --all.'],
  [['backup', 'docs', '--all'], 'Name a backup set or use --all, not both.'],
  [['backup', '--all', '--watch'], '--watch needs the name of one backup set.'],
])('%j is wrong usage', async (words, message) => {
  using workplace = new Workplace();
  const { status, stderr } = await workplace.run(...words);
  expect(status).toBe(2);
  expect(stderr).toContain(message);
});
