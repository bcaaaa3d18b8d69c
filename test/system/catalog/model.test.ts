import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Catalog } from '../../../src/catalog/catalog.ts';
import type { SetRun } from '../../../src/catalog/entries/entries.ts';
import { DIRECTORY, FILE, type CatalogEntry, type EntryKind } from '../../../src/catalog/entries/entry.ts';
import { STAT_RECORD_BYTES } from '../../../src/os/filesystem/stat-record.ts';
import { commitAll, DESTINATION } from '../../helpers/catalog.ts';
import { orThorough } from '../../helpers/thorough.ts';

/** An entry of the model. A mark in their stat and chunk list distinguishes files. */
interface ModelEntry {
  readonly kind: EntryKind;
  readonly mark: number;
  readonly chunks: number | null;
  readonly detail: string | null;
  readonly revision: number;
  readonly kept: { readonly mark: number; readonly chunks: number } | undefined;
  readonly inside: ModelFolder | undefined;
}

type ModelFolder = Map<string, ModelEntry>;

function copyOf(folder: ModelFolder): ModelFolder {
  return new Map(
    [...folder].map(([name, entry]) => [name, { ...entry, inside: entry.inside && copyOf(entry.inside) }]),
  );
}

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

const NAMES = ['', '-', 'é', '\uFFFD', '😀', '\u0001', 'x'.repeat(200)]
  .flatMap((end) => Array.from({ length: 60 }, (_, index) => `${String(index * 7 + 100)}${end}`))
  .sort(byBytes);
const LONG_LIST = 36 * 100;

const chunksOf = (mark: number | null): Buffer | null =>
  mark === null ? null : Buffer.alloc(mark === 0 ? 0 : mark % 50 === 0 ? LONG_LIST : 36, mark);

/** The catalog under test and the model, which get the same changes. */
class Pair {
  catalog: Catalog;
  run: SetRun;
  readonly #home: string;
  #file: string;
  #copies = 0;
  #revision = 1;
  #committed = 0;
  #model: ModelFolder = new Map();
  #flushed: ModelFolder = new Map();

  constructor(home: string) {
    this.#home = home;
    this.#file = join(home, '0.sqlite');
    this.catalog = new Catalog(this.#file);
    this.run = this.catalog.entries.beginRun('set');
  }

  /** Returns the folder at some names in both. */
  #walk(names: readonly string[]): { directory: number; folder: ModelFolder } {
    let directory = this.run.rootsDirectory;
    let folder = this.#model;
    for (const name of names) {
      const { inside } = folder.get(name) ?? {};
      if (!inside) break;
      directory = this.catalog.entries.find(directory, name)!.child!;
      folder = inside;
    }
    return { directory, folder };
  }

