import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FileHistory } from '../../../src/history/file-history.ts';
import { findEntries, type FindRequest, type FoundEntry } from '../../../src/history/search/find.ts';
import { HistoryQueries } from '../../../src/history/queries.ts';
import { contentOf, KINDS, type VersionContent } from '../../../src/history/version-row.ts';
import { comparePaths, parentOf } from '../../../src/model/entry-path.ts';
import { Random } from '../../helpers/random.ts';
import {
  changedTree,
  file,
  folder,
  link,
  pointOf,
  randomTree,
  ROOT,
  treeOf,
  type Tree,
} from '../../unit/history/model.ts';

let directory: string;
let history: FileHistory;
let queries: HistoryQueries;
let source: number;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'holdfast-history-'));
  history = new FileHistory(join(directory, 'history.sqlite'));
  queries = new HistoryQueries(history.database);
  source = history.points.addSource({ destination: 'disk', device: 'laptop', set: 'documents' });
});

afterEach(() => {
  history[Symbol.dispose]();
  rmSync(directory, { recursive: true, force: true });
});

function add(trees: ReadonlyMap<number, Tree>): void {
  for (const [time, tree] of trees) history.addPoint(source, pointOf(time, tree), 0);
}

function randomTrees(random: Random): ReadonlyMap<number, Tree> {
  const trees = new Map<number, Tree>();
  let tree = randomTree(random);
  for (let time = 10; time <= 80; time += 10) {
    trees.set(time, tree);
    tree = changedTree(random, tree);
  }
  return trees;
}

function findAll(request: Omit<FindRequest, 'sources' | 'newest'>, count = 3): readonly FoundEntry[] {
  const sources = new Map([[source, queries.points.known(source)]]);
  const found: FoundEntry[] = [];
  for (let after: number | undefined = 0; after !== undefined;) {
    const page = findEntries(history.database, { ...request, sources, newest: new Set([source]) }, { after, count });
    found.push(...page.rows);
    after = page.next;
  }
  return found;
}

function textOf({ kind, size, modified, content }: VersionContent): string {
  return JSON.stringify({ kind: KINDS[kind], size, modified, content: content.toString('hex') });
}

describe('a folder', () => {
  test('lists what the tree of every restore point has in it, page by page', () => {
    for (let seed = 1; seed <= 5; seed += 1) {
      const trees = randomTrees(new Random(seed));
      const times = [...trees.keys()];
      add(trees);
      for (const [time, tree] of trees) {
        for (const record of tree.values()) {
          if (record.type !== 'directory') continue;
          const expected = [...tree.values()]
            .filter(({ path }) => parentOf(path) === record.path)
            .toSorted((a, b) => comparePaths(a.path, b.path))
            .map((entry) => ({ path: entry.path, kind: entry.type, size: contentOf(entry).size }));
          const listed = [];
          for (let after: string | undefined = ''; after !== undefined;) {
            const page = queries.folder(source, record.path, time, { after, count: 2 });
            listed.push(...page.rows);
            after = page.next;
          }
          expect(listed.map(({ path, kind, size }) => ({ path, kind, size }))).toEqual(expected);
          for (const { from, to } of listed) {
            expect(from <= time && time <= to && times.includes(from) && times.includes(to)).toBe(true);
          }
        }
      }
      for (const time of times) history.removePoint(source, time);
    }
  });

  test('above the roots lists the roots', () => {
    add(new Map([[10, treeOf(folder(ROOT), file(`${ROOT}/a`, 'x'))]]));
    expect(queries.folder(source, '/', 10, { count: 9 }).rows.map(({ path }) => path)).toEqual([ROOT]);
    expect(queries.folder(source, '/home', 10, { count: 9 }).rows.map(({ path }) => path)).toEqual([ROOT]);
    expect(queries.folder(source, '/elsewhere', 10, { count: 9 }).rows).toEqual([]);
  });
});

