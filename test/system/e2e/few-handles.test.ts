import { mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { differences } from '../../helpers/differences.ts';
import { seededBytes } from '../../helpers/seeded-bytes.ts';
import { orThorough } from '../../helpers/thorough.ts';
import { Workplace } from './workplace.ts';

const FILES = 40;

/** Between those with which nothing starts, and those with which everything works. */
const HANDLES = orThorough(
  [34, 38, 41, 46],
  Array.from({ length: 29 }, (_, index) => 28 + index),
);

describe.skipIf(process.platform === 'win32')('a process that may open few files', () => {
  const workplace = new Workplace();
  beforeAll(async () => {
    mkdirSync(workplace.path('files'));
    for (let file = 0; file < FILES; file += 1) {
      writeFileSync(workplace.path('files', `${file}.bin`), seededBytes(20_000, file));
    }
    await workplace.setUp();
    await workplace.addSet('files', workplace.path('files'));
    await workplace.json(['backup', 'files']);
  });
  afterAll(() => workplace[Symbol.dispose]());

  test.each(HANDLES)('names that as the reason of a failed restore (%i files)', async (handles) => {
    const to = workplace.path(`restored ${handles}`);
    const limited = ['sh', '-c', `ulimit -n ${handles}; exec "$@"`, 'sh'];
    const ended = await workplace.start(['restore', 'files', '--to', to], workplace.home, limited).ended;
    if (ended.status === 0) expect(differences(workplace.path('files'), `${to}/files`)).toBe('');
    else {
      expect(ended.status).toBe(1);
      expect(ended.stderr).toContain('This computer has too many files open (EMFILE).');
    }
  });
});
