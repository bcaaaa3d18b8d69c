import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { historyError, openHistoryReader } from '../../../src/history/database.ts';
import { FileHistory } from '../../../src/history/file-history.ts';
import { areRowsSound } from '../../../src/history/row-sums.ts';
import { contentOf, type VersionContent } from '../../../src/history/version-row.ts';
import { comparePaths } from '../../../src/model/entry-path.ts';
import { Random } from '../../helpers/random.ts';
import { changedTree, file, pointOf, randomTree, ROOT, folder, treeOf, type Tree } from '../../unit/history/model.ts';

let directory: string;
let history: FileHistory;
const SOURCE = { destination: 'disk', device: 'laptop', set: 'documents' };

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'holdfast-history-'));
  history = new FileHistory(join(directory, 'history.sqlite'));
});

afterEach(() => {
  history[Symbol.dispose]();
  rmSync(directory, { recursive: true, force: true });
});

/** What the database says of a restore point, by path. Reads the tables with SQL of its own. */
function stored(source: number, time: number): Map<string, VersionContent> {
  const rows = history.database
    .prepare<[number, number, number], { key: string; name: string } & VersionContent>(
      `SELECT key, name, kind, size, modified, content FROM version
         JOIN entry ON entry.id = version.entry JOIN folder ON folder.id = entry.folder
         WHERE source = ? AND low < ? AND high > ?`,
    )
    .all(source, time, time);
  const unescaped = (key: string): string =>
    key.replaceAll('\u0001', '/').replaceAll('\u0002\u0003', '\u0001').replaceAll('\u0002\u0004', '\u0002');
  const found = new Map(
    rows.map(({ key, name, kind, size, modified, content }) => [
      `${unescaped(key)}/${name}`,
      { kind, size, modified, content },
    ]),
  );
  expect(found.size).toBe(rows.length);
  return found;
}

function expected(tree: Tree): Map<string, VersionContent> {
  return new Map(Array.from(tree, ([path, record]) => [path, contentOf(record)]));
}

