import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, type Clock } from '../../../src/base/clock.ts';
import { Catalog } from '../../../src/catalog/catalog.ts';
import { copyRestorePoints } from '../../../src/copy/copy-points.ts';
import type { CopyOptions, CopyReport, CopyRequest, CopyTarget } from '../../../src/copy/types.ts';
import { createEnvelope } from '../../../src/format/crypto/key-envelope.ts';
import { deriveKeys } from '../../../src/format/crypto/keys.ts';
import { listRestorePoints } from '../../../src/read/list.ts';
import { runRestore } from '../../../src/restore/restore.ts';
import { readTreeFooter } from '../../../src/read/source/tree.ts';
import type { LocalRestoreRequest, RestoreReport, VerifyReport } from '../../../src/restore/types.ts';
import { verifyRestorePoint } from '../../../src/restore/verify/verify.ts';
import type { BackupReport, BackupSetSpec } from '../../../src/archive/backup/types.ts';
import type { AuthorisedCalls } from '../../../src/remote/client/authorised-calls.ts';
import { connect, connectAsDevice } from '../../../src/remote/connection.ts';
import type { HttpClient } from '../../../src/remote/http/http-client.ts';
import { INTERACTIVE_RETRY_POLICY, type RetryPolicy } from '../../../src/remote/http/retrier.ts';
import type { VerifiedFooter } from '../../../src/format/tree/record.ts';
import type { WorkerPool } from '../../../src/workers/pool.ts';
import { createRepository, findRepository } from '../../../src/repository/create-repository.ts';
import { newWriterKey } from '../../../src/format/repository/writer-key.ts';
import { RepositoryClient } from '../../../src/repository/repository-client.ts';
import { Repository } from '../../../src/repository/repository.ts';
import { BlobReader } from '../../../src/repository/restore/blob-reader.ts';
import type { Storage } from '../../../src/storage/storage.ts';
import { backUpTo } from '../../helpers/backup.ts';
import { HandlerHttp } from '../../helpers/service/handler-http.ts';
import { IN_PROCESS_URL, InProcessService } from '../../helpers/service/in-process-service.ts';
import { FaultyStorage } from '../../helpers/storage/faulty-storage.ts';
import { MemoryStorage } from '../../helpers/storage/memory-storage.ts';
import { FAST_FOLDER } from '../../helpers/fast-folder.ts';
import { impatientClock } from '../../helpers/impatient-clock.ts';

export const SET = 'documents';
const MASTER = Buffer.alloc(32, 7);
const KEYS = deriveKeys(MASTER);
const ENVELOPE = await createEnvelope(MASTER);

/** A destination as the device of this computer there. */
export interface Place extends CopyTarget {
  readonly name: string;
  /** Of a repository. */
  readonly storage?: FaultyStorage;
  readonly files?: MemoryStorage['files'];
  readonly repository?: Repository;
  /** Of a device at a service. */
  readonly deviceKey?: string;
  readonly calls?: AuthorisedCalls;
}

interface ServiceConnection {
  readonly clock: Clock;
  readonly policy: RetryPolicy;
  readonly wrap: (http: HttpClient) => HttpClient;
}

/** A folder to back up and any number of destinations, with the real engine. */
export class CopyWorld implements AsyncDisposable {
  readonly folder = realpathSync(mkdtempSync(join(FAST_FOLDER, 'holdfast-copy-')));
  readonly source = join(this.folder, 'source');
  readonly #catalog: Catalog;
  readonly #pool: WorkerPool;
  readonly #resources = new AsyncDisposableStack();
  #targets = 0;

  /** @param pool shared with other worlds; its creator closes it */
  constructor(pool: WorkerPool) {
    this.#pool = pool;
    mkdirSync(this.source);
    mkdirSync(join(this.folder, 'scratch'));
    this.#catalog = this.#resources.use(new Catalog(join(this.folder, 'catalog.sqlite')));
  }

  async repository(name: string): Promise<Place> {
    const memory = new MemoryStorage();
    await createRepository(memory, { masterKey: MASTER, keyEnvelope: ENVELOPE, clock: systemClock });
    return await this.opened(name, memory);
  }

  /** Opens a repository, as another process of this computer if the key is the same. */
  async opened(name: string, memory: MemoryStorage, writerKey = newWriterKey()): Promise<Place> {
    const storage = new FaultyStorage(memory);
    return { ...(await this.stored(name, storage, writerKey)), storage, files: memory.files };
  }

  /** Creates a repository in a store, and opens it. */
  async newStored(name: string, storage: Storage): Promise<Place> {
    await createRepository(storage, { masterKey: MASTER, keyEnvelope: ENVELOPE, clock: systemClock });
    return await this.stored(name, storage);
  }

