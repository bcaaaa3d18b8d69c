import { appendFileSync, chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildTree } from '../../helpers/tree/build.ts';
import { copyTree } from '../../helpers/tree/copy.ts';
import { compareTrees } from '../../helpers/tree/compare.ts';
import { file } from '../../helpers/tree/nodes.ts';
import { oddTree } from '../../helpers/tree/odd-tree.ts';
import { buildRealTree, countBytes, countFiles } from '../../helpers/tree/real-tree.ts';
import { Workplace, type BackupAnswer, type RestoreAnswer, type VerifyAnswer } from './workplace.ts';

const MEBIBYTE = 1024 * 1024;
const MINUTES = 60_000;

describe('a few thousand real files and every unusual one', () => {
  const workplace = new Workplace({ isReal: true });
  // Names of the same length, so that the longest path of a restored tree remains valid.
  const real = workplace.path('real');
  const odd = workplace.path('r-odd');
  afterAll(() => workplace[Symbol.dispose]());

  beforeAll(async () => {
    await workplace.setUp();
    await buildRealTree(real);
    // The restored tree is one level deeper, so its longest path is shorter by that folder's name and a margin.
    await buildTree(odd, oddTree(`${odd}/restored-folder`));
    await workplace.addSet('all', real, odd);
  }, 2 * MINUTES);

  let first: BackupAnswer;

  test(
    'restores trees equal to their source, and names what was skipped',
    async () => {
      first = await workplace.json<BackupAnswer>(['backup', 'all']);
      expect(first.warnings).toEqual([]);
      expect(first.notes.map(({ path }) => basename(path)).toSorted()).toEqual(['a fifo', 'a socket']);
      expect(first.files_processed).toBeGreaterThan(2_000);
      expect(first.bytes_scanned).toBe(countBytes(real) + countBytes(odd));
      expect(countFiles(real)).toBeGreaterThan(2_000);

      const answer = await workplace.json<RestoreAnswer>(['restore', 'all', '--to', workplace.path('to')]);
      expect(answer.failures).toEqual([]);
      expect(await compareTrees(real, workplace.path('to', 'real'))).toEqual([]);
      expect(await compareTrees(odd, workplace.path('to', 'r-odd'), { withoutSpecial: true })).toEqual([]);
      // The second copy of each duplicate is not downloaded again.
      expect(answer.bytes_downloaded).toBeLessThan(first.bytes_scanned);
      rmSync(workplace.path('to'), { recursive: true });
      // The numbers are equal everywhere.
      expect(answer.files_restored).toBe(first.files_processed);
    },
    4 * MINUTES,
  );

  test(
    'uploads only a few chunks of the tree when nothing changed',
    async () => {
      const again = await workplace.json<BackupAnswer>(['backup', 'all']);
      expect(again.files_processed).toBe(first.files_processed);
      expect(again.chunks_new).toBeLessThanOrEqual(4);
      expect(again.bytes_uploaded).toBeLessThan(MEBIBYTE);
    },
    2 * MINUTES,
  );

  test(
    'verifies clean, chunk by chunk',
    async () => {
      const answer = await workplace.json<VerifyAnswer>(['verify', 'all']);
      expect(answer.failures).toEqual([]);
      // All chunks except for those of the tree, which is read first to find out what to check: a piece has more than 50 records.
      expect(answer.chunks_checked).toBeGreaterThanOrEqual(first.chunks_new - first.files_processed / 50);
      expect(answer.chunks_checked).toBeLessThanOrEqual(first.chunks_new);
      expect(answer.files_checked).toBe(first.files_processed);
    },
    2 * MINUTES,
  );
});

describe('changes between two runs', () => {
  const workplace = new Workplace({ isReal: true });
  const source = workplace.path('source');
  const kept = workplace.path('kept');
  afterAll(() => workplace[Symbol.dispose]());

  beforeAll(async () => {
    await workplace.setUp();
    await buildTree(source, {
      'large.bin': file({ seed: 200, size: 200 * MEBIBYTE }),
      'edited.txt': file('before'),
      'deleted.txt': file('soon gone'),
      'old name.txt': file('the same content'),
      'mode only.txt': file('untouched'),
      'file, then folder': file('a file first'),
    });
    copyTree(source, kept);
    await workplace.addSet('changing', source);
  }, 2 * MINUTES);

  test(
    'an insertion at the front of 200 MB uploads less than 8 MB, and both times can be restored',
    async () => {
      const before = await workplace.json<BackupAnswer>(['backup', 'changing']);
      const large = readFileSync(workplace.path('source', 'large.bin'));
      writeFileSync(
        workplace.path('source', 'large.bin'),
        Buffer.concat([Buffer.from('inserted at the front'), large]),
      );
      appendFileSync(workplace.path('source', 'edited.txt'), ' and after');
      rmSync(workplace.path('source', 'deleted.txt'));
      renameSync(workplace.path('source', 'old name.txt'), workplace.path('source', 'new name.txt'));
      chmodSync(workplace.path('source', 'mode only.txt'), 0o600);
      rmSync(workplace.path('source', 'file, then folder'));
      mkdirSync(workplace.path('source', 'file, then folder'));
      writeFileSync(workplace.path('source', 'added.txt'), 'new');

      const after = await workplace.json<BackupAnswer>(['backup', 'changing']);
      expect(before.bytes_uploaded).toBeGreaterThan(200 * MEBIBYTE);
      expect(after.bytes_uploaded).toBeLessThan(8_000_000);

      await workplace.json(['restore', 'changing', '--at', before.restore_point, '--to', workplace.path('then')]);
      expect(await compareTrees(kept, workplace.path('then', 'source'))).toEqual([]);
      await workplace.json(['restore', 'changing', '--to', workplace.path('now')]);
      expect(await compareTrees(source, workplace.path('now', 'source'))).toEqual([]);
    },
    4 * MINUTES,
  );
});
