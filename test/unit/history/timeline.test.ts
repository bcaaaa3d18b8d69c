import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FileHistory } from '../../../src/history/file-history.ts';
import { HistoryQueries } from '../../../src/history/queries.ts';
import { goneFrom, timelineOf } from '../../../src/history/timeline.ts';
import { contentOf, isSameContent } from '../../../src/history/version-row.ts';
import { isWithin, parentOf } from '../../../src/model/entry-path.ts';
import { Random } from '../../helpers/random.ts';
import { changedTree, pointOf, randomTree, type Tree } from './model.ts';

/** A history of random restore points. */
function historyOf(seed: number): {
  readonly database: FileHistory['database'];
  readonly source: number;
  readonly known: readonly number[];
  readonly trees: ReadonlyMap<number, Tree>;
} {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-timeline-'));
  const history = new FileHistory(join(directory, 'history.sqlite'));
  onTestFinished(() => {
    history[Symbol.dispose]();
    rmSync(directory, { recursive: true, force: true });
  });
  const source = history.points.addSource({ destination: 'disk', device: 'laptop', set: 'documents' });
  const random = new Random(seed);
  const trees = new Map<number, Tree>();
  let tree = randomTree(random);
  for (let time = 10; time <= 90; time += 10) {
    trees.set(time, tree);
    history.addPoint(source, pointOf(time, tree), 0);
    tree = changedTree(random, tree);
  }
  const known = new HistoryQueries(history.database).points.known(source);
  return { database: history.database, source, known, trees };
}

/** Every folder, and everything. */
function foldersOf(trees: ReadonlyMap<number, Tree>): readonly string[] {
  const all = [...trees.values()].flatMap((tree) => Array.from(tree.values()));
  return ['', ...new Set(all.filter(({ type }) => type === 'directory').map(({ path }) => path))];
}

describe('a timeline', () => {
  test('counts in each folder what differs from the restore point before', () => {
    for (let seed = 1; seed <= 6; seed += 1) {
      const { database, source, known, trees } = historyOf(seed);
      const files = (time: number, folder: string) =>
        new Map(
          [...trees.get(time)!.values()]
            .filter(({ path, type }) => type !== 'directory' && (folder === '' || isWithin(path, folder)))
            .map((record) => [record.path, contentOf(record)] as const),
        );
      for (const folder of foldersOf(trees)) {
        const expected = known.slice(1).map((time, index) => {
          const [before, after] = [files(known[index]!, folder), files(time, folder)];
          const added = [...after].filter(([path]) => !before.has(path));
          const changed = [...after].filter(([path, content]) => {
            const old = before.get(path);
            return old && !isSameContent(old, content);
          });
          const removed = [...before].filter(([path]) => !after.has(path)).length;
          const bytes = [...added, ...changed].reduce((sum, [, { size }]) => sum + size, 0);
          return { time, added: added.length, changed: changed.length, removed, bytes };
        });
        expect(timelineOf(database, source, folder, { known, count: 100 })).toEqual(expected);
        expect(timelineOf(database, source, folder, { known, count: 3 })).toEqual(expected.slice(-3));
      }
    }
  });

  test('is empty with one restore point', () => {
    const { database, source, known } = historyOf(1);
    expect(timelineOf(database, source, '', { known: known.slice(0, 1), count: 9 })).toEqual([]);
    expect(timelineOf(database, source, '', { known: [], count: 9 })).toEqual([]);
  });
});

describe('what is gone from a folder', () => {
  test('existed before and not at that time, as it was last', () => {
    for (let seed = 1; seed <= 6; seed += 1) {
      const { database, source, known, trees } = historyOf(seed);
      for (const folder of foldersOf(trees)) {
        if (folder === '') continue;
        for (const time of known) {
          const last = new Map<string, number>();
          for (const earlier of known.filter((one) => one < time)) {
            for (const { path } of trees.get(earlier)!.values()) if (parentOf(path) === folder) last.set(path, earlier);
          }
          for (const { path } of trees.get(time)!.values()) last.delete(path);
          const gone = goneFrom(database, source, folder, { time, known, count: 1_000 });
          expect(new Map(gone.map(({ path, to }) => [path, to]))).toEqual(last);
          for (const { path, to, kind, size, modified, content } of gone) {
            const record = contentOf(trees.get(to)!.get(path)!);
            expect({ kind, size, modified, content }).toEqual({
              kind: (['file', 'directory', 'symlink'] as const)[record.kind],
              size: record.size,
              modified: record.modified,
              content: record.content.toString('hex'),
            });
          }
        }
      }
    }
  });
});
