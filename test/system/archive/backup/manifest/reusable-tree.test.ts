import { hash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { spoolTree, type TreeSpool } from '../../../../../src/archive/backup/manifest/tree-spool.ts';
import { Catalog } from '../../../../../src/catalog/catalog.ts';
import type { SetRun } from '../../../../../src/catalog/entries/entries.ts';
import { DIRECTORY, FILE } from '../../../../../src/catalog/entries/entry.ts';
import { STAT_RECORD_BYTES } from '../../../../../src/os/filesystem/stat-record.ts';
import { traverse, traverseFrom } from '../../../../../src/catalog/entries/traverse.ts';
import { CHUNK_RECORD_BYTES, hexDigestAt, writeChunkRecord } from '../../../../../src/format/chunks/chunk-list.ts';
import { readFooter } from '../../../../../src/format/tree/footer.ts';
import { TreeReader } from '../../../../../src/format/tree/tree-reader.ts';
import { comparePaths } from '../../../../../src/model/entry-path.ts';
import { commitAll, DESTINATION } from '../../../../helpers/catalog.ts';
import { epochKeys } from '../../../../helpers/epoch-keys.ts';

const TREE_KEYS = epochKeys(Buffer.alloc(32, 8));
const NO_LIMIT = 1_000_000;

let folder: string;
let catalog: Catalog;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-reuse-'));
  catalog = new Catalog(join(folder, 'catalog.sqlite'));
});
afterEach(() => {
  catalog.close();
  rmSync(folder, { recursive: true, force: true });
});

function put(run: SetRun, directory: number, name: string, mark: number, child: number | null = null): void {
  const stat = Buffer.alloc(STAT_RECORD_BYTES);
  stat.writeBigInt64LE(BigInt(mark), 0);
  const kind = child === null ? FILE : DIRECTORY;
  const chunks = child === null ? Buffer.alloc(CHUNK_RECORD_BYTES) : null;
  if (chunks) writeChunkRecord(chunks, 0, Buffer.alloc(32, mark), mark);
  catalog.entries.put(directory, { name, kind, stat, child, detail: null, place: 0, chunks }, run);
}

function makeFolder(run: SetRun, directory: number, name: string): number {
  const child = catalog.entries.newDirectory(run);
  put(run, directory, name, 0, child);
  return child;
}

/** Chunks at the service and on this computer, by digest. */
type Store = Map<string, Buffer>;

async function spool(run: SetRun, reuses: boolean, store: Store): Promise<TreeSpool> {
  const file = join(folder, 'tree');
  const { trees } = catalog.at(DESTINATION);
  const pieces = trees.pieces(run.setId);
  const result = await spoolTree({
    file,
    entries: catalog.entries,
    run,
    treeSubKeys: TREE_KEYS,
    keyEnvelope: Buffer.from('envelope'),
    footer: {
      created: 0,
      roots: ['/r'],
      warnings: [],
      deviceId: 'device',
      backupSet: 'set',
      privateNames: false,
      sequence: 1,
      previousTree: undefined,
    },
    damaged: undefined,
    reuse: reuses ? { pieces, dirty: trees.dirty(run.setId, NO_LIMIT)! } : undefined,
    pause: () => Promise.resolve(),
  });
  const bytes = readFileSync(file);
  for (const { digest, offset, size } of result.sources) {
    store.set(digest.toString('hex'), bytes.subarray(offset, offset + size));
  }
  result.remove();
  return result;
}

/** Reads the tree as a restore does, from the chunk list of its entry. */
function read({ reserved }: TreeSpool, store: Store) {
  const { chunks } = reserved[0]!;
  const plaintexts: Buffer[] = [];
  for (let index = 0; index < chunks.length / CHUNK_RECORD_BYTES; index += 1) {
    const plaintext = store.get(hexDigestAt(chunks, index))!;
    expect(hash('sha256', plaintext, 'hex')).toBe(hexDigestAt(chunks, index));
    plaintexts.push(plaintext);
  }
  const footer = readFooter(plaintexts.at(-1)!, TREE_KEYS);
  expect(footer.pieces).toHaveLength(plaintexts.length - 1);
  const reader = new TreeReader(footer);
  const records = footer.pieces.flatMap((_, index) => reader.read(index, [plaintexts[index]!]).records);
  return { records, footer };
}

/** Folders of files with long names, of which a few hundred fill a piece. */
const FOLDERS = 10;
const FILES = 150;
const nameOf = (index: number): string => `${'x'.repeat(200)} ${String(index).padStart(4, '0')}`;

function makeTree(run: SetRun): number[] {
  const root = makeFolder(run, run.rootsDirectory, '/r');
  return Array.from({ length: FOLDERS }, (_, number) => {
    const directory = makeFolder(run, root, nameOf(number));
    for (let file = 0; file < FILES; file += 1) put(run, directory, nameOf(file * 2), number + 1);
    return directory;
  });
}