  /** Opens the repository in a store. */
  async stored(name: string, storage: Storage, writerKey = newWriterKey()): Promise<Place> {
    const { description } = (await findRepository(storage))!;
    const repository = this.#resources.use(
      new Repository({
        storage,
        description,
        masterKey: MASTER,
        writerKey,
        device: { id: writerKey.id, name, os: 'Linux', agent: 'test' },
        folder: join(this.folder, name),
        clock: systemClock,
      }),
    );
    repository.projection.database.pragma('synchronous = OFF');
    const client = new RepositoryClient(repository);
    const downloader = new BlobReader(repository);
    return { ...this.#end(name, writerKey.id), service: client, uploader: client, downloader, name, repository };
  }

  /** @param wrap changes what the engine sends and receives */
  async service(
    name: string,
    { wrap = (http) => http, ...connection }: Partial<ServiceConnection> = {},
  ): Promise<Place> {
    const service = await InProcessService.open(join(this.folder, name), { create: true });
    this.#resources.defer(() => service.close());
    const { deviceId, deviceKey } = await service.registerDevice({ name, os: 'Linux', agent_version: 'test' });
    const http = wrap(new HandlerHttp((request) => service.fetch(request)));
    const options = {
      baseUrl: IN_PROCESS_URL,
      http,
      clock: systemClock,
      policy: INTERACTIVE_RETRY_POLICY,
      ...connection,
    };
    const { calls, service: client, uploader, downloader } = connectAsDevice(connect(options), { deviceId, deviceKey });
    return { ...this.#end(name, deviceId), service: client, uploader, downloader, name, deviceKey, calls };
  }

  #end(name: string, deviceId: string): Pick<Place, 'deviceId' | 'catalog' | 'keyEnvelope'> {
    return { deviceId, catalog: this.#catalog.at(name), keyEnvelope: ENVELOPE };
  }

  backup(place: Place, changes: Partial<BackupSetSpec> = {}, keyEnvelope = ENVELOPE): Promise<BackupReport> {
    const spec = { excludes: [], presets: [], oneFileSystem: false, privateNames: false };
    const set = { name: SET, roots: [this.source], ...spec, ...changes };
    const dependencies = { ...this.#shared, ...place };
    const previousTree = async () => {
      const source = { deviceId: place.deviceId, backupSet: SET, at: 'latest' } as const;
      return await readTreeFooter(source, dependencies);
    };
    return backUpTo({ set, deviceId: place.deviceId, keyEnvelope }, { ...dependencies, previousTree });
  }

  copy(from: Place, to: Place, request: Partial<CopyRequest> = {}, options: CopyOptions = {}): Promise<CopyReport> {
    return copyRestorePoints({ sets: [SET], latest: false, ...request }, { ...this.#shared, from, to }, options);
  }

  /** Times of the restore points, the oldest first. */
  async points(place: Place): Promise<readonly string[]> {
    const points = await listRestorePoints({ deviceId: place.deviceId, backupSet: SET }, place);
    return points.map((point) => point.restore_point).toReversed();
  }

  /** The footers of all trees, the oldest first. */
  async footers(place: Place): Promise<readonly VerifiedFooter[]> {
    const footers: VerifiedFooter[] = [];
    for (const time of await this.points(place)) {
      const source = { deviceId: place.deviceId, backupSet: SET, at: Date.parse(time) };
      footers.push((await readTreeFooter(source, { ...this.#shared, ...place }))!.footer);
    }
    return footers;
  }

  /** Restores a restore point into a new folder. Returns the restored source. */
  async restore(
    place: Place,
    /** The newest by default. */
    time?: string,
    options: Pick<Partial<LocalRestoreRequest>, 'conflict'> & { readonly target?: string } = {},
  ): Promise<{ readonly target: string; readonly report: RestoreReport }> {
    this.#targets += 1;
    const { target = join(this.folder, `target-${this.#targets}`), ...request } = options;
    const at = time === undefined ? 'latest' : Date.parse(time);
    const source = { deviceId: place.deviceId, backupSet: SET, at } as const;
    const report = await runRestore(
      { set: SET, at: source.at, source, paths: [], to: target, sourceRoots: [], ...request },
      { ...this.#shared, ...place },
    );
    return { target: join(target, 'source'), report };
  }

  verify(place: Place, time: string): Promise<VerifyReport> {
    const source = { deviceId: place.deviceId, backupSet: SET, at: Date.parse(time) };
    return verifyRestorePoint({ source, samplePercent: 100 }, { ...this.#shared, ...place });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync();
    rmSync(this.folder, { recursive: true, force: true });
  }

  get #shared() {
    // Pauses before a chunk is read again need not be waited for.
    return { pool: this.#pool, keys: KEYS, clock: impatientClock, scratch: join(this.folder, 'scratch') };
  }
}
