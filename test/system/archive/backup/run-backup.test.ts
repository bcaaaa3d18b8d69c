import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BackupReport, BackupRequest } from '../../../../src/archive/backup/types.ts';
import { Catalog } from '../../../../src/catalog/catalog.ts';
import type { SetRun } from '../../../../src/catalog/entries/entries.ts';
import { FILE } from '../../../../src/catalog/entries/entry.ts';
import { createEnvelope } from '../../../../src/format/crypto/key-envelope.ts';
import { deriveKeys } from '../../../../src/format/crypto/keys.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { isHoldfastError } from '../../../../src/base/errors/errors.ts';
import type { BackupProgress, RunOptions } from '../../../../src/jobs/progress.ts';
import type { BlobUploader, ServiceClient } from '../../../../src/remote/ports.ts';
import { WorkerPool } from '../../../../src/workers/pool.ts';
import type { BackupFileEntry } from '../../../../src/protocol/backup.ts';
import type { Capability } from '../../../../src/protocol/extensions.ts';
import type { StrictService } from '../../../helpers/strict-service/strict-service.ts';
import { deviceOf, strictService } from '../../../unit/remote/connections.ts';
import { DESTINATION } from '../../../helpers/catalog.ts';
import { backUpTo, type OneTarget, type OneTargetRequest } from '../../../helpers/backup.ts';
import { seededBytes } from '../../../helpers/seeded-bytes.ts';

const MASTER = Buffer.alloc(32, 7);
const ENVELOPE = await createEnvelope(MASTER);

let folder: string;
let source: string;
let pool: WorkerPool;
let catalog: Catalog;
let strict: StrictService;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-backup-'));
  source = join(folder, 'source');
  mkdirSync(source);
  mkdirSync(join(folder, 'scratch'));
  pool = new WorkerPool(2);
  catalog = new Catalog(join(folder, 'catalog.sqlite'));
  strict = await strictService();
});

afterEach(async () => {
  catalog.close();
  await pool.close();
  expect(readdirSync(join(folder, 'scratch'))).toEqual([]);
  rmSync(folder, { recursive: true, force: true });
});

/** Writes a file with an old time, so that its stat is reliable. */
function write(name: string, content: string | Buffer): string {
  const path = join(source, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, content);
  utimesSync(path, 1000, 1000);
  return path;
}

/** The next run reads files again that were written within the last tick of the file system's clock. */
async function untilTimesAreReliable(path: string): Promise<void> {
  while (Date.now() - statSync(path).ctimeMs < 50) await nextTick();
}

interface Changes extends Partial<Omit<OneTargetRequest, 'set'>> {
  readonly set?: Partial<BackupRequest['set']>;
  readonly service?: (plain: ServiceClient) => ServiceClient;
  readonly uploader?: (plain: BlobUploader) => BlobUploader;
  readonly previousTree?: OneTarget['previousTree'];
  readonly run?: RunOptions<BackupProgress>;
}

async function backup({ set, service, uploader, previousTree, run, ...request }: Changes = {}): Promise<BackupReport> {
  const connection = deviceOf(strict);
  const dependencies: OneTarget = {
    service: service ? service(connection.service) : connection.service,
    uploader: uploader ? uploader(connection.uploader) : connection.uploader,
    catalog: catalog.at(DESTINATION),
    pool,
    keys: deriveKeys(MASTER),
    clock: systemClock,
    previousTree: previousTree ?? (() => Promise.resolve(undefined)),
    scratch: join(folder, 'scratch'),
  };
  const spec = {
    name: 'documents',
    roots: [source],
    excludes: [],
    presets: [],
    oneFileSystem: false,
    privateNames: false,
    ...set,
  };
  return await backUpTo(
    { set: spec, deviceId: strict.device.id, keyEnvelope: ENVELOPE, ...request },
    dependencies,
    run,
  );
}

/** A service that runs a callback in init, between scan and upload. */
function beforeInit(action: (call: number) => void, seen: BackupFileEntry[][] = []) {
  let call = 0;
  return (plain: ServiceClient): ServiceClient =>
    new Proxy(plain, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return name === 'backupInit' ? init(target) : (value as () => unknown).bind(target);
      },
    });
  function init(plain: ServiceClient): ServiceClient['backupInit'] {
    return (request, ...rest) => {
      call += 1;
      action(call);
      const manifest: BackupFileEntry[] = [];
      seen.push(manifest);
      async function* files(): AsyncGenerator<readonly BackupFileEntry[]> {
        for await (const batch of request.files()) {
          manifest.push(...batch);
          yield batch;
        }
      }
      return plain.backupInit({ ...request, files }, ...rest);
    };
  }
}