describe('versions of a file', () => {
  test('are those of the restore points, one for each time that it was another', () => {
    for (let seed = 1; seed <= 5; seed += 1) {
      const trees = randomTrees(new Random(seed));
      add(trees);
      const paths = new Set(trees.values().flatMap((tree) => tree.keys()));
      for (const path of paths) {
        const expected: { from: number; to: number; text: string }[] = [];
        let before: string | undefined;
        for (const [time, tree] of trees) {
          const record = tree.get(path);
          const content = record && contentOf(record);
          const text = content && textOf(content);
          if (text !== undefined && text === before) expected.at(-1)!.to = time;
          else if (text !== undefined) expected.push({ from: time, to: time, text });
          before = text;
        }
        const versions = queries.versions(source, path);
        const stored = versions.map(({ from, to, kind, size, modified, content }) => ({
          from,
          to,
          text: JSON.stringify({ kind, size, modified, content }),
        }));
        expect(stored).toEqual(expected);
      }
      for (const time of trees.keys()) history.removePoint(source, time);
    }
  });
});

describe('changes between two restore points', () => {
  test('are all differences of their trees, in both directions', () => {
    for (let seed = 1; seed <= 5; seed += 1) {
      const trees = randomTrees(new Random(seed));
      add(trees);
      for (const [from, one] of trees) {
        for (const [to, other] of trees) {
          const differs = (path: string): boolean => {
            const [a, b] = [one.get(path), other.get(path)].map(
              (record) => record && JSON.stringify(contentOf(record)),
            );
            return a !== b;
          };
          const expected = [...new Set([...one.keys(), ...other.keys()])].filter(differs).toSorted();
          const found = [];
          for (let after: number | undefined = 0; after !== undefined;) {
            const page = queries.changes(source, { from, to }, { after, count: 2 });
            found.push(...page.rows);
            after = page.next;
          }
          expect(found.map(({ path }) => path).toSorted()).toEqual(expected);
          for (const { path, before, after } of found) {
            expect([before?.kind, after?.kind]).toEqual([one.get(path)?.type, other.get(path)?.type]);
          }
        }
      }
      for (const time of trees.keys()) history.removePoint(source, time);
    }
  });

  test('leave out an entry that went and came back as it was', () => {
    const kept = [folder(ROOT), file(`${ROOT}/kept`, 'x')];
    const same = file(`${ROOT}/back`, 'same', 5);
    add(
      new Map([
        [10, treeOf(...kept, same, file(`${ROOT}/touched`, 'same', 5))],
        [20, treeOf(...kept, file(`${ROOT}/between`, 'x'))],
        [30, treeOf(...kept, same, file(`${ROOT}/touched`, 'same', 6))],
      ]),
    );
    for (const [from, to] of [
      [10, 30],
      [30, 10],
    ] as const) {
      const { rows } = queries.changes(source, { from, to }, { count: 9 });
      expect(rows.map(({ path }) => path)).toEqual([`${ROOT}/touched`]);
    }
  });
});

