import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FileByFile } from '../../../../../src/archive/backup/reading/file-by-file.ts';

const LONG_AGO = 1_000_000_000;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-file-by-file-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Writes a file long ago, and returns its path. */
function write(name: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '');
  utimesSync(path, LONG_AGO, LONG_AGO);
  return path;
}

const found = (path: string) => ({ name: basename(path), path });

describe('what is read file by file', () => {
  const cases = [
    { reason: 'database-postgresql', mark: 'main/PG_VERSION', sign: 'main/pg_wal/00000001000000000000002A' },
    { reason: 'database-postgresql', mark: 'main/PG_VERSION', sign: 'main/global/pg_control' },
    { reason: 'database-mysql', mark: 'main/ibdata1', sign: 'main/#innodb_redo/#ib_redo17' },
    { reason: 'database-mysql', mark: 'main/ibdata1', sign: 'main/ib_logfile0' },
    { reason: 'database-mongodb', mark: 'main/WiredTiger', sign: 'main/journal/WiredTigerLog.0000000003' },
    {
      reason: 'library-photos',
      mark: 'main.photoslibrary/database/Photos.sqlite',
      sign: 'main.photoslibrary/database/Photos.sqlite-wal',
    },
  ];
  test.each(cases)('is named if its program wrote meanwhile: $reason by $sign', ({ reason, mark, sign }) => {
    write(mark);
    const path = write(sign);
    const run = new FileByFile();
    run.see(found(path));
    expect(run.notes(false)).toEqual([]);
    writeFileSync(path, 'written');
    const named = [{ path: join(folder, mark.split('/')[0]!), reason }];
    expect(run.notes(false)).toEqual(named);
    // A command before the backup is what the notes of servers would suggest.
    expect(run.notes(true)).toEqual(reason === 'library-photos' ? named : []);
    rmSync(path);
    expect(run.notes(false)).toEqual(named);
    // The next run begins anew.
    expect(new FileByFile().notes(false)).toEqual([]);
  });

  test('is nothing that only has such a name', () => {
    const run = new FileByFile();
    for (const { sign } of cases.filter(({ reason }) => reason !== 'library-photos')) {
      const path = write(`other/${sign}`);
      if (!sign.includes('ibdata')) writeFileSync(path, 'written');
      run.see(found(path));
    }
    write('letter/PG_VERSION');
    const letter = write('letter/pg_control');
    run.see(found(letter));
    writeFileSync(letter, 'written');
    expect(run.notes(false)).toEqual([]);
  });

  test('is named twenty times at most', () => {
    const run = new FileByFile();
    for (let number = 0; number < 30; number += 1) {
      write(`${number}/PG_VERSION`);
      const path = write(`${number}/global/pg_control`);
      run.see(found(path));
      writeFileSync(path, 'written');
    }
    expect(run.notes(false)).toHaveLength(20);
  });
});