  put(path: readonly string[], name: string, mark: number, isFolder: boolean): void {
    const { directory, folder } = this.#walk(path);
    const before = folder.get(name);
    const kind = isFolder ? DIRECTORY : FILE;
    if (before && before.kind !== kind) this.remove(path, name);
    const known = before?.kind === kind ? before : undefined;
    const { entries } = this.catalog;
    const inside = isFolder ? (known?.inside ?? new Map<string, ModelEntry>()) : undefined;
    const child = isFolder ? (entries.find(directory, name)?.child ?? entries.newDirectory(this.run)) : null;
    const chunks = isFolder || mark === 1 ? null : mark;
    const detail = mark % 3 === 0 ? `detail ${mark}` : null;
    const entry: CatalogEntry = {
      name,
      kind,
      child,
      detail,
      place: mark,
      stat: Buffer.alloc(STAT_RECORD_BYTES, mark),
      chunks: chunksOf(chunks),
    };
    entries.put(directory, entry, this.run);
    const isCommitted = known !== undefined && known.revision <= this.#committed;
    const keptNow = isCommitted && known.chunks !== null ? { mark: known.mark, chunks: known.chunks } : undefined;
    const kept = isCommitted ? keptNow : known?.kept;
    folder.set(name, { kind, mark, chunks, detail, revision: this.#revision, kept, inside });
  }

  remove(path: readonly string[], name: string): void {
    const { directory, folder } = this.#walk(path);
    const known = this.catalog.entries.find(directory, name);
    expect(known !== undefined).toBe(folder.has(name));
    if (known) this.catalog.entries.remove(directory, name, known.child);
    folder.delete(name);
  }

  /** Checks which version of a file is known of the newest restore point, and takes the file back to it. */
  revert(path: readonly string[], name: string): void {
    const { directory, folder } = this.#walk(path);
    const entry = folder.get(name);
    if (entry?.kind === DIRECTORY) return;
    const isCommitted = entry !== undefined && entry.revision <= this.#committed;
    const wanted = isCommitted ? { mark: entry.mark, chunks: entry.chunks } : entry?.kept;
    const version = this.catalog.entries.versionIn(directory, name, this.#committed);
    expect(version && { mark: version.stat[0], chunks: version.chunks }).toEqual(
      wanted && { mark: wanted.mark, chunks: chunksOf(wanted.chunks) },
    );
    if (wanted) this.put(path, name, wanted.mark, false);
    else this.remove(path, name);
  }

  flush(): void {
    this.catalog.entries.flush();
    this.#flushed = copyOf(this.#model);
  }

  begin(commit: boolean): void {
    if (commit) {
      this.#committed = commitAll(this.catalog, this.run);
      expect(this.#committed).toBe(this.#revision);
      this.#revision += 1;
    }
    this.run = this.catalog.entries.beginRun('set');
    this.#flushed = copyOf(this.#model);
  }

  /** Continues with the file as another process finds it after this one was killed. */
  kill(): void {
    this.#copies += 1;
    const copy = join(this.#home, `${this.#copies}.sqlite`);
    for (const end of ['', '-wal']) if (existsSync(this.#file + end)) copyFileSync(this.#file + end, copy + end);
    this.catalog.close();
    this.#file = copy;
    this.catalog = new Catalog(copy);
    expect(this.catalog.at(DESTINATION).trees.find(this.run.setId)?.revision ?? 0).toBe(this.#committed);
    this.#model = copyOf(this.#flushed);
    this.begin(false);
  }

  /** Checks after a flush that the file has no unreachable folder. */
  checkStored(): void {
    const stored = new Database(this.#file, { readonly: true });
    const { directories } = stored.prepare('SELECT count(*) AS directories FROM directory').get() as {
      directories: number;
    };
    stored.close();
    const count = (folder: ModelFolder): number =>
      [...folder.values()].reduce((sum, { inside }) => sum + (inside ? count(inside) : 0), 1);
    expect(directories).toBe(count(this.#model));
  }

  check(after: string, limit: number): void {
    this.#checkFolder(this.run.rootsDirectory, this.#model, after, limit);
  }

  #checkFolder(directory: number, folder: ModelFolder, after: string, limit: number): void {
    const { entries } = this.catalog;
    const names = [...folder.keys()].sort(byBytes);
    const listed = entries.children(directory);
    expect(listed.map((entry) => entry.name)).toEqual(names);
    const page = entries.page(directory, after, limit).map((entry) => entry.name);
    expect(page).toEqual(names.filter((name) => byBytes(name, after) > 0).slice(0, limit));
    expect(entries.find(directory, after)?.name).toBe(folder.has(after) ? after : undefined);
    for (const { name } of listed) {
      const entry = entries.find(directory, name)!;
      const wanted = folder.get(name)!;
      expect(plain(entry)).toEqual({ kind: wanted.kind, mark: wanted.mark, detail: wanted.detail });
      expect(entry.chunks).toEqual(chunksOf(wanted.chunks));
      if (wanted.inside) this.#checkFolder(entry.child!, wanted.inside, after, limit);
      else expect(entry.child).toBeNull();
    }
  }
}

function plain({ kind, stat, detail }: CatalogEntry): unknown {
  expect(stat).toEqual(Buffer.alloc(STAT_RECORD_BYTES, stat[0]));
  return { kind, mark: stat[0], detail };
}

test(
  'the catalog behaves like a plain tree with kept versions whatever is written, reverted or killed',
  { timeout: 120_000 },
  () => {
    const name = fc.oneof(fc.constantFrom(...NAMES), fc.constantFrom(...NAMES.slice(0, 4)));
    const path = fc.array(fc.constantFrom('/r', 'a', 'b'), { maxLength: 2 });
    const mark = fc.oneof(fc.integer({ min: 1, max: 250 }), fc.constantFrom(0, 1, 50));
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ kind: fc.constant('put' as const), path, name, mark }) },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constant('folder' as const),
          path,
          name: fc.constantFrom('/r', 'a', 'b'),
          mark,
        }),
      },
      {
        weight: 3,
        arbitrary: fc.record({ kind: fc.constant('fill' as const), path, from: fc.nat(400), count: fc.nat(100), mark }),
      },
      {
        weight: 4,
        arbitrary: fc.record({
          kind: fc.constantFrom('clear' as const, 'take back' as const, 'take back' as const),
          path,
          from: fc.nat(400),
          count: fc.nat(100),
        }),
      },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constantFrom('remove' as const, 'revert' as const),
          path,
          name: fc.oneof(name, fc.constantFrom('/r', 'a', 'b')),
        }),
      },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constantFrom(
            'flush' as const,
            'commit' as const,
            'commit' as const,
            'abandon' as const,
            'kill' as const,
          ),
        }),
      },
    );
    const home = mkdtempSync(join(tmpdir(), 'holdfast-model-'));
    let folders = 0;
    try {
      fc.assert(
        fc.property(
          // Below the writes and bytes after which the catalog flushes by itself.
          fc.array(step, { maxLength: 40, size: 'max' }),
          name,
          fc.integer({ min: 1, max: 150 }),
          (steps, after, limit) => {
            folders += 1;
            const folder = mkdtempSync(join(home, `${folders}-`));
            const pair = new Pair(folder);
            try {
              for (const change of steps) apply(pair, change);
              pair.check(after, limit);
              pair.flush();
              pair.check(after, limit);
              pair.checkStored();
              pair.kill();
              pair.check(after, limit);
            } finally {
              pair.catalog.close();
              rmSync(folder, { recursive: true });
            }
          },
        ),
        { numRuns: orThorough(25, 60) },
      );
    } finally {
      rmSync(home, { recursive: true });
    }
  },
);

