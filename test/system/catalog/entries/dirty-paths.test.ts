import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Catalog } from '../../../../src/catalog/catalog.ts';
import type { SetRun } from '../../../../src/catalog/entries/entries.ts';
import { DIRECTORY, FILE } from '../../../../src/catalog/entries/entry.ts';
import { STAT_RECORD_BYTES } from '../../../../src/os/filesystem/stat-record.ts';
import { traverse } from '../../../../src/catalog/entries/traverse.ts';
import { comparePaths, isWithin } from '../../../../src/model/entry-path.ts';
import type { CommittedTrees } from '../../../../src/catalog/committed-tree.ts';
import type { DirtyPath } from '../../../../src/catalog/entries/dirty-paths.ts';
import type { EntryReader } from '../../../../src/catalog/entries/entry-reader.ts';
import type { CatalogSnapshot } from '../../../../src/catalog/entries/snapshot.ts';
import { commitAll, DESTINATION, TREE } from '../../../helpers/catalog.ts';
import { orThorough } from '../../../helpers/thorough.ts';

let folder: string;
let catalog: Catalog;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-dirty-'));
  catalog = new Catalog(join(folder, 'catalog.sqlite'));
});
afterEach(() => {
  catalog.close();
  rmSync(folder, { recursive: true, force: true });
});

const NO_LIMIT = 1_000_000;

function put(run: SetRun, directory: number, name: string, mark: number, child: number | null = null): void {
  const stat = Buffer.alloc(STAT_RECORD_BYTES, mark);
  const kind = child === null ? FILE : DIRECTORY;
  const entry = { name, kind, stat, child, detail: null, place: 0, chunks: null } as const;
  catalog.entries.put(directory, entry, run);
}

/** Writes the entry at a path below the only root `/r`, with the folders above it. */
function write(run: SetRun, segments: readonly string[], mark: number): void {
  let directory = run.rootsDirectory;
  for (const [index, segment] of ['/r', ...segments].entries()) {
    const known = catalog.entries.find(directory, segment);
    const isFile = index === segments.length;
    if (known && (isFile || known.kind === FILE)) catalog.entries.remove(directory, segment, known.child);
    if (isFile) put(run, directory, segment, mark);
    else if (known?.kind === DIRECTORY) directory = known.child!;
    else {
      const child = catalog.entries.newDirectory(run);
      put(run, directory, segment, mark, child);
      directory = child;
    }
  }
}

function remove(run: SetRun, segments: readonly string[]): void {
  let directory = run.rootsDirectory;
  for (const segment of ['/r', ...segments.slice(0, -1)]) {
    const known = catalog.entries.find(directory, segment);
    const child = known?.child ?? undefined;
    if (child === undefined) return;
    directory = child;
  }
  const known = catalog.entries.find(directory, segments.at(-1)!);
  if (known) catalog.entries.remove(directory, known.name, known.child);
}

function contentOf(entries: EntryReader, run: SetRun): Map<string, string> {
  const all = [...traverse(entries, run.rootsDirectory)].flat();
  return new Map(all.map(({ path, entry }) => [path, `${entry.kind} ${entry.stat[0]}`]));
}

/** What a destination's newest restore point has, as it results from the differences that it was sent. */
type Listing = Map<string, string>;

const dirtyAt = (run: SetRun, destination: string = DESTINATION, limit = NO_LIMIT): readonly DirtyPath[] | undefined =>
  catalog.at(destination).trees.dirty(run.setId, limit);

/** Applies changes to a listing, as a service does with the entries of a manifest's differences. */
function applied(before: Listing, changes: readonly DirtyPath[], now: Listing): Listing {
  const after = new Map(before);
  for (const { path, removed } of changes) {
    if (!removed) {
      if (now.has(path)) after.set(path, now.get(path)!);
      continue;
    }
    for (const other of after.keys()) if (isWithin(other, path)) after.delete(other);
    for (const [other, mark] of now) if (isWithin(other, path)) after.set(other, mark);
  }
  return after;
}

/** The paths and marks of the files and folders below `/r`, by plain means. */
class Model {
  readonly entries: Listing = new Map([['/r', `${DIRECTORY} 0`]]);

