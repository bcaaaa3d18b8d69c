import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openCatalogDatabase } from '../../../src/catalog/database.ts';
import type { CatalogDatabase } from '../../../src/catalog/schema.ts';
import { CatalogEntries, type SetRun } from '../../../src/catalog/entries/entries.ts';
import { FILE } from '../../../src/catalog/entries/entry.ts';
import { STAT_RECORD_BYTES } from '../../../src/os/filesystem/stat-record.ts';
import { CommittedTrees } from '../../../src/catalog/committed-tree.ts';
import { commitAll, DESTINATION } from '../../helpers/catalog.ts';

let folder: string;
let database: CatalogDatabase;
let entries: CatalogEntries;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-full-'));
  database = openCatalogDatabase(join(folder, 'catalog.sqlite'));
  entries = new CatalogEntries(database);
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

const NAMES = Array.from({ length: 2000 }, (_, index) => `/${String(index).padStart(200, '0')}`);

function put(run: SetRun, name: string, mark: number): void {
  const stat = Buffer.alloc(STAT_RECORD_BYTES, mark);
  const entry = {
    name,
    kind: FILE,
    stat,
    child: null,
    detail: null,
    place: 0,
    chunks: Buffer.alloc(36, mark),
  } as const;
  entries.put(run.rootsDirectory, entry, run);
}

test('loses entries together with their dirty paths when the disk is full for a while', () => {
  const first = entries.beginRun('set');
  for (const name of NAMES) put(first, name, 1);
  commitAll({ entries }, first);

  const second = entries.beginRun('set');
  const pages = database.pragma('page_count', { simple: true }) as number;
  database.pragma(`max_page_count = ${pages + 10}`);
  expect(() => NAMES.forEach((name) => put(second, name, 2))).toThrow('full');
  // A run that fails still stores what it has found, and there may be space again by then.
  database.pragma('max_page_count = 1000000');
  try {
    entries.flush();
  } catch {
    // None of it is stored.
  }

  const dirty = new Set(
    new CommittedTrees(database, DESTINATION).dirty(second.setId, 1_000_000)!.map(({ path }) => path),
  );
  const changed = entries.children(second.rootsDirectory).filter(({ stat }) => stat[0] === 2);
  expect(changed.map(({ name }) => name).filter((name) => !dirty.has(name))).toEqual([]);
  // The next run works as usual.
  const third = entries.beginRun('set');
  put(third, NAMES[0]!, 3);
  entries.flush();
  expect(entries.find(third.rootsDirectory, NAMES[0]!)?.stat[0]).toBe(3);
});
