import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { differences } from '../../helpers/differences.ts';
import { copyTree } from '../../helpers/tree/copy.ts';
import { Workplace, type BackupAnswer, type RestoreAnswer } from './workplace.ts';

/** The drive C as an administrator reaches it from the network. */
const SHARE = '//localhost/C$';
const HAS_SHARE = process.platform === 'win32' && existsSync(SHARE);
/** A drive of which nothing is used, such as `T:`. */
const DRIVE = process.platform === 'win32' ? process.env['HOLDFAST_TEST_DRIVE'] : undefined;

let place: Workplace;
let then: string;
beforeEach(async () => {
  place = new Workplace();
  then = place.path('then');
  mkdirSync(join(then, 'Letters', 'old'), { recursive: true });
  writeFileSync(join(then, 'a.txt'), 'first');
  writeFileSync(join(then, 'Letters', 'old', 'b.txt'), 'b');
  await place.setUp();
});
afterEach(() => place[Symbol.dispose]());

interface Listed {
  readonly entries: readonly { readonly path: string }[];
}

async function listed(...words: readonly string[]): Promise<readonly string[]> {
  const { entries } = await place.json<Listed>(['ls', 'docs', ...words]);
  return entries.map(({ path }) => path);
}

/** Changes what was backed up, puts it back, and undoes that. */
async function restoreInPlace(folder: string): Promise<void> {
  writeFileSync(join(folder, 'a.txt'), 'second');
  rmSync(join(folder, 'Letters'), { recursive: true });
  const words = ['restore', 'docs', '--in-place', '--conflict', 'overwrite'];
  const report = await place.json<RestoreAnswer & { readonly kept_in: readonly string[] }>(words);
  expect(report).toMatchObject({ files_restored: 2, failures: [] });
  expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('first');
  expect(readFileSync(join(folder, 'Letters', 'old', 'b.txt'), 'utf8')).toBe('b');
  expect(report.kept_in).toHaveLength(1);
  expect(await place.json(['undo'])).toMatchObject({ put_back: 1, not_undone: [] });
  expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('second');
  expect(existsSync(join(folder, 'Letters'))).toBe(false);
}

describe.skipIf(!HAS_SHARE)('a folder on a share', () => {
  test(
    'is backed up and restored, and named as Windows does or as a backup lists it',
    { timeout: 600_000 },
    async () => {
      const docs = place.path('docs');
      copyTree(then, docs);
      const share = SHARE + docs.slice(2);
      await place.addSet('docs', share.replaceAll('/', '\\'));
      expect(await place.json<BackupAnswer>(['backup', 'docs'])).toMatchObject({ files_processed: 2, warnings: [] });
      const root = share.slice(1);
      expect(await listed()).toEqual([root]);
      expect(await listed(share.replaceAll('/', '\\'))).toEqual([`${root}/Letters`, `${root}/a.txt`]);
      expect(await listed(`${root}/Letters`)).toEqual([`${root}/Letters/old`]);
      const to = place.path('target');
      expect(await place.json<RestoreAnswer>(['restore', 'docs', '--to', to])).toMatchObject({ failures: [] });
      expect(differences(then, join(to, 'docs'))).toBe('');
      expect(await place.json(['verify', 'docs'])).toMatchObject({ files_checked: 2, failures: [] });
      await restoreInPlace(docs);
    },
  );
});

describe.skipIf(DRIVE === undefined)('a whole drive', () => {
  const drive = `${DRIVE}/`;
  const clear = (): void => {
    for (const name of ['a.txt', 'Letters']) rmSync(join(drive, name), { recursive: true, force: true });
  };
  beforeEach(clear);
  afterEach(clear);

  test('is backed up and restored, and named by its letter', { timeout: 600_000 }, async () => {
    for (const name of ['a.txt', 'Letters']) copyTree(join(then, name), join(drive, name));
    await place.addSet('docs', `${DRIVE!.toLowerCase()}\\`);
    expect(await place.json<BackupAnswer>(['backup', 'docs'])).toMatchObject({ files_processed: 2, warnings: [] });
    const top = [`${DRIVE}/Letters`, `${DRIVE}/a.txt`];
    expect(await listed()).toEqual(top);
    expect(await listed(`${DRIVE}\\`)).toEqual(top);
    expect(await listed(`${DRIVE!.toLowerCase()}\\Letters`)).toEqual([`${DRIVE}/Letters/old`]);
    const to = place.path('target');
    const words = ['restore', 'docs', '--path', `${DRIVE}\\`, '--to', to];
    expect(await place.json<RestoreAnswer>(words)).toMatchObject({ failures: [] });
    expect(differences(then, join(to, DRIVE!.slice(0, 1)))).toBe('');
    await restoreInPlace(drive);
  });
});

describe.skipIf(process.platform !== 'win32')('a pattern with the separators of Windows', () => {
  test('excludes what it names', { timeout: 600_000 }, async () => {
    const docs = place.path('docs');
    copyTree(then, docs);
    await place.json(['set', 'add', 'docs', docs, '--no-presets', '--exclude', String.raw`Letters\old\*.txt`]);
    expect(await place.json<BackupAnswer>(['backup', 'docs'])).toMatchObject({ files_processed: 1 });
    expect(await listed(`${docs}/Letters`)).toEqual([`${docs}/Letters/old`]);
    expect(await listed(`${docs}/Letters/old`)).toEqual([]);
  });
});
