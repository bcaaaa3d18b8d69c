import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Catalog } from '../../../src/engine/catalog/catalog.ts';
import { FILE } from '../../../src/engine/catalog/entries.ts';
import { traverse } from '../../../src/engine/catalog/traverse.ts';

/** A catalog that the program of version 2 wrote: two sets, a folder of 150 files, a run in the middle. */
const OLDER = readFileSync(new URL('../../fixtures/catalog-2/catalog.sql', import.meta.url), 'utf8');

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-migration-'));
  file = join(folder, 'catalog.sqlite');
  const older = new Database(file);
  older.exec(OLDER);
  older.close();
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Row {
  readonly directory: number;
  readonly name: string;
  readonly kind: number;
  readonly stat: Buffer;
  readonly child: number | null;
  readonly detail: string | null;
  readonly chunks: Buffer | null;
}

function olderRows(): Row[] {
  const older = new Database(':memory:');
  older.exec(OLDER);
  const rows = older
    .prepare<[], Row>('SELECT directory, name, kind, stat, child, detail, chunks FROM entry ORDER BY directory, name')
    .all();
  older.close();
  return rows;
}

it('the third migration keeps every entry as it was', () => {
  const rows = olderRows();
  expect(rows).toHaveLength(171);
  using catalog = new Catalog(file);
  const directories = [...new Set(rows.map((row) => row.directory))];
  const found = directories.flatMap((directory) =>
    catalog.entries.page(directory, '', 1000).map((entry): Row => {
      const { name, kind, stat, child, detail, chunks } = entry;
      return { directory, name, kind, stat, child, detail, chunks };
    }),
  );
  expect(found).toEqual(rows);
});

it('the third migration keeps the versions of the newest restore point, what is dirty, and the tree', () => {
  using catalog = new Catalog(file);
  const { entries } = catalog;
  const run = entries.findSet('first')!;
  expect(run.run).toBe(3);
  const committed = entries.committedRun(run.setId);
  const home = entries.find(run.rootsDirectory, '/home/first')!.child!;
  const docs = entries.find(home, 'docs')!.child!;
  const mark = (name: string): number | undefined => entries.find(docs, name)?.stat[0];
  expect([mark('a.txt'), mark('new 0'), mark('new 1')]).toEqual([21, 30, 31]);
  expect(entries.revert(docs, 'a.txt', committed)).toBe(true);
  expect(mark('a.txt')).toBe(1);
  expect(entries.revert(docs, 'new 0', committed)).toBe(false);
  expect(entries.dirty.list(run.setId, 10)).toEqual([
    { path: '/home/first/docs/a.txt', removed: false },
    { path: '/home/first/docs/new 0', removed: false },
    { path: '/home/first/docs/new 1', removed: false },
    { path: '/home/first/empty', removed: true },
  ]);
  expect(entries.trees.find(run.setId)?.backupId).toBe('bkp_1');
  expect(entries.trees.pieces(run.setId)).toHaveLength(1);
});

it('a catalog that was migrated goes on', () => {
  using catalog = new Catalog(file);
  const { entries } = catalog;
  const run = entries.beginRun('first');
  const home = entries.find(run.rootsDirectory, '/home/first')!.child!;
  const docs = entries.find(home, 'docs')!.child!;
  const many = entries.find(docs, 'many')!.child!;
  const stat = Buffer.alloc(88, 7);
  const added = { name: 'file 050a', kind: FILE, stat, child: null, detail: null, chunks: null } as const;
  entries.put(many, added, run, entries.committedRun(run.setId));
  expect(entries.dirty.list(run.setId, 10)).toContainEqual({ path: '/home/first/docs/many/file 050a', removed: false });
  entries.remove(home, 'docs', docs);
  entries.flush();
  const paths = (set: string): string[] =>
    [...traverse(entries, entries.findSet(set)!.rootsDirectory)].flat().map(({ path }) => path);
  expect(paths('first')).toEqual(['/home/first', '/single']);
  expect(paths('second')).toContain('/home/second/docs/é 😀 \uFFFD');
  entries.removeSet('second');
  expect(entries.children(docs)).toEqual([]);
});
