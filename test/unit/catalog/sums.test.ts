import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Catalog } from '../../../src/catalog/catalog.ts';
import type { CatalogDatabase } from '../../../src/catalog/schema.ts';
import { DIRECTORY, FILE } from '../../../src/catalog/entries/entry.ts';
import {
  areBlocksSound,
  areJobsSound,
  areRowsSound,
  SUMMED_TABLES,
  type SummedTable,
} from '../../../src/catalog/row-sums.ts';
import { STAT_RECORD_BYTES } from '../../../src/os/filesystem/stat-record.ts';
import { commitAll } from '../../helpers/catalog.ts';

let folder: string;
let database: CatalogDatabase;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-sums-'));
  const file = join(folder, 'catalog.sqlite');
  const catalog = new Catalog(file);
  const { entries } = catalog;
  const run = entries.beginRun('set');
  const version = { stat: Buffer.alloc(STAT_RECORD_BYTES, 1), detail: null, place: 0 };
  // One folder has several blocks, and two have one.
  for (const [name, count] of Object.entries({ '/many': 300, '/one': 1, '/two': 2 })) {
    const child = entries.newDirectory(run);
    entries.put(run.rootsDirectory, { name, kind: DIRECTORY, child, chunks: null, ...version }, run);
    for (let number = 0; number < count; number += 1) {
      const chunks = Buffer.alloc(36, number);
      entries.put(child, { name: `${name.slice(1)}-${number}`, kind: FILE, child: null, chunks, ...version }, run);
    }
  }
  commitAll(catalog, run, { roots: [{ path: '/files', real: '/files' }] });
  catalog.journal.queue({ kind: 'restore', backupSet: 'set', destination: 'one', trigger: 'manual' }, 5);
  catalog.close();
  // Without the triggers that keep the sums.
  database = new Database(file);
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

test('a catalog is sound as it was written', () => {
  expect(SUMMED_TABLES.filter((table) => !areRowsSound(database, table))).toEqual([]);
  expect([areJobsSound(database), areBlocksSound(database)]).toEqual([true, true]);
});

describe('a row of a table', () => {
  const damages: readonly (readonly [SummedTable, string])[] = [
    ['root', "UPDATE root SET real = '/other'"],
    ['root', 'DELETE FROM root'],
    ['backup_set', 'UPDATE backup_set SET roots = roots + 1'],
    ['committed_tree', "UPDATE committed_tree SET tree_hash = 'f'"],
    ['block', "DELETE FROM block WHERE first <> ''"],
  ];

  test.each(damages)('is missed or found changed in %s: %s', (table, sql) => {
    database.exec(sql);
    expect(areRowsSound(database, table)).toBe(false);
    expect(SUMMED_TABLES.filter((other) => !areRowsSound(database, other))).toEqual([table]);
  });
});

describe('a job', () => {
  test.each([
    "UPDATE job SET destination = 'two'",
    'PRAGMA foreign_keys = OFF; DELETE FROM job',
    'DELETE FROM job_sum',
    'UPDATE job_sum SET value = value + 1',
  ])('is missed or found changed: %s', (sql) => {
    database.exec(sql);
    expect(areJobsSound(database)).toBe(false);
  });
});

describe('the entries of a folder', () => {
  test.each(['block', 'directory'])('are found changed in a %s', (table) => {
    database.exec(`UPDATE ${table} SET entries = zeroblob(length(entries)) WHERE length(entries) > 0`);
    expect(areBlocksSound(database)).toBe(false);
  });

  test('are found in the place of those of another folder', () => {
    const rows = database
      .prepare<[], { id: number; entries: Buffer; sum: number }>(
        "SELECT id, entries, sum FROM directory WHERE name IN ('/one', '/two')",
      )
      .all();
    const [first, second] = rows as [(typeof rows)[number], (typeof rows)[number]];
    const put = database.prepare('UPDATE directory SET entries = ?, sum = ? WHERE id = ?');
    put.run(second.entries, second.sum, first.id);
    put.run(first.entries, first.sum, second.id);
    expect(areBlocksSound(database)).toBe(false);
  });

  test('are found in the place of those of another block', () => {
    database.exec('UPDATE block SET first = first || 0');
    expect(areBlocksSound(database)).toBe(false);
  });
});
