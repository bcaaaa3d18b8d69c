import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildTree } from '../../helpers/tree/build.ts';
import { file } from '../../helpers/tree/nodes.ts';
import { Workplace } from './workplace.ts';

const workplace = new Workplace({ isReal: true });
afterAll(() => workplace[Symbol.dispose]());

beforeAll(async () => {
  const source = workplace.path('source');
  await buildTree(source, { 'a.txt': file('content') });
  await workplace.setUp();
  await workplace.addSet('documents', source);
});

test('reports low priority in plain and JSON progress', async () => {
  const low = await workplace.run('backup', 'documents', '--priority', 'low', '--progress', 'json');
  expect(low.status).toBe(0);
  const lines = low.stderr.trim().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { low_priority?: string }).low_priority)).toContain('asked');
  const plain = await workplace.run('backup', 'documents', '--priority', 'low');
  expect(plain.stderr).toContain('(low priority: requested)');
  expect((await workplace.run('backup', 'documents', '--priority', 'normal')).stderr).not.toContain('priority');
});