type Step =
  | { readonly kind: 'put' | 'folder'; readonly path: readonly string[]; readonly name: string; readonly mark: number }
  | {
      readonly kind: 'fill';
      readonly path: readonly string[];
      readonly from: number;
      readonly count: number;
      readonly mark: number;
    }
  | {
      readonly kind: 'clear' | 'take back';
      readonly path: readonly string[];
      readonly from: number;
      readonly count: number;
    }
  | { readonly kind: 'remove' | 'revert'; readonly path: readonly string[]; readonly name: string }
  | { readonly kind: 'flush' | 'commit' | 'abandon' | 'kill' };

function apply(pair: Pair, step: Step): void {
  switch (step.kind) {
    case 'put':
    case 'folder':
      return pair.put(step.path, step.name, step.mark, step.kind === 'folder');
    case 'fill':
      // In any order, since workers finish in any order.
      for (let index = 0; index < step.count; index += 1) {
        pair.put(step.path, NAMES[(step.from + index * 11) % NAMES.length]!, step.mark, false);
      }
      return;
    case 'clear':
      for (const name of NAMES.slice(step.from, step.from + step.count)) pair.remove(step.path, name);
      return;
    case 'take back':
      for (const name of NAMES.slice(step.from, step.from + step.count)) pair.revert(step.path, name);
      return;
    case 'remove':
      return pair.remove(step.path, step.name);
    case 'revert':
      return pair.revert(step.path, step.name);
    case 'flush':
      return pair.flush();
    case 'kill':
      return pair.kill();
    default:
      return pair.begin(step.kind === 'commit');
  }
}
