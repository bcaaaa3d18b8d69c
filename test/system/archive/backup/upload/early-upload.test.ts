import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BackupReport } from '../../../../../src/archive/backup/types.ts';
import { Catalog } from '../../../../../src/catalog/catalog.ts';
import { systemClock } from '../../../../../src/base/clock.ts';
import { ChunkKeys } from '../../../../../src/format/crypto/chunk-keys.ts';
import { createEnvelope } from '../../../../../src/format/crypto/key-envelope.ts';
import { deriveKeys } from '../../../../../src/format/crypto/keys.ts';
import { HoldfastError, isHoldfastError } from '../../../../../src/base/errors/errors.ts';
import { WorkerPool } from '../../../../../src/workers/pool.ts';
import { MemoryService } from '../../../../helpers/memory-service/memory-service.ts';
import { DESTINATION } from '../../../../helpers/catalog.ts';
import { backUpTo, type OneTarget } from '../../../../helpers/backup.ts';

const MASTER = Buffer.alloc(32, 7);
const ENVELOPE = await createEnvelope(MASTER);
const KEYS = deriveKeys(MASTER);
let folder: string;
let source: string;
let pool: WorkerPool;
let catalog: Catalog;
let memory: MemoryService;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-early-'));
  source = join(folder, 'source');
  mkdirSync(source);
  mkdirSync(join(folder, 'scratch'));
  pool = new WorkerPool(2);
  catalog = new Catalog(join(folder, 'catalog.sqlite'));
  memory = new MemoryService();
  memory.offered = new Set(['backup.compression', 'backup.open']);
});

afterEach(async () => {
  catalog.close();
  await pool.close();
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, content: Buffer): void {
  const path = join(source, name);
  writeFileSync(path, content);
  utimesSync(path, 1000, 1000);
}

async function backup(changes: Partial<OneTarget> = {}): Promise<BackupReport> {
  const set = {
    name: 'documents',
    roots: [source],
    excludes: [],
    presets: [],
    oneFileSystem: false,
    privateNames: false,
  };
  return await backUpTo(
    { set, deviceId: 'device', keyEnvelope: ENVELOPE },
    {
      service: memory,
      uploader: memory,
      catalog: catalog.at(DESTINATION),
      pool,
      keys: KEYS,
      clock: systemClock,
      previousTree: () => Promise.resolve(undefined),
      scratch: join(folder, 'scratch'),
      ...changes,
    },
  );
}

/** Returns the digest of a file's content in the newest restore point. */
function stored(name: string): string {
  const file = memory.points[0]!.files.find(({ path }) => path.endsWith(`/${name}`))!;
  const keys = new ChunkKeys(KEYS.chunk);
  const digest = createHash('sha256');
  for (const hash of file.chunks) {
    const raw = Buffer.from(hash.slice('sha256:'.length), 'hex');
    digest.update(keys.open(memory.blobs.get(hash)!, raw));
  }
  return digest.digest('hex');
}

/** Counts the chunks of the tree and the key envelope, which exist only after the files are read. */
function reservedChunks(): number {
  const reserved = memory.points[0]!.files.filter(({ path }) => path.startsWith('/.holdfast/'));
  return new Set(reserved.flatMap(({ chunks }) => chunks)).size;
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe('early upload', () => {
  test('sends small and large files while they are read, so that init requests none of them', async () => {
    const large = randomBytes(30 * 1024 * 1024);
    const small = Array.from({ length: 700 }, () => randomBytes(1 + Math.floor(Math.random() * 9000)));
    write('large', large);
    for (const [index, content] of small.entries()) write(`small-${index}`, content);
    const report = await backup();
    expect(memory.needed).toEqual([reservedChunks()]);
    expect(stored('large')).toBe(sha256(large));
    for (const [index, content] of small.entries()) expect(stored(`small-${index}`)).toBe(sha256(content));
    const blobBytes = [...memory.blobs.values()].reduce((sum, blob) => sum + blob.length, 0);
    expect(report).toMatchObject({ chunksNew: memory.blobs.size, bytesUploaded: blobBytes });
  });

  test('counts the shared content of many files once', async () => {
    const content = randomBytes(5000);
    for (let index = 0; index < 600; index += 1) write(`copy-${index}`, content);
    const report = await backup();
    expect(report.chunksNew).toBe(1 + reservedChunks());
  });

  test('sends only the new chunks of a known file', async () => {
    const content = randomBytes(20 * 1024 * 1024);
    write('large', content);
    await backup();
    const before = memory.blobs.size;
    content[10 * 1024 * 1024] = content[10 * 1024 * 1024]! ^ 1;
    write('large', content);
    utimesSync(join(source, 'large'), 2000, 2000);
    const sent: string[] = [];
    const uploader = {
      concurrency: 4,
      upload: (session: string, blobs: Parameters<MemoryService['upload']>[1]) => {
        sent.push(...blobs.map(({ hash }) => hash));
        return memory.upload(session, blobs);
      },
    };
    await backup({ uploader });
    expect(sent).toHaveLength(memory.blobs.size - before);
    expect(stored('large')).toBe(sha256(content));
  });

  test('opens no session when nothing has to be read', async () => {
    write('file', randomBytes(100));
    await backup();
    const open = memory.backupOpen.bind(memory);
    let opened = 0;
    memory.backupOpen = () => {
      opened += 1;
      return open();
    };
    await new Promise((resolve) => setTimeout(resolve, 60));
    await backup();
    await backup();
    expect(opened).toBe(0);
  });

  test('sends the manifest in a new session when the open one has ended', async () => {
    write('file', randomBytes(100));
    const init = memory.backupInit.bind(memory);
    memory.backupInit = (...input) => {
      memory.opened.clear();
      return init(...input);
    };
    const report = await backup();
    expect(report.backupId).toBe('session-1');
    expect(memory.needed).toEqual([reservedChunks()]);
  });

  test('fails with the first failed upload, however many are waiting', async () => {
    for (let index = 0; index < 20; index += 1) write(`large-${index}`, randomBytes(9 * 1024 * 1024));
    const uploader = {
      concurrency: 4,
      upload: () => Promise.reject(new HoldfastError('destination_full', {})),
    };
    await expect(backup({ uploader })).rejects.toSatisfy((error) => isHoldfastError(error, 'destination_full'));
    expect(memory.points).toEqual([]);
  });
});
