import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Catalog } from '../../../src/catalog/catalog.ts';
import type { SetRun } from '../../../src/catalog/entries/entries.ts';
import { DIRECTORY, FILE } from '../../../src/catalog/entries/entry.ts';
import { APPLICATION_ID } from '../../../src/catalog/schema.ts';
import { STAT_RECORD_BYTES } from '../../../src/os/filesystem/stat-record.ts';
import { traverse } from '../../../src/catalog/entries/traverse.ts';
import { comparePaths } from '../../../src/model/entry-path.ts';
import { commitAll, DESTINATION, TREE } from '../../helpers/catalog.ts';
import type { PackedEntry } from '../../../src/catalog/entries/entry-record.ts';
import type { EntryReader } from '../../../src/catalog/entries/entry-reader.ts';
import { orThorough } from '../../helpers/thorough.ts';

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
  const entry = {
    name,
    kind: FILE,
    stat: stat(mark),
    child: null,
    place: 0,
    detail: null,
    chunks: Buffer.alloc(36, mark),
  } as const;
  catalog.entries.put(directory, entry, run);
}

function putDirectory(run: SetRun, directory: number, name: string): number {
  const child = catalog.entries.newDirectory(run);
  const entry = { name, kind: DIRECTORY, stat: stat(1), child, detail: null, place: 0, chunks: null } as const;
  catalog.entries.put(directory, entry, run);
  return child;
}

describe('the version in a restore point', () => {
  const markIn = (run: SetRun, revision: number): number | undefined =>
    catalog.entries.versionIn(run.rootsDirectory, '/file', revision)?.stat[0];
  const write = (mark: number): SetRun => {
    const run = catalog.entries.beginRun('set');
    putFile(run, run.rootsDirectory, '/file', mark);
    return run;
  };

  test('is kept however often the file is read afterwards', () => {
    const committed = commitAll(catalog, write(1));
    write(2);
    // This run ends without a restore point; the next one reads the file once more.
    const run = write(3);
    expect(markIn(run, committed)).toBe(1);
    expect(catalog.entries.versionIn(run.rootsDirectory, '/file', committed)?.chunks).toEqual(Buffer.alloc(36, 1));
  });

  test('is unknown when no restore point has the file', () => {
    const run = write(1);
    expect(markIn(run, 0)).toBeUndefined();
  });

  test('is the file itself when it has not changed', () => {
    const run = write(1);
    expect(markIn(run, commitAll(catalog, run))).toBe(1);
  });

  test('is kept for each destination as long as that has no newer restore point', () => {
    const away = commitAll(catalog, write(1), { destination: 'away' });
    const first = commitAll(catalog, write(2), { destination: 'home' });
    const run = write(3);
    expect([markIn(run, away), markIn(run, first)]).toEqual([1, 2]);
    const second = commitAll(catalog, run, { destination: 'home' });
    write(4);
    expect([markIn(run, away), markIn(run, second)]).toEqual([1, 3]);
    commitAll(catalog, run, { destination: 'away' });
    write(5);
    expect(markIn(run, away)).toBeUndefined();
  });

  test('is kept once when several destinations have it', () => {
    const run = write(1);
    const sizeOf = (): number => {
      write(2);
      write(3);
      catalog.entries.flush();
      return (catalog.entries.find(run.rootsDirectory, '/file') as PackedEntry).record.length;
    };
    commitAll(catalog, run, { destination: 'away' });
    const size = sizeOf();
    catalog.forget('away');
    write(1);
    for (const destination of ['away', 'home']) commitAll(catalog, run, { destination });
    expect(sizeOf()).toBe(size);
  });

  test('is none of the older ones when the path was no file', () => {
    const away = commitAll(catalog, write(1), { destination: 'away' });
    const run = catalog.entries.beginRun('set');
    putDirectory(run, run.rootsDirectory, '/file');
    const home = commitAll(catalog, run, { destination: 'home' });
    write(2);
    expect(markIn(run, away)).toBe(1);
    expect(catalog.entries.versionIn(run.rootsDirectory, '/file', home)?.chunks).toBeNull();
  });

  test('is kept while it is being sent', () => {
    const run = write(1);
    const revision = catalog.entries.endRevision(run.setId);
    write(2);
    expect(markIn(run, revision)).toBe(1);
    catalog.entries.release(run.setId, revision);
    write(3);
    expect(markIn(run, revision)).toBeUndefined();
  });
});