const codeOf = (error: unknown): string => (isHoldfastError(error) ? error.code : String(error));
const sha256 = (content: Buffer | string): string => `sha256:${createHash('sha256').update(content).digest('hex')}`;

describe('a backup', () => {
  test('stores every file, and without changes only the tree', async () => {
    write('a.txt', 'hello');
    write('copy/of/a.txt', 'hello');
    write('large', seededBytes(5_000_000, 1));
    write('empty', '');
    symlinkSync('a.txt', join(source, 'link'));
    const first = await backup();
    expect(first).toMatchObject({ filesProcessed: 4, bytesScanned: 5_000_010, warnings: [], chunksDeduped: 0 });
    expect(strict.blobs.get(sha256('hello'))).toHaveLength(5 + 28);
    const blobs = strict.blobs.size;
    const second = await backup();
    expect(second.filesProcessed).toBe(4);
    expect(second.chunksNew).toBeLessThanOrEqual(2);
    expect(strict.blobs.size - blobs).toBe(second.chunksNew);
    expect(strict.departures).toEqual([]);
    expect(catalog.at(DESTINATION).history.restorePoints(strict.device.id, 'documents')).toHaveLength(2);
    expect(catalog.at(DESTINATION).history.seenTree(strict.device.id, 'documents')?.sequence).toBe(2);
  });

  test.each([
    ['lacks a file that the scan saw', (id: number) => catalog.entries.remove(id, 'a', null)],
    [
      'has a file that the scan did not see',
      (id: number, run: SetRun) => {
        const { stat, detail, chunks } = catalog.entries.find(id, 'a')!;
        const ghost = { name: 'ghost', kind: FILE, stat, child: null, detail, place: 0, chunks } as const;
        catalog.entries.put(id, ghost, run);
      },
    ],
  ])('completes no restore point that %s', async (_what, damage) => {
    for (const name of ['a', 'b', 'c']) await untilTimesAreReliable(write(name, `content of ${name}`));
    await backup();
    const take = catalog.snapshot.bind(catalog);
    // As a catalog does whose damage its own checks do not notice.
    catalog.snapshot = (run, ...rest) => {
      const [root] = [...catalog.entries.eachChild(run.rootsDirectory)];
      damage(root!.child!, run);
      return take(run, ...rest);
    };
    await expect(backup()).rejects.toMatchObject({ code: 'home_damaged', details: { problem: 'file-count' } });
    expect(strict.callsOf('backup/complete')).toBe(1);
  });

  test('uploads little after an insertion at the start of a large file', async () => {
    const content = seededBytes(24_000_000, 2);
    write('large', content);
    await backup();
    write('large', Buffer.concat([Buffer.from('inserted'), content]));
    const second = await backup();
    expect(second.bytesUploaded).toBeLessThan(5_000_000);
    expect(second.bytesChanged).toBe(24_000_008);
  });

  test('changes nothing in a dry run and reports what would be read', async () => {
    write('a', 'content');
    const report = await backup({ dryRun: true });
    expect(report).toMatchObject({ backupId: undefined, filesProcessed: 1, bytesChanged: 7, bytesUploaded: 0 });
    expect(strict.callsOf('backup/init')).toBe(0);
    expect(catalog.entries.findSet('documents')).toBeUndefined();
    await untilTimesAreReliable(join(source, 'a'));
    await backup();
    await untilTimesAreReliable(write('b', 'more'));
    expect(await backup({ dryRun: true })).toMatchObject({ filesProcessed: 2, bytesChanged: 4 });
    expect((await backup()).bytesChanged).toBe(4);
  });

  test('reads every file again with rehash, and finds changes despite unchanged times', async () => {
    write('a', 'content');
    await backup();
    const seen: BackupFileEntry[][] = [];
    await backup({ rehash: true, service: beforeInit(() => undefined, seen) });
    expect(seen[0]!.find((entry) => entry.path.endsWith('/a'))?.chunks[0]?.hash).toBe(sha256('content'));
    expect(strict.departures).toEqual([]);
  });

  test('sends its manifest in path order, with matching sizes and the reserved entries at the end', async () => {
    for (const name of ['a/x', 'a.b', 'a b', 'é', '😀', '\uFFFDx', 'a-b/y', 'Z', '.hidden']) write(name, name);
    const seen: BackupFileEntry[][] = [];
    await backup({ service: beforeInit(() => undefined, seen) });
    const paths = seen[0]!.map((entry) => entry.path);
    // Last, since they are prepared while the files are sent.
    expect(paths.slice(-2)).toEqual(['/.holdfast/tree', '/.holdfast/keys']);
    const own = paths.filter((path) => path.startsWith(source)).map((path) => path.slice(source.length + 1));
    expect(own).toEqual(['.hidden', 'Z', 'a/x', 'a b', 'a-b/y', 'a.b', 'é', '\uFFFDx', '😀']);
    for (const { size, chunks } of seen[0]!) expect(chunks.reduce((sum, chunk) => sum + chunk.size, 0)).toBe(size);
  });

  test('seals private names and sends none of them in plain text', async () => {
    write('secret-plans/merger.txt', 'x');
    const seen: BackupFileEntry[][] = [];
    await backup({ set: { privateNames: true }, service: beforeInit(() => undefined, seen) });
    expect(JSON.stringify(seen)).not.toMatch(/secret|merger/);
    expect(seen[0]).toHaveLength(3);
    expect(strict.departures).toEqual([]);
  });
});

