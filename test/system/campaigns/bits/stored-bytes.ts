import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { failureOf } from '../../../../src/base/errors/failure.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { HoldfastError, isHoldfastError } from '../../../../src/base/errors/errors.ts';
import { Catalog } from '../../../../src/catalog/catalog.ts';
import Database from 'better-sqlite3';
import { isCatalogDamage } from '../../../../src/catalog/damage.ts';
import { replaceCatalog } from '../../../../src/catalog/database.ts';
import { deriveKeys } from '../../../../src/format/crypto/keys.ts';
import { runRestore } from '../../../../src/restore/restore.ts';
import type { RestoreDependencies, RestoreReport } from '../../../../src/restore/types.ts';
import { connect, connectAsDevice } from '../../../../src/remote/connection.ts';
import { readBytes } from '../../../../src/remote/http/http-body.ts';
import type { HttpClient, HttpRequest, HttpResponse } from '../../../../src/remote/http/http-client.ts';
import { HttpFailure } from '../../../../src/remote/http/http-failure.ts';
import { INTERACTIVE_RETRY_POLICY } from '../../../../src/remote/http/retrier.ts';
import type { WorkerPool } from '../../../../src/workers/pool.ts';
import { findRepository } from '../../../../src/repository/create-repository.ts';
import { newWriterKey } from '../../../../src/format/repository/writer-key.ts';
import { writeCheckpointIfDue } from '../../../../src/repository/ledger/checkpoint.ts';
import { RepositoryClient } from '../../../../src/repository/repository-client.ts';
import { Repository } from '../../../../src/repository/repository.ts';
import { BlobReader } from '../../../../src/repository/restore/blob-reader.ts';
import { CopyWorld, SET, type Place } from '../../copy/copy-world.ts';
import { DESTINATION } from '../../../helpers/catalog.ts';
import { FAST_FOLDER } from '../../../helpers/fast-folder.ts';
import { impatientClock } from '../../../helpers/impatient-clock.ts';
import { DEVICE, RestoreWorld } from '../../../helpers/memory-service/restore-world.ts';
import type { Random } from '../../../helpers/random.ts';
import { HandlerHttp } from '../../../helpers/service/handler-http.ts';
import { listAsNewComputer } from '../../repository/list-as-new-computer.ts';
import { IN_PROCESS_URL, InProcessService } from '../../../helpers/service/in-process-service.ts';
import { MemoryStorage, type MemoryFiles } from '../../../helpers/storage/memory-storage.ts';

const MASTER = Buffer.alloc(32, 7);
const FILES = 5;
const BACKUPS = 2;

/** Bytes that are stored somewhere, of which one is altered at a time. */
export interface StoredBytes {
  readonly name: string;
  /** Positions of the bytes that mean something. */
  readonly positions: readonly number[];
  /** Alters a byte, and reads or continues what is stored. Returns what went wrong. */
  tryByte(at: number, mask: number): Promise<string | undefined>;
}

/** Everything that a restore point consists of, wherever it is stored. */
export async function storedBytes(
  pool: WorkerPool,
  random: Random,
  resources: AsyncDisposableStack,
): Promise<readonly StoredBytes[]> {
  return [
    ...(await repositoryBytes(pool, random, resources)),
    ...(await serviceBytes(pool, random, resources)),
    await catalogBytes(pool, random, resources),
  ];
}

/** The files of a repository with two restore points, read by a new computer. */
async function repositoryBytes(
  pool: WorkerPool,
  random: Random,
  resources: AsyncDisposableStack,
): Promise<readonly StoredBytes[]> {
  const world = resources.use(new CopyWorld(pool));
  const place = await world.repository('repository');
  for (let run = 0; run < BACKUPS; run += 1) {
    writeFiles(world.source, random);
    await world.backup(place);
  }
  await place.repository!.append(async () => {
    await writeCheckpointIfDue(place.repository!.ledger, undefined, 1);
    return [];
  });
  const kinds = Map.groupBy(place.files!.keys(), (name) => name.split('/')[0]!);
  return [...kinds].flatMap(([kind, names]) =>
    names.map((name, index): StoredBytes => ({
      name: `${kind} ${index + 1}`,
      positions: Array.from(place.files!.get(name)!.bytes.keys()),
      async tryByte(at, mask) {
        const { bytes, created } = place.files!.get(name)!;
        const files: MemoryFiles = new Map([...place.files!, [name, { bytes: altered(bytes, at, mask), created }]]);
        const open = (folder: string, stack: AsyncDisposableStack) => repositoryIn(files, place, folder, stack);
        return (await faultOfRestore(world.source, open, pool)) ?? (await faultOfList(open, BACKUPS));
      },
    })),
  );
}