  write(segments: readonly string[], mark: number): void {
    for (let depth = 1; depth <= segments.length; depth += 1) {
      const path = ['/r', ...segments.slice(0, depth)].join('/');
      const isFile = depth === segments.length;
      const known = this.entries.get(path);
      if (known !== undefined && (isFile || known.startsWith(`${FILE} `))) this.#delete(path);
      if (isFile) this.entries.set(path, `${FILE} ${mark}`);
      else if (!this.entries.has(path)) this.entries.set(path, `${DIRECTORY} ${mark}`);
    }
  }

  remove(segments: readonly string[]): void {
    this.#delete(['/r', ...segments].join('/'));
  }

  #delete(path: string): void {
    for (const other of this.entries.keys()) if (isWithin(other, path)) this.entries.delete(other);
  }
}

describe('dirty paths of several destinations', () => {
  const DESTINATIONS = ['first', 'second', 'third'];
  const segment = fc.constantFrom('a', 'b', 'a.b', '\u0001', 'é');
  const step = fc.record({
    action: fc.constantFrom(
      'write',
      'write',
      'write',
      'remove',
      'remove',
      'begin',
      'snapshot',
      'commit',
      'forget',
      'kill',
    ),
    path: fc.array(segment, { minLength: 1, maxLength: 3 }),
    destination: fc.constantFrom(...DESTINATIONS),
    mark: fc.integer({ min: 1, max: 200 }),
  });

  test('turn the last committed listing into the present one, whatever was written and committed in between', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: 'max' }), fc.nat(), (steps, seed) => {
        const name = `set ${seed}`;
        catalog.entries.removeSet(name);
        let run = catalog.entries.beginRun(name);
        const model = new Model();
        put(run, run.rootsDirectory, '/r', 0, catalog.entries.newDirectory(run));
        const committed = new Map<string, Listing>();
        const open = new Map<string, { readonly snapshot: CatalogSnapshot; readonly listing: Listing }>();
        const close = (destination: string): void => {
          open.get(destination)?.snapshot[Symbol.dispose]();
          open.delete(destination);
        };
        const check = (destination: string, trees: CommittedTrees, listing: Listing): void => {
          const changes = trees.dirty(run.setId, NO_LIMIT);
          expect(changes === undefined).toBe(!committed.has(destination));
          if (changes) expect(sorted(applied(committed.get(destination)!, changes, listing))).toEqual(sorted(listing));
        };
        try {
          for (const { action, path, destination, mark } of steps) {
            switch (action) {
              case 'write':
                write(run, path, mark);
                model.write(path, mark);
                break;
              case 'remove':
                remove(run, path);
                model.remove(path);
                break;
              case 'begin':
                run = catalog.entries.beginRun(name);
                break;
              case 'snapshot': {
                close(destination);
                const snapshot = catalog.snapshot(run, destination);
                const listing = new Map(model.entries);
                expect(sorted(contentOf(snapshot.entries, run))).toEqual(sorted(listing));
                check(destination, snapshot.trees, listing);
                open.set(destination, { snapshot, listing });
                break;
              }
              case 'commit': {
                const sent = open.get(destination);
                if (!sent) break;
                const { snapshot, listing } = sent;
                // Whatever was written meanwhile, it has not changed.
                expect(sorted(contentOf(snapshot.entries, run))).toEqual(sorted(listing));
                const { revision } = snapshot;
                catalog.entries.commit(destination, { setId: run.setId, revision, tree: TREE, pieces: [], roots: [] });
                committed.set(destination, listing);
                close(destination);
                break;
              }
              case 'forget':
                catalog.forget(destination);
                committed.delete(destination);
                break;
              default:
                // Another process continues with what was stored.
                catalog.entries.flush();
                for (const other of DESTINATIONS) close(other);
                catalog.close();
                catalog = new Catalog(join(folder, 'catalog.sqlite'));
                run = catalog.entries.beginRun(name);
            }
          }
          expect(sorted(contentOf(catalog.entries, run))).toEqual(sorted(model.entries));
          catalog.entries.flush();
          for (const destination of DESTINATIONS) check(destination, catalog.at(destination).trees, model.entries);
        } finally {
          for (const destination of DESTINATIONS) close(destination);
        }
      }),
      { numRuns: orThorough(70, 200) },
    );
  });

  test('are kept until the last destination has them, and no longer', () => {
    const run = catalog.entries.beginRun('set');
    write(run, ['a'], 1);
    for (const destination of ['first', 'second']) commitAll(catalog, run, { destination });
    write(run, ['b'], 2);
    commitAll(catalog, run, { destination: 'first' });
    expect(dirtyAt(run, 'first')).toEqual([]);
    expect(dirtyAt(run, 'second')).toEqual([{ path: '/r/b', removed: false }]);
    commitAll(catalog, run, { destination: 'second' });
    expect(rows()).toBe(0);
  });

  test('of a removal reach a destination that missed the file being written again', () => {
    const run = catalog.entries.beginRun('set');
    write(run, ['folder', 'a'], 1);
    commitAll(catalog, run, { destination: 'first' });
    commitAll(catalog, run, { destination: 'second' });
    remove(run, ['folder']);
    commitAll(catalog, run, { destination: 'first' });
    write(run, ['folder'], 2);
    expect(dirtyAt(run, 'first')).toEqual([{ path: '/r/folder', removed: false }]);
    expect(dirtyAt(run, 'second')).toEqual([{ path: '/r/folder', removed: true }]);
  });

  test('are kept while another destination is sent what came before them', () => {
    const run = catalog.entries.beginRun('set');
    write(run, ['a'], 1);
    const snapshot = catalog.snapshot(run, 'second');
    write(run, ['b'], 2);
    commitAll(catalog, run, { destination: 'first' });
    expect(rows()).toBeGreaterThan(0);
    snapshot[Symbol.dispose]();
    commitAll(catalog, run, { destination: 'first' });
    expect(rows()).toBe(0);
  });

  test('no longer count for a destination that is forgotten', () => {
    const run = catalog.entries.beginRun('set');
    write(run, ['a'], 1);
    for (const destination of ['first', 'second']) commitAll(catalog, run, { destination });
    catalog.forget('second');
    write(run, ['b'], 2);
    commitAll(catalog, run, { destination: 'first' });
    expect(rows()).toBe(0);
    expect(dirtyAt(run, 'second')).toBeUndefined();
  });

  test('are dropped with the tree of a destination that is too far behind', () => {
    const run = catalog.entries.beginRun('set');
    write(run, ['a'], 1);
    for (const destination of ['first', 'second', 'third']) commitAll(catalog, run, { destination });
    const many = catalog.entries.newDirectory(run);
    put(run, catalog.entries.find(run.rootsDirectory, '/r')!.child!, 'many', 1, many);
    for (let index = 0; index < 100_001; index += 1) put(run, many, `${index}`, 1);
    commitAll(catalog, run, { destination: 'first' });
    expect(dirtyAt(run, 'first')).toEqual([]);
    expect([dirtyAt(run, 'second'), dirtyAt(run, 'third')]).toEqual([undefined, undefined]);
    expect(rows()).toBe(0);
  });

  const sorted = (listing: Listing): [string, string][] => [...listing].sort(([a], [b]) => comparePaths(a, b));
  const rows = (): number => {
    catalog.entries.flush();
    const stored = new Database(join(folder, 'catalog.sqlite'), { readonly: true });
    try {
      return stored.prepare('SELECT count(*) FROM dirty').pluck().get() as number;
    } finally {
      stored.close();
    }
  };
});