describe('a file that changes between scan and upload', () => {
  test('is read again and stored in its new state', async () => {
    const path = write('a', 'before');
    const report = await backup({
      service: beforeInit((call) => call === 1 && writeFileSync(path, 'after it changed')),
    });
    expect(report.warnings).toEqual([]);
    expect([...strict.blobs.keys()]).toContain(sha256('after it changed'));
    expect([...strict.blobs.keys()]).not.toContain(sha256('before'));
    expect(strict.callsOf('backup/init')).toBe(2);
    expect(strict.callsOf('backup/complete')).toBe(1);
  });

  test('keeps its previous version with a warning when it keeps changing', async () => {
    const path = write('log', 'version 0');
    write('calm', 'calm');
    await backup();
    const seen: BackupFileEntry[][] = [];
    const report = await backup({
      service: beforeInit((call) => appendFileSync(path, `more ${call}`), seen),
      rehash: true,
    });
    // The file keeps changing, so the manifest contains the version that was stored before.
    write('log', 'version 1');
    const restless = await backup({ service: beforeInit((call) => writeFileSync(path, `restless ${call}`), seen) });
    expect(report.warnings.length + restless.warnings.length).toBeGreaterThan(0);
    expect(restless.warnings).toEqual([{ path, reason: 'changed-while-reading' }]);
    const last = seen.at(-1)!.find((entry) => entry.path === path);
    expect(last && strict.blobs.has(last.chunks[0]!.hash)).toBe(true);
    expect(strict.departures).toEqual([]);
  });

  test('is left out with a warning when it keeps changing and was never stored', async () => {
    const path = write('log', 'version 0');
    write('calm', 'calm');
    const seen: BackupFileEntry[][] = [];
    const report = await backup({ service: beforeInit((call) => writeFileSync(path, `restless ${call}`), seen) });
    expect(report.warnings).toEqual([{ path, reason: 'changed-while-reading' }]);
    expect(seen.at(-1)!.map((entry) => entry.path)).not.toContain(path);
    expect([...strict.blobs.keys()]).toContain(sha256('calm'));
    expect(report.filesProcessed).toBe(1);
  });

  test('is left out with a warning when it keeps changing and the service has lost its previous version', async () => {
    const path = write('log', 'version 0');
    write('calm', 'calm');
    await backup();
    strict.blobs.delete(sha256('version 0'));
    const seen: BackupFileEntry[][] = [];
    const restless = (call: number): void => {
      if (call > 10) throw new Error('the run does not end');
      writeFileSync(path, `restless ${call}`);
    };
    const report = await backup({ service: beforeInit(restless, seen) });
    expect(report.warnings).toEqual([{ path, reason: 'changed-while-reading' }]);
    expect(seen.at(-1)!.map((entry) => entry.path)).not.toContain(path);
    expect(report.filesProcessed).toBe(1);
    await untilTimesAreReliable(path);
    expect(await backup()).toMatchObject({ filesProcessed: 2, warnings: [] });
    expect(strict.departures).toEqual([]);
  });

  test('is counted only for a service that accepts warnings', async () => {
    const told: (number | undefined)[] = [];
    const listening = (capabilities: readonly Capability[]) => {
      const restless = beforeInit((call) => writeFileSync(path, `restless ${call} ${told.length}`));
      return (plain: ServiceClient): ServiceClient => {
        const service = restless(plain);
        return new Proxy(service, {
          get: (target, name) => {
            if (name === 'capabilities') return async () => new Set(capabilities);
            const value: unknown = Reflect.get(target, name);
            if (name !== 'backupComplete') return value;
            return (...request: Parameters<ServiceClient['backupComplete']>) => {
              told.push(request[1].warnings);
              return service.backupComplete(...request);
            };
          },
        });
      };
    };
    const path = write('log', 'version 0');
    await backup({ service: listening(['backup.complete.signals']) });
    write('log', 'version 1');
    await backup({ service: listening([]) });
    expect(told).toEqual([1, undefined]);
  });

  test('is handled as if it had been deleted or truncated before', async () => {
    const gone = write('gone', 'deleted in between');
    const shorter = write('shorter', seededBytes(300_000, 3));
    const seen: BackupFileEntry[][] = [];
    const report = await backup({
      service: beforeInit((call) => {
        if (call > 1) return;
        rmSync(gone);
        truncateSync(shorter, 100);
      }, seen),
    });
    expect(report.warnings).toEqual([]);
    const files = seen.at(-1)!.filter((entry) => entry.path.startsWith(source));
    expect(files.map((entry) => [entry.path, entry.size])).toEqual([[shorter, 100]]);
  });

  test('is not followed when it is replaced by a symlink', async () => {
    const path = write('a', 'mine');
    const secret = join(folder, 'secret');
    writeFileSync(secret, 'not in the set');
    const report = await backup({
      service: beforeInit((call) => {
        if (call > 1) return;
        rmSync(path);
        symlinkSync(secret, path);
      }),
    });
    expect([...strict.blobs.keys()]).not.toContain(sha256('not in the set'));
    expect(report.warnings.map((warning) => warning.path)).toEqual([path]);
  });
});

