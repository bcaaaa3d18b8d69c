import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Catalog } from '../../../src/engine/catalog/catalog.ts';
import { DIRECTORY, FILE, type SetRun } from '../../../src/engine/catalog/entries.ts';
import { STAT_RECORD_BYTES } from '../../../src/engine/filesystem/stat-record.ts';
import { traverse } from '../../../src/engine/catalog/traverse.ts';
import { comparePaths } from '../../../src/protocol/path.ts';

let folder: string;
let catalog: Catalog;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-catalog-'));
  catalog = new Catalog(join(folder, 'catalog.sqlite'));
});
afterEach(() => {
  catalog.close();
  rmSync(folder, { recursive: true, force: true });
});

const stat = (mark: number): Buffer => Buffer.alloc(STAT_RECORD_BYTES, mark);

function putFile(run: SetRun, directory: number, name: string, mark: number): void {
  const committed = catalog.entries.committedRun(run.setId);
  const entry = {
    name,
    kind: FILE,
    stat: stat(mark),
    child: null,
    detail: null,
    chunks: Buffer.alloc(36, mark),
  } as const;
  catalog.entries.put(directory, entry, run, committed);
}

function putDirectory(run: SetRun, directory: number, name: string): number {
  const child = catalog.entries.newDirectory(run);
  const entry = { name, kind: DIRECTORY, stat: stat(1), child, detail: null, chunks: null } as const;
  catalog.entries.put(directory, entry, run, catalog.entries.committedRun(run.setId));
  return child;
}

describe('revert', () => {
  const mark = (run: SetRun): number | undefined => catalog.entries.find(run.rootsDirectory, '/file')?.stat[0];

  test('restores the version of the newest restore point however often the file was read since', () => {
    const first = catalog.entries.beginRun('set');
    putFile(first, first.rootsDirectory, '/file', 1);
    catalog.entries.commitRun(first, []);
    const second = catalog.entries.beginRun('set');
    putFile(second, second.rootsDirectory, '/file', 2);
    // This run ends without a restore point; the next one reads the file once more.
    const third = catalog.entries.beginRun('set');
    putFile(third, third.rootsDirectory, '/file', 3);
    expect(mark(third)).toBe(3);
    expect(catalog.entries.revert(third.rootsDirectory, '/file', catalog.entries.committedRun(third.setId))).toBe(true);
    expect(mark(third)).toBe(1);
    expect(catalog.entries.find(third.rootsDirectory, '/file')?.chunks).toEqual(Buffer.alloc(36, 1));
  });

  test('removes the entry when no restore point has the file', () => {
    const run = catalog.entries.beginRun('set');
    putFile(run, run.rootsDirectory, '/file', 1);
    expect(catalog.entries.revert(run.rootsDirectory, '/file', catalog.entries.committedRun(run.setId))).toBe(false);
    expect(mark(run)).toBeUndefined();
  });

  test('keeps the version of the newest restore point', () => {
    const run = catalog.entries.beginRun('set');
    putFile(run, run.rootsDirectory, '/file', 1);
    catalog.entries.commitRun(run, []);
    expect(catalog.entries.revert(run.rootsDirectory, '/file', catalog.entries.committedRun(run.setId))).toBe(true);
    expect(mark(run)).toBe(1);
  });
});

describe('removal', () => {
  test('removes a directory with everything below it', () => {
    const run = catalog.entries.beginRun('set');
    const outer = putDirectory(run, run.rootsDirectory, '/outer');
    const inner = putDirectory(run, outer, 'inner');
    putFile(run, inner, 'file', 1);
    catalog.entries.remove(run.rootsDirectory, '/outer', outer);
    catalog.entries.flush();
    expect([run.rootsDirectory, outer, inner].flatMap((id) => catalog.entries.children(id))).toEqual([]);
  });

  test('keeps the directories of other sets when a set is removed', () => {
    const kept = catalog.entries.beginRun('kept');
    putFile(kept, kept.rootsDirectory, '/file', 1);
    const gone = catalog.entries.beginRun('gone');
    putFile(gone, gone.rootsDirectory, '/file', 1);
    catalog.entries.removeSet('gone');
    expect(catalog.entries.findSet('gone')).toBeUndefined();
    expect(catalog.entries.children(gone.rootsDirectory)).toEqual([]);
    expect(catalog.entries.children(kept.rootsDirectory)).toHaveLength(1);
  });
});

describe('traverse', () => {
  test('has the order of manifests whatever the names', () => {
    const name = fc.string({
      unit: fc.constantFrom('a', 'b', '.', '-', ' ', 'é', '\uFFFD', '😀', '\u0001'),
      minLength: 1,
      maxLength: 3,
    });
    const path = fc.array(
      name.filter((text) => text !== '.' && text !== '..'),
      { minLength: 1, maxLength: 4 },
    );
    fc.assert(
      fc.property(fc.array(path, { maxLength: 40 }), (paths) => {
        const run = catalog.entries.beginRun('set');
        for (const known of catalog.entries.children(run.rootsDirectory)) {
          catalog.entries.remove(run.rootsDirectory, known.name, known.child);
        }
        for (const [first, ...rest] of paths) {
          let directory = run.rootsDirectory;
          let segment = `/${first!}`;
          for (const next of rest) {
            const known = catalog.entries.find(directory, segment);
            directory = known?.child ?? putDirectory(run, directory, segment);
            segment = next;
          }
          if (!catalog.entries.find(directory, segment)) putFile(run, directory, segment, 1);
        }
        const listed = [...traverse(catalog.entries, run.rootsDirectory)].flat().map((entry) => entry.path);
        expect(listed).toEqual([...listed].sort(comparePaths));
        const wanted = paths.flatMap((segments) =>
          segments.map((_, index) => `/${segments.slice(0, index + 1).join('/')}`),
        );
        expect(new Set(listed)).toEqual(new Set(wanted));
      }),
      { numRuns: 60 },
    );
  });
});

describe('the catalog file', () => {
  test('is refused when it is not a catalog or a newer one', () => {
    const other = join(folder, 'other.sqlite');
    writeFileSync(other, 'this is not a database, and long enough to be looked at as one '.repeat(20));
    expect(() => new Catalog(other)).toThrow(/home_damaged/);
    const newer = join(folder, 'newer.sqlite');
    new Catalog(newer).close();
    const database = new Database(newer);
    database.pragma('user_version = 999');
    database.close();
    expect(() => new Catalog(newer)).toThrow(/home_damaged.*newer-version/);
  });

  test('is refused when its entries are damaged', () => {
    const file = join(folder, 'damaged.sqlite');
    const database = new Catalog(file);
    const run = database.entries.beginRun('set');
    database.close();
    const direct = new Database(file);
    for (const damage of ['zeroblob(200)', 'zeroblob(3)', `x'ffffffff${'00'.repeat(200)}'`]) {
      direct.exec(`UPDATE directory SET entries = ${damage}`);
      using opened = new Catalog(file);
      expect(() => opened.entries.children(run.rootsDirectory)).toThrow(/home_damaged/);
    }
    direct.close();
  });

  test('keeps the highest tree seen of each device and set', () => {
    catalog.history.recordSeenTree('d', 's', { sequence: 5, treeHash: 'five', created: 50 });
    catalog.history.recordSeenTree('d', 's', { sequence: 4, treeHash: 'four', created: 40 });
    expect(catalog.history.seenTree('d', 's')).toEqual({ sequence: 5, treeHash: 'five', created: 50 });
    expect(catalog.history.seenTree('other', 's')).toBeUndefined();
  });
});