describe('a search', () => {
  beforeEach(() => {
    const kept = [
      folder(ROOT),
      folder(`${ROOT}/Briefe`),
      file(`${ROOT}/Briefe/Straße.odt`, 'x', 5),
      link(`${ROOT}/link`, 'x'),
    ];
    add(
      new Map([
        [10, treeOf(...kept, file(`${ROOT}/Briefe/cafe\u0301.txt`, 'old', 1), file(`${ROOT}/ab`, ''))],
        [20, treeOf(...kept, file(`${ROOT}/Briefe/cafe\u0301.txt`, 'newer', 2))],
        [30, treeOf(...kept)],
      ]),
    );
  });

  test.each([
    ['STRASSE', ['/Briefe/Straße.odt']],
    ['CAFÉ', ['/Briefe/café.txt']],
    ['briefe', ['/Briefe']],
    ['*.odt', ['/Briefe/Straße.odt']],
    ['Briefe/', ['/Briefe/Straße.odt', '/Briefe/café.txt']],
    ['briefe/ca', ['/Briefe/café.txt']],
    ['ab', ['/ab']],
    ['b', ['/Briefe', '/ab']],
    ['f\u00e9', ['/Briefe/café.txt']],
    ['"afe', []],
    ['', ['', '/Briefe', '/Briefe/Straße.odt', '/link', '/Briefe/café.txt', '/ab']],
  ])('for %s finds %j', (pattern, expected) => {
    const found = findAll({ pattern }).map(({ path }) => path.normalize('NFC').slice(ROOT.length));
    expect(found.toSorted()).toEqual(expected.map((path) => path.normalize('NFC')).toSorted());
  });

  test('shows each version with its restore points', () => {
    const [found] = findAll({ pattern: 'café' });
    expect(found!.versions.map(({ from, to, size, modified }) => ({ from, to, size, modified }))).toEqual([
      { from: 10, to: 10, size: 3, modified: 1 },
      { from: 20, to: 20, size: 5, modified: 2 },
    ]);
    expect(found!.isDeleted).toBe(true);
  });

  test('selects by kind, size, time and whether it was deleted', () => {
    const names = (request: Omit<FindRequest, 'sources' | 'newest' | 'pattern'>): readonly string[] =>
      findAll({ pattern: '', ...request }).map(({ path }) => path.normalize('NFC').slice(ROOT.length));
    expect(names({ kind: 'symlink' })).toEqual(['/link']);
    expect(names({ minimumSize: 3 })).toEqual(['/Briefe/café.txt']);
    expect(names({ kind: 'file', maximumSize: 1 }).toSorted()).toEqual(['/Briefe/Straße.odt', '/ab']);
    expect(names({ modifiedFrom: 2, modifiedTo: 4 })).toEqual(['/Briefe/café.txt']);
    expect(names({ isDeletedOnly: true }).toSorted()).toEqual(['/Briefe/café.txt', '/ab']);
  });

  test('of another source finds nothing', () => {
    const other = history.points.addSource({ destination: 'disk', device: 'laptop', set: 'music' });
    const request = { pattern: 'straße', sources: new Map([[other, []]]), newest: new Set([other]) };
    expect(findEntries(history.database, request, { count: 10 }).rows).toEqual([]);
  });

  test('no longer finds what was only in a restore point that was removed', () => {
    history.removePoint(source, 10);
    expect(findAll({ pattern: 'ab' })).toEqual([]);
    expect(findAll({ pattern: 'café' }).map(({ versions }) => versions.length)).toEqual([1]);
    expect(history.database.prepare("SELECT count(*) FROM name_index WHERE name_index MATCH 'caf'").pluck().get()).toBe(
      1,
    );
  });

  test('compares every folder, however many match', () => {
    const paths = Array.from({ length: 300 }, (_, index) => `${ROOT}/d${index}/needle`);
    history.addPoint(
      source,
      pointOf(40, treeOf(...[...paths, `${ROOT}/other/needle`].map((path) => file(path, 'x')))),
      0,
    );
    expect(findAll({ pattern: 'd*/needle' }, 500).length).toBe(300);
    expect(findAll({ pattern: 'd1*/needle' }, 500).length).toBe(111);
  });

  test('finds everything although it examines only a part at a time', () => {
    const names = Array.from({ length: 9000 }, (_, index) => `needle ${String(index).padStart(5, '0')}`);
    const all = treeOf(...names.map((name, index) => file(`${ROOT}/${name}`, index % 3000 === 0 ? 'xx' : 'x')));
    history.addPoint(source, pointOf(40, all), 0);
    expect(findAll({ pattern: 'needle', minimumSize: 2 }, 2).length).toBe(3);
    expect(findAll({ pattern: 'ne', minimumSize: 2 }, 2).length).toBe(3);
    expect(findAll({ pattern: 'anna/nee', minimumSize: 2 }, 2).length).toBe(3);
    expect(findAll({ pattern: 'needle' }, 500).length).toBe(9000);
    // A page ends before it has seen all 9,000, although it has found nothing.
    const sources = new Map([[source, queries.points.known(source)]]);
    const request = { pattern: 'needle', minimumSize: 3, sources, newest: new Set([source]) };
    const page = findEntries(history.database, request, { count: 2 });
    expect(page.rows).toEqual([]);
    expect(page.next).toBeLessThan(9000);
  });
});

test('a name that is not valid UTF-8 is found by its readable parts, also when it is a folder', () => {
  const escaped = (name: string): string => `\u{10FFFD}${Buffer.from(name, 'latin1').toString('base64url')}`;
  const inside = `${ROOT}/${escaped('old\u00ff')}`;
  const path = `${inside}/${escaped('Bad-\u00ff-utf8.txt')}`;
  add(new Map([[10, treeOf(folder(ROOT), folder(inside), file(path, 'x'))]]));
  for (const pattern of ['bad', 'UTF8', 'bad-*-utf8.txt', 'bad-?-utf8.txt', 'old*/bad*']) {
    expect(findAll({ pattern }).map((found) => found.path)).toEqual([path]);
  }
  history.removePoint(source, 10);
  expect(findAll({ pattern: 'bad' })).toEqual([]);
});
