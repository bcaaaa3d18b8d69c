import { join } from 'node:path';
import type { Clock } from '../../../../src/base/clock.ts';
import { createEnvelope } from '../../../../src/format/crypto/key-envelope.ts';
import { deriveKeys } from '../../../../src/format/crypto/keys.ts';
import { connect, connectAsDevice } from '../../../../src/remote/connection.ts';
import { INTERACTIVE_RETRY_POLICY } from '../../../../src/remote/http/retrier.ts';
import type { BlobDownloader, BlobUploader, ServiceClient } from '../../../../src/remote/ports.ts';
import type { RetentionRequest } from '../../../../src/protocol/retention.ts';
import { Collector } from '../../../../src/repository/collect/collector.ts';
import { createRepository } from '../../../../src/repository/create-repository.ts';
import { newWriterKey, type WriterKey } from '../../../../src/format/repository/writer-key.ts';
import { RepositoryClient } from '../../../../src/repository/repository-client.ts';
import { Repository } from '../../../../src/repository/repository.ts';
import { BlobReader } from '../../../../src/repository/restore/blob-reader.ts';
import { performRetention } from '../../../../src/repository/retention/perform-retention.ts';
import { HandlerHttp } from '../../../helpers/service/handler-http.ts';
import { IN_PROCESS_URL, InProcessService } from '../../../helpers/service/in-process-service.ts';
import { MemoryStorage } from '../../../helpers/storage/memory-storage.ts';
import type { Days } from './days-campaign.ts';

const MASTER = Buffer.alloc(32, 7);
export const KEYS = deriveKeys(MASTER);
export const ENVELOPE = await createEnvelope(MASTER);

/** What a device signs in or signs with. */
export interface Credentials {
  readonly deviceId: string;
  readonly deviceKey?: string;
  readonly writerKey?: WriterKey;
}

export interface Access extends AsyncDisposable {
  readonly service: ServiceClient;
  readonly uploader: BlobUploader;
  readonly downloader: BlobDownloader;
}

/** A destination that several computers share. */
export interface SharedPlace extends AsyncDisposable {
  register(): Promise<Credentials>;
  /** Another computer continues a device, with keys of its own. */
  continued(credentials: Credentials): Credentials;
  /** @param folder of the home */
  connect(credentials: Credentials, folder: string, clock: Clock): Promise<Access>;
  retain(request: RetentionRequest): Promise<unknown>;
  /** Frees the space of what was removed, as far as that is due. */
  collect(): Promise<void>;
}

/** A repository in memory. An administrator's computer, whose clock is right, changes policies and collects. */
export async function repositoryPlace(folder: string, days: Days): Promise<SharedPlace> {
  const files = new Map();
  const storage = () => new MemoryStorage(files, () => days.now);
  const rightClock: Clock = { now: () => (days.now += 1), sleep: () => Promise.resolve() };
  const { description } = await createRepository(storage(), {
    masterKey: MASTER,
    keyEnvelope: ENVELOPE,
    clock: rightClock,
  });
  const open = (writerKey: WriterKey, id: string, home: string, clock: Clock): Repository => {
    const device = { id, name: 'computer', os: 'Linux', agent: 'test' };
    const options = { storage: storage(), description, masterKey: MASTER, writerKey, device, folder: home, clock };
    const repository = new Repository(options);
    repository.projection.database.pragma('synchronous = OFF');
    return repository;
  };
  const administratorKey = newWriterKey();
  const administrator = open(administratorKey, administratorKey.id, join(folder, 'administrator'), rightClock);
  const collector = new Collector(administrator);
  return {
    async register() {
      const writerKey = newWriterKey();
      return { deviceId: writerKey.id, writerKey };
    },
    continued: ({ deviceId }) => ({ deviceId, writerKey: newWriterKey() }),
    async connect({ deviceId, writerKey }, home, clock) {
      const repository = open(writerKey!, deviceId, home, clock);
      const client = new RepositoryClient(repository);
      return {
        service: client,
        uploader: client,
        downloader: new BlobReader(repository),
        [Symbol.asyncDispose]: async () => repository[Symbol.dispose](),
      };
    },
    retain: (request) => performRetention(administrator, collector, request),
    async collect() {
      const { stoppedBy } = await collector.collect();
      if (stoppedBy !== undefined) throw new Error(`nothing is collected: ${stoppedBy}`);
    },
    [Symbol.asyncDispose]: async () => administrator[Symbol.dispose](),
  };
}

/** A service of ours, whose clock is right. */
export async function servicePlace(folder: string, days: Days): Promise<SharedPlace> {
  const clock = { now: () => (days.now += 1) };
  const service = await InProcessService.open(folder, { create: true, clock });
  const http = new HandlerHttp(async (request) => {
    const response = await service.fetch(request);
    // As every server of HTTP does.
    response.headers.set('date', new Date(days.now).toUTCString());
    return response;
  });
  return {
    register: () => service.registerDevice({ name: 'computer', os: 'Linux', agent_version: 'test' }),
    continued: (credentials) => credentials,
    async connect({ deviceId, deviceKey }, _folder, own) {
      const connection = connect({ baseUrl: IN_PROCESS_URL, http, clock: own, policy: INTERACTIVE_RETRY_POLICY });
      const access = connectAsDevice(connection, { deviceId, deviceKey: deviceKey! });
      return { ...access, [Symbol.asyncDispose]: () => Promise.resolve() };
    },
    retain: (request) => service.retain(request),
    collect: () => service.service.tidy(),
    [Symbol.asyncDispose]: () => service.close(),
  };
}
