import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Catalog } from '../../../../src/catalog/catalog.ts';
import { createEnvelope } from '../../../../src/format/crypto/key-envelope.ts';
import { runRestore } from '../../../../src/restore/restore.ts';
import type { RestoreReport } from '../../../../src/restore/types.ts';
import type { WorkerPool } from '../../../../src/workers/pool.ts';
import { checkRepository } from '../../../../src/repository/check/check-repository.ts';
import { createRepository, findRepository } from '../../../../src/repository/create-repository.ts';
import type { FoundRepository, NewRepository } from '../../../../src/repository/create-repository.ts';
import { newWriterKey } from '../../../../src/format/repository/writer-key.ts';
import type { CheckReport } from '../../../../src/repository/check/report.ts';
import { repairRepository, type RepairReport } from '../../../../src/repository/repair/repair-repository.ts';
import { RepositoryClient } from '../../../../src/repository/repository-client.ts';
import { Repository } from '../../../../src/repository/repository.ts';
import { BlobReader } from '../../../../src/repository/restore/blob-reader.ts';
import { FolderStorage } from '../../../../src/storage/folder/folder-storage.ts';
import { DESTINATION } from '../../../helpers/catalog.ts';
import { backUpTo } from '../../../helpers/backup.ts';
import { FAST_FOLDER } from '../../../helpers/fast-folder.ts';

const MASTER = Buffer.alloc(32, 7);
const ENVELOPE = await createEnvelope(MASTER);
const SET = 'documents';

/** A clock that only tests move, apart from the milliseconds between two readings. */
export class StepClock {
  time = Date.now();

  now(): number {
    this.time += 1;
    return this.time;
  }

  sleep(): Promise<void> {
    return Promise.resolve();
  }
}

interface ComputerOptions {
  readonly pool: WorkerPool;
  readonly clock: StepClock;
  readonly isNew?: boolean;
  readonly parity?: number;
}

/** A computer with a home, the folder that it backs up, and the real engine. */
export class Computer {
  readonly folder: string;
  readonly source: string;
  readonly repository: Repository;
  readonly #catalog: Catalog;
  readonly #pool: WorkerPool;
  readonly #clock: StepClock;

  private constructor(folder: string, repository: Repository, pool: WorkerPool, clock: StepClock) {
    this.folder = folder;
    this.source = join(folder, 'source');
    this.repository = repository;
    this.#pool = pool;
    this.#clock = clock;
    mkdirSync(this.source, { recursive: true });
    mkdirSync(join(folder, 'scratch'), { recursive: true });
    this.#catalog = new Catalog(join(folder, 'catalog.sqlite'));
  }

  /** Sets up a computer with the repository in a folder, which is created if it is new. */
  static async setUp(
    folder: string,
    destination: string,
    { pool, clock, isNew = false, parity }: ComputerOptions,
  ): Promise<Computer> {
    mkdirSync(folder, { recursive: true });
    const storage = await FolderStorage.open(destination, { isNew });
    const found = await opened(
      storage,
      isNew ? { masterKey: MASTER, keyEnvelope: ENVELOPE, clock, parity } : undefined,
    );
    const writerKey = newWriterKey();
    const repository = new Repository({
      storage,
      description: found.description,
      unread: found.unread,
      masterKey: MASTER,
      writerKey,
      device: { id: writerKey.id, name: basename(folder), os: 'Linux', agent: 'test' },
      folder: join(folder, 'repositories'),
      clock,
    });
    return new Computer(folder, repository, pool, clock);
  }

  get id(): string {
    return this.repository.device.id;
  }

  write(name: string, content: string | Buffer): void {
    const path = join(this.source, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    utimesSync(path, 1000, 1000);
  }

  async backUp(): Promise<string> {
    const client = new RepositoryClient(this.repository);
    const { restorePoint } = await backUpTo(
      {
        set: { name: SET, roots: [this.source], excludes: [], presets: [], oneFileSystem: false, privateNames: false },
        deviceId: this.id,
        keyEnvelope: ENVELOPE,
        deviceName: this.repository.device.name,
        rehash: true,
      },
      {
        service: client,
        uploader: client,
        catalog: this.#catalog.at(DESTINATION),
        pool: this.#pool,
        keys: this.repository.keys,
        clock: this.#clock,
        previousTree: () => Promise.resolve(undefined),
        scratch: join(this.folder, 'scratch'),
      },
    );
    return restorePoint!;
  }

  async restore(device: string, at: number, to: string): Promise<RestoreReport> {
    const { keys } = this.repository;
    return await runRestore(
      { set: SET, at, source: { deviceId: device, backupSet: SET, at }, paths: [], to, sourceRoots: [] },
      {
        service: new RepositoryClient(this.repository),
        downloader: new BlobReader(this.repository),
        catalog: this.#catalog.at(DESTINATION),
        pool: this.#pool,
        keys,
        clock: this.#clock,
        scratch: join(this.folder, 'scratch'),
      },
    );
  }

  check(percent?: number): Promise<CheckReport> {
    return checkRepository(this.repository, { scratch: join(this.folder, 'scratch', 'check.sqlite'), percent });
  }

  repair(percent?: number): Promise<RepairReport> {
    const scratch = join(this.folder, 'scratch', 'check.sqlite');
    return repairRepository(this.repository, { scratch, percent, keyEnvelope: ENVELOPE });
  }

  async close(): Promise<void> {
    this.#catalog.close();
    this.repository[Symbol.dispose]();
    await this.repository.storage[Symbol.asyncDispose]();
  }
}

/** Creates a repository, or finds the one that a store has. The store is closed if that fails. */
async function opened(storage: FolderStorage, created: NewRepository | undefined): Promise<FoundRepository> {
  try {
    if (created) await createRepository(storage, created);
    return (await findRepository(storage))!;
  } catch (error) {
    await storage[Symbol.asyncDispose]();
    throw error;
  }
}

/** A folder that is removed at the end. */
export class Place implements Disposable {
  readonly folder = realpathSync(mkdtempSync(join(FAST_FOLDER, 'holdfast-check-')));

  path(...names: readonly string[]): string {
    return join(this.folder, ...names);
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Relative names of all files below a folder, with their SHA-256. */
export function hashesIn(folder: string): Map<string, string> {
  const hashes = new Map<string, string>();
  if (!existsSync(folder)) return hashes;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    hashes.set(path.slice(folder.length + 1), createHash('sha256').update(readFileSync(path)).digest('hex'));
  }
  return hashes;
}

/** Copies a repository and makes its files older than any backup that may be running. */
export function copyAged(from: string, to: string): void {
  cpSync(from, to, { recursive: true });
  const before = (Date.now() - 10 * 24 * 3_600_000) / 1000;
  for (const name of filesIn(to)) utimesSync(join(to, name), before, before);
}

export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => statSync(join(folder, name)).isFile())
    .toSorted();
}
