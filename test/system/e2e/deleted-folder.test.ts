import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isPlainMessage, Workplace } from './workplace.ts';

/** Words that start a program in a folder that was deleted. */
const DELETED = ['sh', '-c', 'mkdir gone && cd gone && rmdir ../gone && exec "$@"', 'sh'];

test.skipIf(process.platform === 'win32')('a working folder that was deleted is no obstacle', async () => {
  using workplace = new Workplace();
  mkdirSync(workplace.path('source'));
  writeFileSync(workplace.path('source', 'a.txt'), 'content');
  await workplace.setUp();
  await workplace.addSet('documents', workplace.path('source'));
  const run = (...words: readonly string[]) => workplace.start(words, workplace.home, DELETED).ended;
  expect(await run('backup', 'documents')).toMatchObject({ status: 0 });
  expect(await run('restore', 'documents', '--to', workplace.path('target'))).toMatchObject({ status: 0 });
  expect(readFileSync(workplace.path('target', 'source', 'a.txt'), 'utf8')).toBe('content');
  // It would mean another place.
  const relative = await run('restore', 'documents', '--to', 'elsewhere');
  expect(relative.status).toBe(2);
  expect(relative.stderr).toContain('was deleted');
  expect(isPlainMessage(relative.stderr)).toBe(true);
});
