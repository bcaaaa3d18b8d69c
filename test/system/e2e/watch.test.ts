import { on } from 'node:events';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildTree } from '../../helpers/tree/build.ts';
import { compareTrees } from '../../helpers/tree/compare.ts';
import { directory, file } from '../../helpers/tree/nodes.ts';
import { Workplace } from './workplace.ts';

const workplace = new Workplace();
const source = workplace.path('source');
afterAll(() => workplace[Symbol.dispose]());

beforeAll(async () => {
  await buildTree(source, { 'a.txt': file('content'), folder: directory({ 'b.txt': file('other') }) });
  await workplace.setUp();
  await workplace.addSet('documents', source);
});

/** Reads until a line contains the text. Fails by the test's timeout. */
async function lineWith(lines: AsyncIterator<unknown>, text: string): Promise<void> {
  for (;;) {
    const { value } = await lines.next();
    if ((value as [string])[0].includes(text)) return;
  }
}

test('runs at the start and after each change, and ends with success on Ctrl-C', async () => {
  const words = ['--watch', '--quiet-seconds', '1', '--interval-seconds', '1', '--progress', 'json'];
  const { child, ended } = workplace.start(['backup', 'documents', ...words]);
  const lines = on(createInterface(child.stdout!), 'line');
  await lineWith(lines, 'Backed up documents.');
  appendFileSync(workplace.path('source', 'folder', 'b.txt'), ' and more');
  await lineWith(lines, 'Backed up documents.');
  mkdirSync(workplace.path('source', 'new'));
  writeFileSync(workplace.path('source', 'new', 'c.txt'), 'new');
  await lineWith(lines, 'Backed up documents.');
  child.kill('SIGINT');
  const { status, stdout, stderr } = await ended;
  expect({ status, last: stdout.trim().split('\n').at(-1) }).toEqual({
    status: 0,
    last: 'No longer watching documents.',
  });
  expect(stderr).toContain('"phase":"scanning"');
  const { points } = await workplace.json<{ points: readonly { files: number }[] }>(['points', 'documents']);
  expect(points.map(({ files }) => files)).toEqual([3, 2, 2]);
  await workplace.json(['restore', 'documents', '--to', workplace.path('restored')]);
  expect(await compareTrees(source, workplace.path('restored', 'source'))).toEqual([]);
});

test('ends when the first run fails', async () => {
  const ended = await workplace.run('backup', 'nothing', '--watch');
  expect(ended).toMatchObject({ status: 2, stdout: '' });
  expect(ended.stderr).toContain('nothing');
});

test('rejects --json, which prints one object per run', async () => {
  const ended = await workplace.run('backup', 'documents', '--watch', '--json');
  expect(ended.status).toBe(2);
  expect(JSON.parse(ended.stdout)).toEqual({
    error: expect.objectContaining({ code: 'usage', message: expect.stringContaining('--progress json') }),
  });
});