describe('dirty paths', () => {
  test('are unknown before the first commit, and empty after a commit and when nothing was written', () => {
    const run = catalog.entries.beginRun('set');
    write(run, ['a', 'b'], 1);
    remove(run, ['a']);
    expect(dirtyAt(run)).toBeUndefined();
    commitAll(catalog, run);
    const second = catalog.entries.beginRun('set');
    expect(dirtyAt(run)).toEqual([]);
    write(second, ['c'], 2);
    expect(dirtyAt(run)).toEqual([{ path: '/r/c', removed: false }]);
    commitAll(catalog, second);
    catalog.entries.beginRun('set');
    expect(dirtyAt(run)).toEqual([]);
  });

  test('exclude other sets and are not listed above the limit', () => {
    for (const name of ['one', 'two']) {
      const run = catalog.entries.beginRun(name);
      write(run, ['a'], 1);
      commitAll(catalog, run);
    }
    const run = catalog.entries.beginRun('two');
    for (const name of ['b', 'c', 'd']) write(run, [name], 2);
    expect(dirtyAt(run, DESTINATION, 2)).toBeUndefined();
    expect(dirtyAt(run, DESTINATION, 3)).toHaveLength(3);
    expect(dirtyAt(catalog.entries.findSet('one')!, DESTINATION, 3)).toEqual([]);
  });
});
