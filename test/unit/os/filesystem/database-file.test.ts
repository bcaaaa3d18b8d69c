import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseKindOf, isLevelDb, sharedIn } from '../../../../src/os/filesystem/database-file.ts';

const SQLITE = Buffer.from('SQLite format 3\0 and more');
/** Of page 0 of a database that liblmdb 0.9 has made. */
const LMDB = Buffer.from('00000000000000000000080000000000 dec0efbe01000000'.replaceAll(' ', ''), 'hex');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-kinds-'));
  const files: Readonly<Record<string, Buffer | string>> = {
    'app.db': SQLITE,
    'app.db-shm': '',
    'app.db-lock': '',
    'mail/data.mdb': LMDB,
    'mail/lock.mdb': '',
    'alone.mdb': LMDB,
    'alone.mdb-lock': '',
    'alone.mdb-shm': '',
    'other/data.mdb': Buffer.from(LMDB).fill(9, 20),
    'other/lock.mdb': '',
    'package-lock': '',
    'level/CURRENT': 'MANIFEST-000004\n',
    'letters/CURRENT': 'A letter',
  };
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ['app.db', 'sqlite'],
  ['mail/data.mdb', 'lmdb'],
  ['other/data.mdb', undefined],
  ['package-lock', undefined],
  ['not-there', undefined],
] as const)('the kind of %s is %s', (name, kind) => {
  expect(databaseKindOf(join(folder, name))).toBe(kind);
});

test.each([
  ['app.db-shm', 'sqlite'],
  ['app.db-lock', undefined],
  ['mail/lock.mdb', 'lmdb'],
  ['alone.mdb-lock', 'lmdb'],
  ['alone.mdb-shm', undefined],
  ['other/lock.mdb', undefined],
  ['package-lock', undefined],
] as const)('what %s is shared for is %s', (name, kind) => {
  expect(sharedIn(join(folder, name))).toBe(kind);
});

test('a folder is LevelDB if its file says so', () => {
  expect([isLevelDb(join(folder, 'level')), isLevelDb(join(folder, 'letters')), isLevelDb(folder)]).toEqual([
    true,
    false,
    false,
  ]);
});
