import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { checkRoots } from '../../../../src/engine/backup/reading/check-roots.ts';
import { updateCatalog } from '../../../../src/engine/backup/reading/update-catalog.ts';
import { FilesInCopies } from '../../../../src/engine/backup/reading/volume-copies.ts';
import type { BackupPool } from '../../../../src/engine/backup/tasks.ts';
import { Catalog } from '../../../../src/engine/catalog/catalog.ts';
import { FILE, type SetRun } from '../../../../src/engine/catalog/entries/entries.ts';
import { traverse } from '../../../../src/engine/catalog/entries/traverse.ts';
import { WorkerPool } from '../../../../src/engine/workers/pool.ts';

let folder: string;
let catalog: Catalog;
let pool: WorkerPool;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-databases-'));
  for (const name of ['source', 'scratch']) mkdirSync(join(folder, name));
  catalog = new Catalog(join(folder, 'catalog.sqlite'));
  pool = new WorkerPool();
});
afterEach(async () => {
  await pool[Symbol.asyncDispose]();
  catalog[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

/** A database of SQLite as far as its beginning says so. */
const database = (text: string): Buffer => Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(1008, text)]);
const write = (name: string, content: string | Buffer): void => writeFileSync(join(folder, 'source', name), content);

async function run(fails: boolean | 'log' = false) {
  const set = {
    name: 's',
    roots: [join(folder, 'source')],
    excludes: [],
    presets: [],
    oneFileSystem: false,
    privateNames: false,
  };
  const request = { set, keyEnvelope: new Uint8Array() };
  const setRun: SetRun = catalog.entries.beginRun('s');
  const noCopies = {
    run: async (name: string, input: never) => {
      if (name !== 'copyDatabase') return await pool.run(name as 'chunkFiles', input);
      if (fails === true) return { members: [] };
      const made = await pool.run('copyDatabase', input);
      rmSync(`${(input as { readonly copy: string }).copy}-wal`);
      return made;
    },
    runSmall: (name: string, input: never) => pool.runSmall(name as 'sealChunks', input),
    capacity: pool.capacity,
  } as unknown as BackupPool;
  await using copies = new FilesInCopies(undefined);
  const update = await updateCatalog({
    request,
    roots: checkRoots(request, catalog),
    entries: catalog.entries,
    run: setRun,
    rootsDirectory: setRun.rootsDirectory,
    pool: fails === false ? pool : noCopies,
    observer: { onScanned: () => undefined, onRead: () => undefined },
    signal: undefined,
    copies,
    scratch: join(folder, 'scratch'),
  });
  catalog.entries.flush();
  const stored: Record<string, string> = {};
  for (const files of traverse(catalog.entries, setRun.rootsDirectory))
    for (const { entry } of files) if (entry.kind === FILE) stored[entry.name] = entry.chunks!.toString('hex');
  return { stored, files: update.counts.files, warnings: update.warnings };
}

describe('a database with its log', () => {
  test('keeps its previous version as a whole if no copy of one moment can be made', async () => {
    write('app.db', database('old'));
    write('app.db-wal', 'log of the old one');
    write('app.db-shm', 'shared');
    const before = await run();
    expect(Object.keys(before.stored).sort()).toEqual(['app.db', 'app.db-wal']);
    write('app.db', database('new'));
    rmSync(join(folder, 'source/app.db-wal'));
    write('app.db-journal', 'begun');
    const failed = await run(true);
    expect(failed.stored).toEqual(before.stored);
    expect(failed.files).toBeGreaterThanOrEqual(2);
    expect(failed.warnings).toEqual([{ path: join(folder, 'source/app.db'), reason: 'database-changing' }]);
    // And again: a run that failed changes nothing.
    expect((await run(true)).stored).toEqual(before.stored);
    const after = await run();
    expect(Object.keys(after.stored).sort()).toEqual(['app.db', 'app.db-journal']);
    expect(after.stored['app.db']).not.toBe(before.stored['app.db']);
    expect(after.warnings).toEqual([]);
  });

  test('is read again if only its log has changed, and is gone with it', async () => {
    write('app.db', database('one'));
    const first = await run();
    write('app.db-wal', 'a log');
    const second = await run();
    expect(second.stored).toMatchObject(first.stored);
    expect(Object.keys(second.stored)).toHaveLength(2);
    for (const name of ['app.db', 'app.db-wal']) rmSync(join(folder, 'source', name));
    write('letter-wal', 'of a person');
    expect(Object.keys((await run()).stored)).toEqual(['letter-wal']);
    rmSync(join(folder, 'source/letter-wal'));
    write('x', 'x');
    expect(Object.keys((await run()).stored)).toEqual(['x']);
  });

  test('keeps its previous version as a whole if the run ends between its parts', async () => {
    write('app.db', database('old'));
    write('app.db-wal', 'log of the old one');
    const before = await run();
    // Larger than what is read at once, so that the log is stored by another task.
    write('app.db', Buffer.concat([database('new'), Buffer.alloc(5 * 2 ** 20, 'new')]));
    write('app.db-wal', 'log of the new one');
    const put = vi.spyOn(catalog.entries, 'put');
    const flush = vi.spyOn(catalog.entries, 'flush');
    const after = await run();
    const order = (spy: { readonly mock: { readonly invocationCallOrder: readonly number[] } }) =>
      spy.mock.invocationCallOrder;
    const parts = put.mock.calls.flatMap(([, { name }], index) =>
      name.startsWith('app.db') ? [order(put)[index]!] : [],
    );
    expect(parts).toHaveLength(2);
    // Whatever was stored before is committed, and nothing in between.
    expect(order(flush).some((call) => call < parts[0]! && call > parts[0]! - 2)).toBe(true);
    expect(order(flush).some((call) => call > parts[0]! && call < parts[1]!)).toBe(false);
    expect(after.stored['app.db']).not.toBe(before.stored['app.db']);
    expect(after.stored['app.db-wal']).not.toBe(before.stored['app.db-wal']);

    // One part that cannot be read, since its copy is gone, keeps all.
    write('app.db', database('third'));
    write('app.db-wal', 'log of the third');
    const last = await run('log');
    expect(last.stored).toEqual(after.stored);
    expect(last.warnings.length).toBeGreaterThan(0);
  });

  test('without a previous version is stored as it can be read, with a warning', async () => {
    write('app.db', database('one'));
    const { stored, warnings } = await run(true);
    expect(Object.keys(stored)).toEqual(['app.db']);
    expect(warnings).toMatchObject([{ reason: 'database-changing' }]);
  });
});