describe('a history of files', () => {
  test('says of every restore point what its tree says, in whatever order they are added and removed', () => {
    for (let seed = 1; seed <= 4; seed += 1) {
      const random = new Random(seed);
      const source = history.points.addSource({ ...SOURCE, set: `set ${seed}` });
      const trees = new Map<number, Tree>();
      let tree = randomTree(random);
      for (let time = 1; time <= 12; time += 1) {
        trees.set(time * 10, tree);
        // One that comes back after others has versions that end and begin again.
        const base = random.below(3) === 0 ? random.pick([...trees.values()]) : tree;
        tree = random.below(8) === 0 ? randomTree(random) : changedTree(random, base);
      }
      const known = new Set<number>();
      for (let step = 0; step < 30; step += 1) {
        const time = (1 + random.below(12)) * 10;
        if (known.delete(time)) history.removePoint(source, time);
        else {
          const read = new Set<number>();
          const point = pointOf(time, trees.get(time)!, (index) => read.add(index));
          const missing = history.missingPieces(source, time, point.footer);
          history.addPoint(source, point, 0);
          expect([...read]).toEqual(missing);
          known.add(time);
        }
        expect(history.points.known(source)).toEqual([...known].toSorted((a, b) => a - b));
        for (const each of known) {
          expect({ seed, step, each, entries: stored(source, each) }).toEqual({
            seed,
            step,
            each,
            entries: expected(trees.get(each)!),
          });
        }
      }
      expect(areRowsSound(history.database)).toBe(true);
    }
    for (const { id: _id, listedAt: _at, ...source } of history.points.sources()) history.removeSource(source);
    const tables = ['version', 'piece', 'point', 'entry', 'source'];
    const left = tables.map((table) => history.database.prepare(`SELECT count(*) FROM ${table}`).pluck().get());
    expect(left).toEqual([0, 0, 0, 0, 0]);
    expect(areRowsSound(history.database)).toBe(true);
  });

  test('reads only the pieces that changed, and stores only the versions that did', () => {
    const source = history.points.addSource(SOURCE);
    const records = Array.from({ length: 500 }, (_, index) => file(`${ROOT}/${String(index).padStart(3, '0')}`, 'one'));
    const first = treeOf(folder(ROOT), ...records);
    const second = new Map(first).set(`${ROOT}/250`, file(`${ROOT}/250`, 'other'));
    history.addPoint(source, pointOf(10, first), 0);
    let read = 0;
    const count = (): void => {
      read += 1;
    };
    for (const time of [20, 30, 5]) history.addPoint(source, pointOf(time, second, count), 0);
    // Once for the point that differs from the one before, once for the one that differs from the one after.
    expect(read).toBe(2);
    expect(history.database.prepare('SELECT count(*) FROM version').pluck().get()).toBe(501 + 2);
  });

  test('says the same of restore points that lack the end, the beginning or the middle of others', () => {
    const names = Array.from({ length: 60 }, (_, index) => `${ROOT}/${index % 3}/${String(index).padStart(2, '0')}`);
    const records = names.map((path) => file(path, 'x'));
    for (let length = 0; length <= 60; length += 1) {
      const source = history.points.addSource({ ...SOURCE, set: `set ${length}` });
      const sorted = records.toSorted((a, b) => comparePaths(a.path, b.path));
      const trees = [
        sorted,
        sorted.slice(0, length),
        sorted.slice(length),
        [...sorted.slice(0, length / 2), ...sorted.slice(length)],
      ].map((each) => treeOf(...each));
      for (const [order, index] of [1, 0, 3, 2].entries()) {
        const time = [10, 20, 15, 5][order]!;
        history.addPoint(source, pointOf(time, trees[index]!), 0);
        expect(stored(source, time)).toEqual(expected(trees[index]!));
      }
      expect(stored(source, 20)).toEqual(expected(trees[0]!));
      expect(stored(source, 10)).toEqual(expected(trees[1]!));
      history.removePoint(source, 15);
      expect(stored(source, 20)).toEqual(expected(trees[0]!));
      expect(stored(source, 10)).toEqual(expected(trees[1]!));
    }
  });

  test('is busy, and can be read, while another process changes it', () => {
    const source = history.points.addSource(SOURCE);
    history.addPoint(source, pointOf(10, treeOf(folder(ROOT))), 0);
    const busy = expect.objectContaining({ code: 'home_busy' });
    using other = new FileHistory(join(directory, 'history.sqlite'));
    other.database.exec('BEGIN IMMEDIATE');
    expect(() => history.change(() => history.points.setListed(source, 1))).toThrow(busy);
    expect(history.points.known(source)).toEqual([10]);
    other.database.exec('COMMIT');
    history.change(() => history.points.setListed(source, 1));
    // A process that is making another one.
    const file = join(directory, 'new.sqlite');
    const maker = new Database(file);
    maker.exec('BEGIN IMMEDIATE');
    expect(() => new FileHistory(file)).toThrow(busy);
    maker.close();
    new FileHistory(file)[Symbol.dispose]();
  });

  test('does not keep what a failed transaction has added', () => {
    const source = history.points.addSource(SOURCE);
    const tree = treeOf(folder(ROOT), ...Array.from({ length: 50 }, (_, index) => file(`${ROOT}/new/${index}`, 'x')));
    const point = pointOf(10, tree);
    const failing = {
      ...point,
      read: (index: number) => {
        if (index === 3) throw new Error('a disk failed');
        return point.read(index);
      },
    };
    expect(() => history.addPoint(source, failing, 0)).toThrow('a disk failed');
    expect(history.points.known(source)).toEqual([]);
    history.addPoint(source, point, 0);
    expect(stored(source, 10)).toEqual(expected(tree));
    expect(areRowsSound(history.database)).toBe(true);
  });

  test('is made anew when a row was changed behind its back, or by another version of the program', () => {
    const fileName = join(directory, 'history.sqlite');
    for (const damage of ['UPDATE version SET size = size + 1', 'PRAGMA user_version = 9999']) {
      const source = history.points.addSource(SOURCE);
      history.addPoint(source, pointOf(10, treeOf(folder(ROOT), file(`${ROOT}/a`, 'one'))), 0);
      history[Symbol.dispose]();
      const outside = new Database(fileName);
      outside.exec(damage);
      outside.close();
      // A reader changes nothing, and uses none of another version.
      using reading = new DisposableStack();
      const reader = openHistoryReader(fileName);
      if (reader) reading.defer(() => reader.close());
      expect(reader === undefined).toBe(damage.includes('user_version'));
      // Windows removes no open file.
      if (process.platform === 'win32') reading.dispose();
      history = new FileHistory(fileName);
      expect(history.points.sources()).toEqual([]);
      expect(history.database.prepare('SELECT count(*) FROM version').pluck().get()).toBe(0);
    }
  });

  test.each([
    ['win32', 'EPERM', 'home_busy'],
    ['win32', 'EBUSY', 'home_busy'],
    ['linux', 'EACCES', 'home_unwritable'],
    ['linux', 'SQLITE_BUSY', 'home_busy'],
  ] as const)('that cannot be made anew is no bug: %s, %s', (platform, code, expected) => {
    const error = Object.assign(new Error('x'), { code });
    expect(historyError(error, '/home/history.sqlite', platform)).toMatchObject({ code: expected });
  });
});
