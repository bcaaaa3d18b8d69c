import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createEnvelope } from '../../../src/format/crypto/key-envelope.ts';
import { newMasterKey, type MasterKey } from '../../../src/format/crypto/keys.ts';
import type { Clock } from '../../../src/base/clock.ts';
import { isHoldfastError } from '../../../src/base/errors/errors.ts';
import { Collector } from '../../../src/repository/collect/collector.ts';
import type { TreeSource } from '../../../src/repository/collect/live-chunks.ts';
import { createRepository } from '../../../src/repository/create-repository.ts';
import type { RepositoryDescription } from '../../../src/format/repository/description.ts';
import { newWriterKey, type WriterKey } from '../../../src/format/repository/writer-key.ts';
import { Repository } from '../../../src/repository/repository.ts';
import { readChunk } from '../../../src/repository/restore/read-chunk.ts';
import type { Storage } from '../../../src/storage/storage.ts';
import { TestComputer, testChunk, treeOf, type TestChunk } from './fixture.ts';
import { FAST_FOLDER } from '../../helpers/fast-folder.ts';

export const DAY = 86_400_000;
const DIGEST_BYTES = 32;

export function temporaryFolder(): string {
  return mkdtempSync(join(FAST_FOLDER, 'holdfast-world-'));
}

/** The trees of `treeOf`: one piece with the digests of its files' chunks. */
export class TestTrees implements TreeSource {
  readonly #repository: Repository;

  constructor(repository: Repository) {
    this.#repository = repository;
  }

  async piecesOf(tree: Buffer) {
    return [{ id: tree, chunks: [tree] }];
  }

  async *chunksOf(pieces: readonly { readonly id: Buffer }[], signal?: AbortSignal): AsyncGenerator<Buffer> {
    for (const { id } of pieces) {
      const plaintext = await readChunk(this.#repository, id, signal);
      for (let at = 'tree:'.length; at < plaintext.length; at += DIGEST_BYTES) {
        yield plaintext.subarray(at, at + DIGEST_BYTES);
      }
    }
  }
}

/** The time of the store; each device may be wrong about it. */
export class WorldTime {
  now = Date.parse('2026-11-22T12:00:00Z');

  clock(error = 0): Clock {
    return {
      now: () => {
        this.now += 1;
        return this.now + error;
      },
      sleep: async () => {},
    };
  }
}

export interface DeviceOptions {
  readonly name: string;
  readonly writerKey?: WriterKey;
  readonly storage: Storage;
  /** Folder of the home. */
  readonly folder: string;
  /** The device that it backs up as; its own if omitted. */
  readonly device?: string;
  /** Milliseconds by which its clock is wrong. */
  readonly clockError?: number;
}

/** What identifies a repository. */
export interface WorldKeys {
  readonly masterKey: MasterKey;
  readonly description: RepositoryDescription;
}

export async function createWorld(storage: Storage, time: WorldTime, parity = 0): Promise<WorldKeys> {
  const masterKey = newMasterKey();
  const keyEnvelope = await createEnvelope(masterKey);
  const { description } = await createRepository(storage, { masterKey, keyEnvelope, clock: time.clock(), parity });
  return { masterKey, description };
}

/** A computer that backs up, removes, collects and restores. */
export class Device implements Disposable {
  readonly computer: TestComputer;
  readonly collector: Collector;
  readonly writerKey: WriterKey;

  constructor(
    { masterKey, description }: WorldKeys,
    time: WorldTime,
    { name, writerKey = newWriterKey(), device = writerKey.id, storage, folder, clockError = 0 }: DeviceOptions,
  ) {
    this.writerKey = writerKey;
    const repository = new Repository({
      storage,
      description,
      masterKey,
      writerKey,
      device: { id: device, name, os: 'Linux', agent: 'test' },
      folder: join(folder, name),
      clock: time.clock(clockError),
    });
    repository.projection.database.pragma('synchronous = OFF');
    this.computer = new TestComputer(repository, join(folder, name));
    this.collector = new Collector(repository, new TestTrees(repository));
  }

  get repository(): Repository {
    return this.computer.repository;
  }

  /** Backs up as the engine does, which sends the manifest again when chunks are gone. Returns the point's id. */
  async backup(set: string, chunks: readonly TestChunk[]): Promise<string> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return (await this.computer.backup(set, chunks)).backup_id;
      } catch (error) {
        if (attempt === 3 || !isHoldfastError(error, 'chunk_missing')) throw error;
      }
    }
  }

  async remove(point: string): Promise<void> {
    await this.repository.append(() => [{ kind: 'removed', points: [Buffer.from(point, 'hex')] }]);
  }

  /** Returns the chunks of a point that do not come back, read as a restore does: from its tree. */
  async lostOf(chunks: readonly TestChunk[]): Promise<string[]> {
    return await this.computer.lost([treeOf(chunks), ...chunks]);
  }

  [Symbol.dispose](): void {
    this.repository[Symbol.dispose]();
  }
}

/** A copy of the folders of homes, as they were when nobody had them open. */
export function copyOfFolder(folder: string): string {
  const copy = temporaryFolder();
  cpSync(folder, copy, { recursive: true });
  return copy;
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

export function chunksOf(count: number, bytes = 300): TestChunk[] {
  return Array.from({ length: count }, () => testChunk(bytes));
}
