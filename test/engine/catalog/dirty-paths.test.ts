import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Catalog } from '../../../src/engine/catalog/catalog.ts';
import { DIRECTORY, FILE, type SetRun } from '../../../src/engine/catalog/entries.ts';
import { STAT_RECORD_BYTES } from '../../../src/engine/filesystem/stat-record.ts';
import { traverse } from '../../../src/engine/catalog/traverse.ts';
import { isWithin } from '../../../src/protocol/path.ts';

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
  const entry = { name, kind, stat, child, detail: null, chunks: null } as const;
  catalog.entries.put(directory, entry, run, catalog.entries.committedRun(run.setId));
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

function content(run: SetRun): Map<string, string> {
  const all = [...traverse(catalog.entries, run.rootsDirectory)].flat();
  return new Map(all.map(({ path, entry }) => [path, `${entry.kind} ${entry.stat[0]}`]));
}

describe('dirty paths', () => {
  test('cover every difference from the last commit, also after abandoned runs', () => {
    const segment = fc.constantFrom('a', 'b', 'a.b', '\u0001', 'é');
    const step = fc.record({
      action: fc.constantFrom('write', 'write', 'remove', 'abandon', 'commit'),
      path: fc.array(segment, { minLength: 1, maxLength: 3 }),
      mark: fc.integer({ min: 1, max: 200 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.nat(), (steps, seed) => {
        const name = `set ${seed}`;
        catalog.entries.removeSet(name);
        let run = catalog.entries.beginRun(name);
        write(run, ['a', 'b'], 1);
        catalog.entries.commitRun(run, []);
        let committed = content(run);
        run = catalog.entries.beginRun(name);
        for (const { action, path, mark } of steps) {
          if (action === 'write') write(run, path, mark);
          else if (action === 'remove') remove(run, path);
          else {
            if (action === 'commit') {
              catalog.entries.commitRun(run, []);
              committed = content(run);
            }
            run = catalog.entries.beginRun(name);
          }
        }
        const now = content(run);
        const dirty = catalog.entries.dirty.list(run.setId, NO_LIMIT)!;
        const covers = (path: string): boolean =>
          dirty.some((other) => other.path === path || (other.removed && isWithin(path, other.path)));
        const differing = [...new Set([...committed.keys(), ...now.keys()])].filter(
          (path) => committed.get(path) !== now.get(path),
        );
        expect(differing.filter((path) => !covers(path))).toEqual([]);
        const gone = [...committed.keys()].filter((path) => !now.has(path));
        expect(gone.every((path) => dirty.some((other) => other.removed && isWithin(path, other.path)))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test('are empty before the first commit, after a commit and when nothing was written', () => {
    const run = catalog.entries.beginRun('set');
    write(run, ['a', 'b'], 1);
    remove(run, ['a']);
    expect(catalog.entries.dirty.list(run.setId, NO_LIMIT)).toEqual([]);
    catalog.entries.commitRun(run, []);
    const second = catalog.entries.beginRun('set');
    write(second, ['c'], 2);
    expect(catalog.entries.dirty.list(run.setId, NO_LIMIT)).toEqual([{ path: '/r/c', removed: false }]);
    catalog.entries.commitRun(second, []);
    catalog.entries.beginRun('set');
    expect(catalog.entries.dirty.list(run.setId, NO_LIMIT)).toEqual([]);
  });

  test('exclude other sets and are not listed above the limit', () => {
    for (const name of ['one', 'two']) {
      const run = catalog.entries.beginRun(name);
      write(run, ['a'], 1);
      catalog.entries.commitRun(run, []);
    }
    const run = catalog.entries.beginRun('two');
    for (const name of ['b', 'c', 'd']) write(run, [name], 2);
    expect(catalog.entries.dirty.list(run.setId, 2)).toBeUndefined();
    expect(catalog.entries.dirty.list(run.setId, 3)).toHaveLength(3);
    expect(catalog.entries.dirty.list(catalog.entries.findSet('one')!.setId, 3)).toEqual([]);
  });
});
