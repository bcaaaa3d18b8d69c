import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { checkRoots } from '../../../../../src/archive/backup/reading/check-roots.ts';
import { rereadChangedFiles } from '../../../../../src/archive/backup/reading/reread-changed-files.ts';
import { updateCatalog } from '../../../../../src/archive/backup/reading/update-catalog.ts';
import { FilesInCopies } from '../../../../../src/archive/backup/reading/volume-copies.ts';
import type { BackupPool } from '../../../../../src/archive/backup/tasks.ts';
import { Catalog } from '../../../../../src/catalog/catalog.ts';
import type { SetRun } from '../../../../../src/catalog/entries/entries.ts';
import { FILE } from '../../../../../src/catalog/entries/entry.ts';
import { traverse } from '../../../../../src/catalog/entries/traverse.ts';
import { WorkerPool } from '../../../../../src/workers/pool.ts';

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

async function run(fails: boolean | 'log' | 'too-large' = false, beforeReading = (): void => undefined) {
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
      if (name !== 'copyDatabase') {
        beforeReading();
        return await pool.run(name as 'chunkFiles', input);
      }
      if (fails === true) return { members: [] };
      if (fails === 'too-large') return { members: [], isTooLarge: true };
      const made = await pool.run('copyDatabase', input);
      rmSync(`${(input as { readonly copy: string }).copy}-wal`);
      return made;
    },
    runSmall: (name: string, input: never) => pool.runSmall(name as 'sealChunks', input),
    capacity: pool.capacity,
  } as unknown as BackupPool;
  await using copies = new FilesInCopies(undefined);
  const roots = checkRoots(request, catalog);
  const update = await updateCatalog({
    request,
    roots,
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
  const directory = catalog.entries.find(setRun.rootsDirectory, join(folder, 'source'))!.child!;
  const { counts, warnings } = update;
  return { stored: storedIn(setRun), files: counts.files, warnings, setRun, directory, places: roots.places };
}

function storedIn({ rootsDirectory }: SetRun): Record<string, string> {
  const stored: Record<string, string> = {};
  for (const files of traverse(catalog.entries, rootsDirectory))
    for (const { entry } of files) if (entry.kind === FILE) stored[entry.name] = entry.chunks!.toString('hex');
  return stored;
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

  test('is read where it is if it rests and there is no room for a copy, and only then', async () => {
    const path = join(folder, 'source/app.db');
    const tooLarge = [{ path, reason: 'database-too-large' }];
    write('app.db', database('old'));
    write('app.db-wal', 'log of the old one');
    const before = await run();
    write('app.db', database('new'));
    // A log is in use.
    const inUse = await run('too-large');
    expect(inUse).toMatchObject({ stored: before.stored, warnings: tooLarge });
    rmSync(`${path}-wal`);
    await restsFor(path);
    // A program begins to write before it is read.
    const begun = await run('too-large', () => writeFileSync(path, database('begun')));
    expect(begun).toMatchObject({ stored: before.stored, warnings: tooLarge });
    await restsFor(path);
    const rested = await run('too-large');
    expect(rested.warnings).toEqual([]);
    expect(Object.keys(rested.stored)).toEqual(['app.db']);
    expect(rested.stored['app.db']).not.toBe(before.stored['app.db']);
  });

  test('is read again as a whole if a part has changed before its upload', async () => {
    write('app.db', database('old'));
    write('app.db-wal', 'log of the old one');
    const before = await run();
    const { directory, places } = before;
    const path = join(folder, 'source/app.db');
    // The log was moved into the database since the scan.
    rmSync(`${path}-wal`);
    write('app.db', database('new'));
    await using copies = new FilesInCopies(undefined);
    const warnings: unknown[] = [];
    await rereadChangedFiles([{ directory, name: 'app.db-wal', path: `${path}-wal`, chunks: Buffer.alloc(0) }], {
      catalogRun: { entries: catalog.entries, run: before.setRun },
      pool,
      observer: { onRead: () => undefined, onWarning: (warning) => void warnings.push(warning) },
      signal: undefined,
      missing: [],
      skipsOnline: true,
      copies,
      scratch: join(folder, 'scratch'),
      places,
    });
    const after = storedIn(before.setRun);
    expect(warnings).toEqual([]);
    expect(Object.keys(after)).toEqual(['app.db']);
    expect(after['app.db']).not.toBe(before.stored['app.db']);
  });
});

describe('a folder of LevelDB', () => {
  const list = 'MANIFEST-000002';
  const fill = (text: string, more: readonly string[]): void => {
    for (const name of ['CURRENT', ...more]) write(name, name === 'CURRENT' ? `${list}\n` : `${text} ${name}`);
  };

  test('keeps its previous version as a whole if no copy of one moment can be made', async () => {
    fill('old', [list, '000003.log', '000004.ldb', 'LOG', 'LOCK']);
    const before = await run();
    expect(before).toMatchObject({ warnings: [], files: 6 });
    expect(Object.keys(before.stored)).toHaveLength(6);
    fill('new', [list, '000005.log', '000006.ldb']);
    for (const name of ['000003.log', '000004.ldb']) rmSync(join(folder, 'source', name));
    for (let number = 0; number < 2; number += 1) {
      const failed = await run(true);
      expect(failed.stored).toEqual(before.stored);
      expect(failed.warnings).toEqual([{ path: join(folder, 'source'), reason: 'database-changing' }]);
    }
    const after = await run();
    expect(after).toMatchObject({ warnings: [], files: 6 });
    const names = ['000005.log', '000006.ldb', 'CURRENT', 'LOCK', 'LOG', list];
    expect(Object.keys(after.stored).sort()).toEqual(names);
    expect(after.stored[list]).not.toBe(before.stored[list]);
  });

  test('is a folder of files again when it is no database any more', async () => {
    fill('old', [list, '000003.log']);
    await run();
    write('CURRENT', 'a letter');
    rmSync(join(folder, 'source', list));
    const after = await run();
    expect(after.warnings).toEqual([]);
    expect(Object.keys(after.stored).sort()).toEqual(['000003.log', 'CURRENT']);
  });
});

/** Waits until a further change would alter the times of a file. */
async function restsFor(path: string): Promise<void> {
  const { ctimeMs } = statSync(path);
  await vi.waitFor(() => expect(Date.now() - ctimeMs).toBeGreaterThan(40), { interval: 5 });
}