describe('an interrupted run', () => {
  test('finishes the chunks in flight without completing, and the next run uploads only the rest', async () => {
    for (let index = 0; index < 40; index += 1) write(`file-${index}`, seededBytes(300_000, index));
    const controller = new AbortController();
    const uploader = (plain: BlobUploader): BlobUploader => ({
      concurrency: 1,
      upload: async (...input) => {
        const stored = await plain.upload(...input);
        controller.abort();
        return stored;
      },
    });
    let interrupted: unknown;
    await backup({ uploader, run: { signal: controller.signal } }).catch((error: unknown) => (interrupted = error));
    expect(codeOf(interrupted)).toBe('interrupted');
    const before = strict.blobs.size;
    expect(before).toBeGreaterThan(0);
    expect(strict.callsOf('backup/complete')).toBe(0);
    expect(catalog.journal.recent('documents', 1)[0]?.state).toBe('interrupted');
    const report = await backup();
    expect(report.chunksNew).toBe(strict.blobs.size - before);
    // 40 files, the key envelope, and the tree's records and footer.
    expect(report.chunksNew).toBeLessThan(43);
    expect(report.filesProcessed).toBe(40);
    expect(strict.departures).toEqual([]);
  });

  test('may be interrupted before it starts', async () => {
    write('a', 'x');
    await expect(backup({ run: { signal: AbortSignal.abort() } })).rejects.toThrow('interrupted');
    expect(strict.blobs.size).toBe(0);
  });
});