describe('a snapshot', () => {
  const marks = (entries: EntryReader, { rootsDirectory }: SetRun): (number | undefined)[] =>
    entries.children(rootsDirectory).map(({ stat: [first] }) => first);

  test('has what was written before it, and nothing later', () => {
    const run = catalog.entries.beginRun('set');
    putFile(run, run.rootsDirectory, '/first', 1);
    using before = catalog.snapshot(run, DESTINATION);
    putFile(run, run.rootsDirectory, '/first', 2);
    putFile(run, run.rootsDirectory, '/second', 3);
    catalog.entries.flush();
    using after = catalog.snapshot(run, DESTINATION);
    expect(marks(before.entries, run)).toEqual([1]);
    expect(marks(after.entries, run)).toEqual([2, 3]);
    expect(after.revision).toBeGreaterThan(before.revision);
  });

  test('shows other versions of files, and the catalog knows them as those of its revision', () => {
    const run = catalog.entries.beginRun('set');
    const names = Array.from({ length: 10 }, (_, index) => `/${index}`);
    for (const name of names) putFile(run, run.rootsDirectory, name, 1);
    const before = commitAll(catalog, run, { destination: 'other' });
    const version = { stat: stat(9), chunks: Buffer.alloc(36, 9) };
    const left = names.slice(2, 6).map((name) => [name, undefined] as const);
    const instead = new Map([[run.rootsDirectory, new Map([['/1', version] as const, ...left])]]);
    using snapshot = catalog.snapshot(run, DESTINATION, instead);
    const listed = snapshot.entries.children(run.rootsDirectory).map(({ name, stat: [mark] }) => [name, mark]);
    expect(listed).toEqual([['/0', 1], ['/1', 9], ...['/6', '/7', '/8', '/9'].map((name) => [name, 1])]);
    // A page is full unless it is the last.
    const page = snapshot.entries.page(run.rootsDirectory, '/0', 3).map(({ name }) => name);
    expect(page).toEqual(['/1', '/6', '/7']);
    expect(snapshot.entries.find(run.rootsDirectory, '/1')?.chunks).toEqual(version.chunks);
    expect(snapshot.entries.find(run.rootsDirectory, '/2')).toBeUndefined();

    expect(marks(catalog.entries, run)).toEqual(names.map(() => 1));
    const known = (name: string, revision: number): number | undefined => {
      const found = catalog.entries.versionIn(run.rootsDirectory, name, revision);
      return found?.chunks?.[0];
    };
    expect([known('/1', snapshot.revision), known('/2', snapshot.revision)]).toEqual([9, undefined]);
    expect([known('/1', before), known('/2', before)]).toEqual([1, 1]);
    const { revision } = snapshot;
    catalog.entries.commit(DESTINATION, { setId: run.setId, revision, tree: TREE, pieces: [], roots: [] });
    const dirty = catalog.at(DESTINATION).trees.dirty(run.setId, 10);
    expect(dirty?.map(({ path }) => path)).toEqual(['/1', '/2', '/3', '/4', '/5']);
    putFile(run, run.rootsDirectory, '/1', 3);
    expect([known('/1', revision), known('/1', before)]).toEqual([9, 1]);
  });

  test('is not taken when a write has failed', () => {
    const run = catalog.entries.beginRun('set');
    expect(() => putFile(run, 12_345, 'nowhere', 1)).toThrow('home_damaged');
    expect(() => catalog.snapshot(run, DESTINATION)).toThrow('home_damaged');
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
    expect(catalog.entries.children(run.rootsDirectory)).toEqual([]);
    expect(() => catalog.entries.children(outer)).toThrow('home_damaged');
    expect(() => catalog.entries.children(inner)).toThrow('home_damaged');
  });

  test('keeps the directories of other sets when a set is removed', () => {
    const kept = catalog.entries.beginRun('kept');
    putFile(kept, kept.rootsDirectory, '/file', 1);
    const gone = catalog.entries.beginRun('gone');
    putFile(gone, gone.rootsDirectory, '/file', 1);
    catalog.entries.removeSet('gone');
    expect(catalog.entries.findSet('gone')).toBeUndefined();
    expect(() => catalog.entries.children(gone.rootsDirectory)).toThrow('home_damaged');
    expect(catalog.entries.children(kept.rootsDirectory)).toHaveLength(1);
  });
});