describe('a tree with reused pieces', () => {
  const edit = fc.record({
    action: fc.constantFrom('put', 'put', 'remove', 'drop'),
    folder: fc.nat({ max: FOLDERS + 1 }),
    file: fc.nat({ max: FILES * 2 }),
  });

  test('equals a tree that is made in full', async () => {
    let number = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(edit, { maxLength: 4 }), { minLength: 1, maxLength: 3 }), async (runs) => {
        const store: Store = new Map();
        number += 1;
        let run = catalog.entries.beginRun(`set ${number}`);
        makeTree(run);
        const { pieces } = await spool(run, false, store);
        commitAll(catalog, run, { pieces });
        for (const edits of runs) {
          run = catalog.entries.beginRun(`set ${number}`);
          const root = catalog.entries.find(run.rootsDirectory, '/r')!.child!;
          for (const { action, folder: at, file } of edits) {
            const known = catalog.entries.find(root, nameOf(at));
            const directory = known?.child ?? makeFolder(run, root, nameOf(at));
            if (action === 'drop') catalog.entries.remove(root, nameOf(at), directory);
            else if (action === 'put') put(run, directory, nameOf(file), 200);
            else catalog.entries.remove(directory, nameOf(file), null);
          }
          const reused = await spool(run, true, store);
          const made = await spool(run, false, store);
          const { records, footer } = read(reused, store);
          const expected = read(made, store);
          expect(records).toEqual(expected.records);
          const facts = ({ records: count, files, bytes }: { records: number; files: number; bytes: number }) => ({
            count,
            files,
            bytes,
          });
          const sum = (tree: TreeSpool) =>
            tree.pieces.reduce(
              (total, piece) => ({
                records: total.records + piece.records,
                files: total.files + piece.files,
                bytes: total.bytes + piece.bytes,
              }),
              { records: 0, files: 0, bytes: 0 },
            );
          expect(facts(sum(reused))).toEqual(facts(sum(made)));
          expect([reused.files, reused.bytes]).toEqual([made.files, made.bytes]);
          expect(footer.pieces).toEqual(expected.footer.pieces);
          commitAll(catalog, run, { pieces: reused.pieces });
        }
      }),
      { numRuns: 10 },
    );
  });

  test('writes only the footer without changes, and one piece for one change', async () => {
    const store: Store = new Map();
    let run = catalog.entries.beginRun('set');
    const folders = makeTree(run);
    const first = await spool(run, false, store);
    expect(first.pieces.length).toBeGreaterThan(2);
    commitAll(catalog, run, { pieces: first.pieces });
    run = catalog.entries.beginRun('set');
    const same = await spool(run, true, store);
    // Footer and envelope.
    expect(same.sources).toHaveLength(2);
    expect(same.reused).toHaveLength(first.pieces.length);
    put(run, folders[5]!, nameOf(10), 9);
    const changed = await spool(run, true, store);
    expect(changed.sources).toHaveLength(3);
    const last = changed.sources.at(-2)!.digest.toString('hex');
    const { pieces } = readFooter(store.get(last)!, TREE_KEYS);
    expect(pieces.reduce((sum, { records }) => sum + records, 0)).toBe(1 + FOLDERS * (FILES + 1));
  });
});

describe('a traversal from a path', () => {
  test('equals the rest of a full traversal', () => {
    const segment = fc.constantFrom('a', 'b', 'a.b', 'a-b', 'é', '\u0001', 'z');
    const path = fc.array(segment, { minLength: 1, maxLength: 4 });
    let number = 0;
    fc.assert(
      fc.property(
        fc.array(path, { maxLength: 25 }),
        fc.array(path, { minLength: 1, maxLength: 5 }),
        (paths, starts) => {
          number += 1;
          const run = catalog.entries.beginRun(`set ${number}`);
          for (const [first, ...rest] of paths) {
            let directory = run.rootsDirectory;
            for (const [index, name] of [`/${first!}`, ...rest].entries()) {
              const known = catalog.entries.find(directory, name);
              if (known) {
                if (known.child === null) break;
                directory = known.child;
              } else if (index === rest.length && index % 2 === 0) put(run, directory, name, 1);
              else directory = makeFolder(run, directory, name);
            }
          }
          const all = [...traverse(catalog.entries, run.rootsDirectory)].flat().map((item) => item.path);
          for (const start of starts) {
            const from = `/${start.join('/')}`;
            const listed = [...traverseFrom(catalog.entries, run.rootsDirectory, from)].flat().map((item) => item.path);
            expect(listed).toEqual(all.filter((other) => comparePaths(other, from) >= 0));
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});
