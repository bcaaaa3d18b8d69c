import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { FILE_BYTES, SourceHistory, writeHistory } from '../../../bench/data-sets/restore-point-history.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { Catalog } from '../../../src/catalog/catalog.ts';
import { createEnvelope } from '../../../src/format/crypto/key-envelope.ts';
import { newMasterKey } from '../../../src/format/crypto/keys.ts';
import { runRestore } from '../../../src/restore/restore.ts';
import { WorkerPool } from '../../../src/workers/pool.ts';
import { checkRepository } from '../../../src/repository/check/check-repository.ts';
import { createRepository, findRepository } from '../../../src/repository/create-repository.ts';
import { newWriterKey } from '../../../src/format/repository/writer-key.ts';
import { RepositoryClient } from '../../../src/repository/repository-client.ts';
import { Repository } from '../../../src/repository/repository.ts';
import { BlobReader } from '../../../src/repository/restore/blob-reader.ts';
import { backUpTo } from '../../helpers/backup.ts';
import { MemoryStorage } from '../../helpers/storage/memory-storage.ts';
import { compareTrees } from '../../helpers/tree/compare.ts';

const SET = 'documents';
const POINTS = 5;
const FILES = 1_500;
const CHANGES = 30;
const DAY = 86_400_000;

const pool = new WorkerPool(2);
const masterKey = newMasterKey();
let folder: string;
let source: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-history-')));
  source = join(folder, 'source');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
afterAll(() => pool.close());

async function opened(storage: MemoryStorage, name: string): Promise<Repository> {
  const { description } = (await findRepository(storage))!;
  const writerKey = newWriterKey();
  const device = { id: writerKey.id, name, os: 'Linux', agent: '0.1.0' };
  return new Repository({
    storage,
    description,
    masterKey,
    writerKey,
    device,
    folder: join(folder, name),
    clock: systemClock,
  });
}

/** The files of a repository, by their kinds, and its chunks. */
function shapeOf(storage: MemoryStorage, { projection }: Repository) {
  const folders = [...storage.files.keys()].map((name) => name.split('/')[0]!);
  const trees = projection.packs.digestsOf('tree').length;
  return {
    files: Object.fromEntries(
      [...new Set(folders)].map((name) => [name, folders.filter((other) => other === name).length]),
    ),
    trees,
    chunks: projection.packs.digestsOf('data').length,
    points: projection.points.all().map(({ files, bytes }) => ({ files, bytes })),
  };
}

function bytesOf({ files }: MemoryStorage): number {
  return files.values().reduce((sum, { bytes }) => sum + bytes.length, 0);
}

function writeFiles(history: SourceHistory, indexes: Iterable<number>, time: number): void {
  for (const index of indexes) {
    const file = history.file(index);
    const path = join(source, file.path);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, history.content(file), { mode: 0o644 });
    utimesSync(path, time / 1000, time / 1000);
  }
}

test('a history that is written without files is what backups of these files write', { timeout: 120_000 }, async () => {
  const start = Date.now() - POINTS * DAY;
  const written = new MemoryStorage();
  const options = { masterKey, seed: 7, points: POINTS, files: FILES, changes: CHANGES, root: source, set: SET };
  const { device } = await writeHistory(written, { ...options, start, interval: DAY });

  const real = new MemoryStorage();
  const keyEnvelope = await createEnvelope(masterKey);
  await createRepository(real, { masterKey, keyEnvelope, clock: systemClock });
  using repository = await opened(real, 'real');
  repository.projection.database.pragma('synchronous = OFF');
  const client = new RepositoryClient(repository);
  using catalog = new Catalog(join(folder, 'catalog.sqlite'));
  mkdirSync(join(folder, 'scratch'));
  const downloader = new BlobReader(repository);
  const shared = { pool, keys: repository.keys, clock: systemClock, scratch: join(folder, 'scratch') };
  const history = new SourceHistory({ seed: 7, files: FILES });
  const spec = { excludes: [], presets: [], oneFileSystem: false, privateNames: false, compression: 'off' } as const;
  for (let point = 0; point < POINTS; point += 1) {
    const changed = point === 0 ? Array.from({ length: FILES }, (_, index) => index) : history.change(CHANGES);
    writeFiles(history, changed, start + point * DAY - DAY / 2);
    const target = { service: client, uploader: client, downloader, catalog: catalog.at('real') };
    await backUpTo(
      { set: { name: SET, roots: [source], ...spec }, deviceId: repository.device.id, keyEnvelope },
      { ...shared, ...target, previousTree: () => Promise.resolve(undefined) },
    );
  }

  using reader = await opened(written, 'reader');
  await reader.refresh();
  await repository.refresh();
  expect(shapeOf(written, reader)).toEqual(shapeOf(real, repository));
  expect(reader.projection.points.all()[0]).toMatchObject({ files: FILES, bytes: FILES * FILE_BYTES });
  // Times of creation differ, and so does how well the trees are compressed.
  expect(bytesOf(written) / bytesOf(real)).toBeGreaterThan(0.9);
  expect(bytesOf(written) / bytesOf(real)).toBeLessThan(1.1);
  const check = { scratch: join(folder, 'check.sqlite'), percent: 100 };
  expect(await checkRepository(reader, check)).toMatchObject({ findingsTotal: 0, lossesTotal: 0 });

  const target = join(folder, 'target');
  const place = {
    service: new RepositoryClient(reader),
    downloader: new BlobReader(reader),
    catalog: catalog.at('written'),
  };
  const at = 'latest';
  const restored = await runRestore(
    { set: SET, at, source: { deviceId: device, backupSet: SET, at }, paths: [], to: target, sourceRoots: [] },
    { ...shared, ...place },
  );
  expect(restored).toMatchObject({ filesRestored: FILES, failures: [], warnings: [] });
  expect(await contentsDiffer(join(target, 'source'))).toEqual([]);
});

/** Compares names and contents: the times of folders are made up in the history. */
async function contentsDiffer(restored: string): Promise<readonly string[]> {
  const differences = await compareTrees(source, restored);
  return differences.filter((difference) => !/time/.test(JSON.stringify(difference)));
}