describe('a source', () => {
  test('stops the run and keeps the restore points when it is missing or suddenly empty', async () => {
    write('a', 'x');
    await backup();
    renameSync(source, join(folder, 'elsewhere'));
    await expect(backup()).rejects.toThrow('source_missing');
    mkdirSync(source);
    await expect(backup()).rejects.toThrow('source_empty');
    expect(strict.callsOf('backup/init')).toBe(1);
    expect(catalog.entries.children(catalog.entries.findSet('documents')!.rootsDirectory)).toHaveLength(1);
    const emptied = await backup({ allowEmpty: true });
    expect(emptied.filesProcessed).toBe(0);
  });

  test('is not recorded as deleted when it disappears at any point of the run', async () => {
    write('a', 'content');
    const away = join(folder, 'away');
    const leave = (): void => renameSync(source, away);
    const beforeScan = backup({
      previousTree: () => {
        leave();
        return Promise.resolve(undefined);
      },
    });
    await expect(beforeScan).rejects.toThrow('source_missing');
    renameSync(away, source);
    await expect(backup({ service: beforeInit(leave) })).rejects.toThrow('source_missing');
    renameSync(away, source);
    const uploader = (plain: BlobUploader): BlobUploader => ({
      concurrency: 1,
      upload: async (...input) => {
        const stored = await plain.upload(...input);
        if (existsSync(source)) leave();
        mkdirSync(source, { recursive: true });
        return stored;
      },
    });
    await expect(backup({ uploader })).rejects.toThrow('source_missing');
    expect(strict.callsOf('backup/complete')).toBe(0);
    rmSync(source, { recursive: true });
    renameSync(away, source);
    expect((await backup()).filesProcessed).toBe(1);
  });

  test('may consist of several folders and a file, in any order', async () => {
    write('one/a', 'x');
    write('one.b', 'y');
    write('two/c', 'z');
    const roots = ['two', 'one.b', 'one'].map((name) => join(source, name));
    const seen: BackupFileEntry[][] = [];
    await backup({ set: { roots }, service: beforeInit(() => undefined, seen) });
    const own = seen[0]!.map((entry) => entry.path).filter((path) => path.startsWith(source));
    expect(own.map((path) => path.slice(source.length))).toEqual(['/one/a', '/one.b', '/two/c']);
    const fewer = await backup({ set: { roots: [roots[0]!] } });
    expect(fewer.filesProcessed).toBe(1);
  });
});

describe('a service that misbehaves', () => {
  test('gets chunks again that it lost before complete', async () => {
    write('a', 'content');
    await backup();
    strict.script({ endpoint: 'backup/complete', call: 2, fault: { kind: 'status', status: 409 } });
    await backup();
    expect(strict.unfired()).toEqual([]);
    expect(strict.callsOf('backup/complete')).toBe(3);
  });

  test('fails the run when it asks only for unknown chunks, and lacks those of the files', async () => {
    write('a', 'content');
    const body = {
      session_id: 's',
      chunks_needed: [{ hash: sha256('unknown'), size: 7 }],
      chunks_deduped: 0,
      chunks_to_upload: 1,
    };
    strict.script({ endpoint: 'backup/init', call: 'every', fault: { kind: 'answer', body } });
    await expect(backup()).rejects.toThrow('chunk_missing');
  });
});

test('names no file of its own while it uploads the tree', async () => {
  write('stays', 'x');
  write('goes', 'y');
  await backup();
  rmSync(join(source, 'goes'));
  const seen: BackupProgress[] = [];
  await backup({ run: { onProgress: (progress) => seen.push(progress) } });
  const named = seen.flatMap(({ currentPath }) => currentPath ?? []);
  expect(named.filter((path) => !path.startsWith(source))).toEqual([]);
});

test('reports increasing progress and an end that matches the report', async () => {
  for (let index = 0; index < 30; index += 1) write(`f${index}`, seededBytes(100_000, index));
  const seen: BackupProgress[] = [];
  const report = await backup({ run: { onProgress: (progress) => seen.push(progress) } });
  for (const [index, progress] of seen.entries()) {
    const before = seen[index - 1];
    if (!before) continue;
    expect(progress.bytesUploaded).toBeGreaterThanOrEqual(before.bytesUploaded);
    expect(progress.filesScanned).toBeGreaterThanOrEqual(before.filesScanned);
    expect(progress.bytesUploaded).toBeLessThanOrEqual(progress.bytesTotal);
  }
  expect(seen.at(-1)).toMatchObject({
    phase: 'committing',
    chunksUploaded: report.chunksNew,
    chunksTotal: report.chunksNew,
  });
  expect(existsSync(source) && statSync(source).isDirectory()).toBe(true);
  expect(readFileSync(join(source, 'f0')).equals(seededBytes(100_000, 0))).toBe(true);
});