describe('a destination whose trees are forgotten', () => {
  test('has none, while others keep theirs', () => {
    const run = catalog.entries.beginRun('set');
    putFile(run, run.rootsDirectory, '/file', 1);
    for (const destination of [DESTINATION, 'other']) commitAll(catalog, run, { destination });
    catalog.entries.forgetTrees(DESTINATION);
    expect(catalog.at(DESTINATION).trees.find(run.setId)).toBeUndefined();
    expect(catalog.at('other').trees.find(run.setId)).toMatchObject(TREE);
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
      { numRuns: orThorough(25, 60) },
    );
  });
});

describe('the catalog file', () => {
  test('is moved aside when it is not a catalog', () => {
    const other = join(folder, 'other.sqlite');
    const content = 'this is not a database, and long enough to be looked at as one '.repeat(20);
    writeFileSync(other, content);
    using opened = new Catalog(other);
    expect(opened.entries.findSet('set')).toBeUndefined();
    expect(readFileSync(`${other}.damaged`, 'utf8')).toBe(content);
  });

  test('is refused when it is a newer one', () => {
    const newer = join(folder, 'newer.sqlite');
    new Catalog(newer).close();
    const database = new Database(newer);
    database.pragma('user_version = 999');
    database.pragma(`application_id = ${APPLICATION_ID + 999}`);
    database.close();
    expect(() => new Catalog(newer)).toThrow(/home_damaged.*newer-version/);
  });

  test.each(['zeroblob(200)', 'zeroblob(3)', `x'ffffffff${'00'.repeat(200)}'`])(
    'throws when entries are damaged while it is open: %s',
    (damage) => {
      const file = join(folder, 'damaged.sqlite');
      using opened = new Catalog(file);
      const run = opened.entries.beginRun('set');
      const direct = new Database(file);
      direct.exec(`UPDATE directory SET entries = ${damage}`);
      direct.close();
      expect(() => opened.entries.children(run.rootsDirectory)).toThrow(/home_damaged/);
    },
  );

  test('keeps the highest tree seen of each device and set', () => {
    const { history } = catalog.at(DESTINATION);
    const five = { sequence: 5, treeHash: 'five', previousTree: 'four', created: 50 };
    history.recordSeenTree('d', 's', five);
    history.recordSeenTree('d', 's', { sequence: 4, treeHash: 'four', previousTree: undefined, created: 40 });
    expect(history.seenTree('d', 's')).toEqual(five);
    history.recordSeenTree('d', 'other', { sequence: 0, treeHash: 'outside', previousTree: undefined, created: 60 });
    expect(history.seenTree('d', 'other')).toBeUndefined();
    expect(history.seenTree('other', 's')).toBeUndefined();
  });

  test.each([
    ['later', { previousTree: undefined, created: 51 }, true],
    ['earlier', { previousTree: undefined, created: 49 }, false],
    ['later and continues another one', { previousTree: 'zero', created: 51 }, false],
  ])('takes another tree of the same number when that is %s: %s', (_what, changes, isTaken) => {
    const { history } = catalog.at(DESTINATION);
    const first = { sequence: 1, treeHash: 'first', previousTree: undefined, created: 50 };
    const second = { ...first, treeHash: 'second', ...changes };
    history.recordSeenTree('d', 's', first);
    history.recordSeenTree('d', 's', second);
    expect(history.seenTree('d', 's')).toEqual(isTaken ? second : first);
  });
});
