import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sealChunk } from '../../../src/format/crypto/blob.ts';
import { chunkKeysOf } from '../../../src/format/crypto/chunk-keys.ts';
import { createEnvelope } from '../../../src/format/crypto/key-envelope.ts';
import { newMasterKey, type MasterKey } from '../../../src/format/crypto/keys.ts';
import { TREE_PATH } from '../../../src/protocol/path.ts';
import type { BackupRun } from '../../../src/protocol/backup.ts';
import { createRepository, findRepository } from '../../../src/repository/create-repository.ts';
import { newWriterKey, type WriterKey } from '../../../src/format/repository/writer-key.ts';
import { RepositoryClient } from '../../../src/repository/repository-client.ts';
import { Repository } from '../../../src/repository/repository.ts';
import { BlobReader } from '../../../src/repository/restore/blob-reader.ts';
import type { Storage } from '../../../src/storage/storage.ts';

export class TestClock {
  time = Date.parse('2026-11-22T12:00:00Z');

  now(): number {
    this.time += 1;
    return this.time;
  }

  sleep(milliseconds: number): Promise<void> {
    this.time += milliseconds;
    return Promise.resolve();
  }
}

/** Computers that back up to one repository. */
export class TestRepository implements Disposable {
  readonly storage: Storage;
  readonly clock = new TestClock();
  readonly masterKey: MasterKey = newMasterKey();
  readonly #folder = mkdtempSync(join(tmpdir(), 'holdfast-repository-'));
  readonly #computers: TestComputer[] = [];

  private constructor(storage: Storage) {
    this.storage = storage;
  }

  static async create(storage: Storage): Promise<TestRepository> {
    const created = new TestRepository(storage);
    const { masterKey, clock } = created;
    const keyEnvelope = await createEnvelope(masterKey);
    await createRepository(storage, { masterKey, keyEnvelope, clock });
    return created;
  }

  /** Sets up a computer, or one with the key and the folder of another. */
  async computer(
    name: string,
    { writerKey = newWriterKey(), storage = this.storage }: { writerKey?: WriterKey; storage?: Storage } = {},
  ): Promise<TestComputer> {
    const found = await findRepository(storage);
    const { clock, masterKey } = this;
    const repository = new Repository({
      storage,
      description: found!.description,
      masterKey,
      writerKey,
      device: { id: writerKey.id, name, os: 'Linux', agent: 'test' },
      folder: join(this.#folder, name),
      clock,
    });
    const computer = new TestComputer(repository, join(this.#folder, name));
    this.#computers.push(computer);
    return computer;
  }

  [Symbol.dispose](): void {
    for (const { repository } of this.#computers) repository[Symbol.dispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** A chunk of random content. */
export interface TestChunk {
  readonly hash: string;
  readonly digest: Buffer;
  readonly plaintext: Buffer;
}

export function testChunk(bytes = 1_000): TestChunk {
  const plaintext = randomBytes(bytes);
  const digest = createHash('sha256').update(plaintext).digest();
  return { hash: `sha256:${digest.toString('hex')}`, digest, plaintext };
}

export class TestComputer {
  readonly repository: Repository;
  readonly client: RepositoryClient;
  readonly reader: BlobReader;
  /** Its folder for repositories. */
  readonly folder: string;

  constructor(repository: Repository, folder: string) {
    this.repository = repository;
    this.folder = folder;
    this.client = new RepositoryClient(repository);
    this.reader = new BlobReader(repository);
  }

  get id(): string {
    return this.repository.device.id;
  }

  /** Backs up files of one chunk each; the tree is one chunk with the names of the others. */
  async backup(set: string, chunks: readonly TestChunk[]): Promise<BackupRun> {
    const { sessionId, needed, all } = await this.begin(set, chunks);
    await this.upload(
      sessionId,
      all.filter(({ hash }) => needed.has(hash)),
    );
    return await this.complete(sessionId, chunks);
  }

  async begin(set: string, chunks: readonly TestChunk[]) {
    const tree = treeOf(chunks);
    const needed = new Set<string>();
    const entries = [
      { path: TREE_PATH, size: tree.plaintext.length, modified: '2026-11-22T00:00:00.000Z', chunks: [reference(tree)] },
      ...chunks.map((chunk, index) => ({
        path: `/home/${index}`,
        size: chunk.plaintext.length,
        modified: '2026-11-22T00:00:00.000Z',
        chunks: [reference(chunk)],
      })),
    ];
    const head = await this.client.backupInit(
      {
        deviceId: this.id,
        backupSet: set,
        files: async function* () {
          yield entries;
        },
      },
      (list) => list.forEach(({ hash }) => needed.add(hash)),
    );
    return { sessionId: head.session_id, needed, all: [tree, ...chunks] };
  }

  async upload(sessionId: string, chunks: readonly TestChunk[]): Promise<void> {
    const keys = chunkKeysOf(this.repository.keys.chunk);
    await this.client.upload(
      sessionId,
      chunks.map(({ hash, digest, plaintext }) => ({
        hash,
        bytes: sealChunk(keys.keyOf(digest), plaintext),
        size: plaintext.length,
        kind: plaintext.subarray(0, 5).toString() === 'tree:' ? 'tree' : 'data',
      })),
    );
  }

  complete(sessionId: string, chunks: readonly TestChunk[]): Promise<BackupRun> {
    const bytes = chunks.reduce((sum, { plaintext }) => sum + plaintext.length, 0);
    return this.client.backupComplete(sessionId, {
      files_processed: chunks.length,
      chunks_new: 0,
      chunks_deduped: 0,
      bytes_scanned: bytes,
      bytes_uploaded: 0,
      duration_seconds: 1,
    });
  }

  /** Reads chunks and compares them with what was backed up. Returns the hashes of those that do not come back. */
  async lost(chunks: readonly TestChunk[]): Promise<string[]> {
    await this.repository.refresh();
    return await this.lostNow(chunks);
  }

  /** Does the same without reading the ledgers first, as a restore that is under way. */
  async lostNow(chunks: readonly TestChunk[]): Promise<string[]> {
    const keys = chunkKeysOf(this.repository.keys.chunk);
    const byHash = new Map(chunks.map((chunk) => [chunk.hash, chunk]));
    const lost: string[] = [];
    await this.reader.download('', [...byHash.keys()], (hash, bytes) => {
      const { digest, plaintext } = byHash.get(hash)!;
      try {
        if (!bytes || !keys.open(bytes, digest).equals(plaintext)) lost.push(hash);
      } catch {
        lost.push(hash);
      }
    });
    return lost;
  }
}

export function treeOf(chunks: readonly TestChunk[]): TestChunk {
  const plaintext = Buffer.concat([Buffer.from('tree:'), ...chunks.map(({ digest }) => digest)]);
  const digest = createHash('sha256').update(plaintext).digest();
  return { hash: `sha256:${digest.toString('hex')}`, digest, plaintext };
}

function reference({ hash, plaintext }: TestChunk) {
  return { hash, size: plaintext.length };
}