async function repositoryIn(files: MemoryFiles, { deviceId }: Place, folder: string, stack: AsyncDisposableStack) {
  const storage = new MemoryStorage(files);
  const { description } = (await findRepository(storage))!;
  const writerKey = newWriterKey();
  const device = { id: writerKey.id, name: 'reader', os: 'Linux', agent: 'test' };
  const options = { storage, description, masterKey: MASTER, writerKey, device, folder, clock: systemClock };
  const repository = stack.use(new Repository(options));
  repository.projection.database.pragma('synchronous = OFF');
  return { deviceId, repository, service: new RepositoryClient(repository), downloader: new BlobReader(repository) };
}

/** The databases of a service, which have no sums of their own: manifests, restore points, places of blobs. */
async function serviceBytes(
  pool: WorkerPool,
  random: Random,
  resources: AsyncDisposableStack,
): Promise<readonly StoredBytes[]> {
  const world = resources.use(new CopyWorld(pool));
  const place = await world.service('service');
  for (let run = 0; run < 2; run += 1) {
    writeFiles(world.source, random);
    await world.backup(place);
  }
  const folder = join(world.folder, 'copy');
  cpSync(join(world.folder, 'service'), folder, { recursive: true });
  const { deviceId, deviceKey = '' } = place;
  return ['metadata.sqlite', 'blobs.sqlite'].map((name) => {
    const file = join(folder, name);
    const database = new Database(file);
    database.pragma('wal_checkpoint(TRUNCATE)');
    database.close();
    const bytes = readFileSync(file);
    return {
      name: `service: ${name}`,
      positions: written(bytes),
      async tryByte(at, mask) {
        const open = async (copy: string, stack: AsyncDisposableStack) => {
          cpSync(folder, join(copy, 'stored'), { recursive: true });
          writeFileSync(join(copy, 'stored', name), altered(bytes, at, mask));
          // A service refuses to start with damage that it finds.
          const opened = await InProcessService.open(join(copy, 'stored')).catch((error: unknown) => {
            throw new HoldfastError('service_unreachable', { address: IN_PROCESS_URL }, { cause: error });
          });
          stack.defer(() => opened.close());
          return { deviceId, ...signedIn(opened, { deviceId, deviceKey }) };
        };
        return await faultOfRestore(world.source, open, pool);
      },
    };
  });
}

function signedIn(service: InProcessService, credentials: { readonly deviceId: string; readonly deviceKey: string }) {
  const http = new BreakingHttp(new HandlerHttp((request) => service.fetch(request)));
  const options = { baseUrl: IN_PROCESS_URL, http, clock: impatientClock, policy: INTERACTIVE_RETRY_POLICY };
  return connectAsDevice(connect(options), credentials);
}

/** Shows a service that fails within an answer as a network does: the connection breaks. */
class BreakingHttp implements HttpClient {
  readonly #inner: HttpClient;

  constructor(inner: HttpClient) {
    this.#inner = inner;
  }

  async request(request: HttpRequest): Promise<HttpResponse> {
    const lost = (): never => {
      throw new HttpFailure('reset', IN_PROCESS_URL, { connected: true });
    };
    const response = await this.#inner.request(request).catch(lost);
    const body = async function* (): AsyncGenerator<Uint8Array> {
      try {
        yield* response.body;
      } catch {
        lost();
      }
    };
    const parts = body();
    const { status, headers } = response;
    return {
      status,
      headers,
      body: parts,
      bytes: (limit) => readBytes(parts, limit),
      discard: () => response.discard(),
    };
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}

/** The catalog of a computer, which the next backup counts on. */
async function catalogBytes(pool: WorkerPool, random: Random, resources: AsyncDisposableStack): Promise<StoredBytes> {
  const world = resources.use(new RestoreWorld(pool));
  const { service } = world;
  const file = join(world.folder, 'catalog.sqlite');
  writeFiles(world.source, random);
  await world.backup();
  // Closing writes everything to the file.
  world.catalog.close();
  const bytes = readFileSync(file);
  const { points, time } = service;
  const open = (): void => void (world.catalog = new Catalog(file));
  const backUp = async (): Promise<void> => {
    try {
      await world.backup();
    } catch (error) {
      if (!isCatalogDamage(error)) throw error;
      // As the agent does.
      world.catalog.close();
      replaceCatalog(file);
      open();
      await world.backup();
    }
  };
  return {
    name: 'catalog',
    positions: written(bytes),
    async tryByte(at, mask) {
      Object.assign(service, { points, time });
      for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
      writeFileSync(file, altered(bytes, at, mask));
      writeFileSync(join(world.source, 'file 0'), random.bytes(300));
      try {
        open();
        await backUp();
      } catch (error) {
        return isRefusal(error) ? undefined : `the backup threw ${String(error)}`;
      } finally {
        world.catalog.close();
      }
      const opened = { deviceId: DEVICE, service, downloader: service };
      return await faultOfRestore(world.source, () => Promise.resolve(opened), pool);
    },
  };
}

type Opened = Pick<RestoreDependencies, 'service' | 'downloader'> & { readonly deviceId: string };

/** Restores as a new computer does, and judges that: whatever is there has the right bytes, and what is not is named. */
async function faultOfRestore(
  source: string,
  open: (folder: string, stack: AsyncDisposableStack) => Promise<Opened>,
  pool: WorkerPool,
): Promise<string | undefined> {
  const folder = mkdtempSync(join(FAST_FOLDER, 'holdfast-bits-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const target = join(folder, 'target');
  let report: RestoreReport;
  try {
    const { deviceId, service, downloader } = await open(folder, stack);
    const catalog = stack.use(new Catalog(join(folder, 'catalog.sqlite')));
    const keys = deriveKeys(MASTER);
    report = await runRestore(
      {
        set: SET,
        at: 'latest',
        source: { deviceId, backupSet: SET, at: 'latest' },
        paths: [],
        to: target,
        sourceRoots: [],
      },
      { service, downloader, catalog: catalog.at(DESTINATION), pool, keys, clock: impatientClock, scratch: folder },
    );
  } catch (error) {
    return isRefusal(error) ? undefined : `threw ${String(error)}`;
  }
  return faultOf(source, join(target, 'source'), report);
}

/** Lists as a new computer does, and judges that: whoever is shown fewer restore points than there were is told so. */
async function faultOfList(
  open: (folder: string, stack: AsyncDisposableStack) => ReturnType<typeof repositoryIn>,
  expected: number,
): Promise<string | undefined> {
  const folder = mkdtempSync(join(FAST_FOLDER, 'holdfast-bits-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  try {
    const { repository } = await open(folder, stack);
    const { points, doubt } = await listAsNewComputer(repository);
    return points.size < expected && !doubt ? `lists ${points.size} of ${expected} points without a word` : undefined;
  } catch (error) {
    return isRefusal(error) ? undefined : `the list threw ${String(error)}`;
  }
}

/** Damage of a database is refused by SQLite, too. */
function isRefusal(error: unknown): boolean {
  return failureOf(error) !== undefined && !isHoldfastError(error, 'internal');
}

function faultOf(source: string, target: string, { failures, warnings }: RestoreReport): string | undefined {
  const restored = existsSync(target) ? readdirSync(target) : [];
  const stranger = restored.find((name) => !existsSync(join(source, name)));
  if (stranger !== undefined) return `restored ${stranger}, which nobody backed up`;
  const isRight = (name: string): boolean =>
    restored.includes(name) && readFileSync(join(target, name)).equals(readFileSync(join(source, name)));
  const wrong = readdirSync(source).filter((name) => !isRight(name));
  return wrong.length > 0 && failures.length + warnings.length === 0
    ? `${wrong.join(', ')} missing or wrong, and nothing is named`
    : undefined;
}

function altered(bytes: Uint8Array, at: number, mask: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[at]! ^= mask;
  return copy;
}

/** Positions of the bytes that are not zero: the rest of a page is free. */
function written(bytes: Uint8Array): readonly number[] {
  return Array.from(bytes.keys()).filter((at) => bytes[at] !== 0);
}

function writeFiles(source: string, random: Random): void {
  mkdirSync(source, { recursive: true });
  for (let file = 0; file < FILES; file += 1) {
    writeFileSync(join(source, `file ${file}`), random.bytes(50 + random.below(400)));
  }
}
