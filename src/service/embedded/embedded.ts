import type { RetentionAnswer, RetentionRequest } from '../../protocol/retention.ts';
import { type Logger, pino } from 'pino';
import { ENDPOINTS } from '../../protocol/endpoints.ts';
import { putBlobs, type NewBlobs, type SealedBlob } from '../backup/put-blobs.ts';
import { requireAccepting } from '../backup/session-access.ts';
import { listDevices, registerDevice } from '../devices/devices.ts';
import type { HomeBucket } from './home-bucket.ts';
import { problemAnswer } from '../request/answer.ts';
import { openStores } from '../open-stores.ts';
import { ServiceProblem, toServiceProblem } from '../request/problem.ts';
import { getBlobs } from '../restore/get-blobs.ts';
import { performRetention } from '../retention/retention.ts';
import { type Service, createService } from '../service.ts';
import type { BackupSession } from '../store/backup/session-store.ts';
import type { MetadataStore } from '../store/metadata-store.ts';

/** Base address of requests to `EmbeddedService.fetch`. No socket listens there. */
export const EMBEDDED_BASE_URL = 'http://holdfast.embedded';

export interface EmbeddedService {
  /** The whole interface; base address `http://holdfast.embedded`. */
  fetch(request: Request): Promise<Response>;
  /**
   * Stores blobs without HTTP, authorised by the session and with their sizes checked. Gives the same guarantees as PUT when
   * complete responds. Throws `ServiceProblem` (`insufficient_storage`, `session_not_found`, `chunk_not_in_session` …).
   */
  putBlobs(sessionId: string, blobs: readonly SealedBlob[]): Promise<NewBlobs>;
  /**
   * Returns blobs in the order of `hashes`; `undefined` for a missing blob.
   *
   * @param room memory for the blobs, shared with the caller: those that find room lie in it, others get memory of their
   *   own
   */
  getBlobs(
    restoreSessionId: string,
    hashes: readonly string[],
    room?: Uint8Array<SharedArrayBuffer>,
  ): Promise<(Uint8Array | undefined)[]>;
  registerDevice(device: {
    name: string;
    os: string;
    agent_version: string;
  }): Promise<{ deviceId: string; deviceKey: string }>;
  listDevices(): Promise<readonly { id: string; name: string }[]>;
  /** An owner's retention request; unused data is deleted before it returns. */
  retention(request: RetentionRequest): Promise<RetentionAnswer>;
  /** Returns a device's access token, valid for an hour. Anybody who can open the folder owns its contents and needs no key. */
  deviceToken(deviceId: string): Promise<string>;
  close(): Promise<void>;
}

export interface EmbeddedOptions {
  /** Initialises the folder as a store with a single account if necessary. */
  readonly create?: boolean;
  /** Location of the blobs and a copy of the metadata, if not in the folder. */
  readonly bucket?: HomeBucket | undefined;
  readonly log?: Logger;
}

/** The service inside the agent: the same code and store as the server, without a socket. */
export async function openEmbeddedService(directory: string, options: EmbeddedOptions = {}): Promise<EmbeddedService> {
  const { create = false, bucket } = options;
  const prepare = async ({ accounts }: MetadataStore): Promise<void> => {
    if (!(await accounts.firstAccount())) await accounts.createAccount(Date.now());
  };
  const log = options.log ?? pino({ level: 'silent' });
  if (!bucket) {
    const stores = await openStores(directory, { create }, prepare);
    return opened(await createService({ ...stores, log, publicUrl: EMBEDDED_BASE_URL }), async () => undefined);
  }
  // Loaded on demand: the S3 client is larger than the rest of the service.
  const { openHomeStores } = await import('./home-bucket.ts');
  const { publish, ...stores } = await openHomeStores(directory, bucket, create, prepare);
  return opened(await createService({ ...stores, log, publicUrl: EMBEDDED_BASE_URL }), publish);
}

function opened(service: Service, publish: () => Promise<void>): EmbeddedService {
  service.keepHouse();
  return new Embedded(service, publish);
}

class Embedded implements EmbeddedService {
  readonly #service: Service;
  readonly #publish: () => Promise<void>;
  /** Caches the session of arriving blobs, which saves a query per batch. */
  #session: BackupSession | undefined;

  /** @param publish resolves when earlier changes are visible to other computers */
  constructor(service: Service, publish: () => Promise<void>) {
    this.#service = service;
    this.#publish = publish;
  }

  async fetch(request: Request): Promise<Response> {
    // Init, complete and abort change sessions: the cached one may be outdated after any request.
    this.#session = undefined;
    try {
      const response = await this.#service.fetch(request);
      if (response.ok && new URL(request.url).pathname === ENDPOINTS.backupComplete) await this.#publish();
      return response;
    } catch (error) {
      return problemAnswer(asPublishProblem(error));
    } finally {
      this.#session = undefined;
    }
  }

  async putBlobs(sessionId: string, blobs: readonly SealedBlob[]): Promise<NewBlobs> {
    try {
      return await putBlobs(this.#service.context, await this.#takingSession(sessionId), blobs);
    } catch (error) {
      throw toServiceProblem(error);
    }
  }

  async getBlobs(
    restoreSessionId: string,
    hashes: readonly string[],
    room?: Uint8Array<SharedArrayBuffer>,
  ): Promise<(Uint8Array | undefined)[]> {
    const { context, restores } = this.#service;
    try {
      const session = await context.metadata.restores.find(restoreSessionId);
      if (!session || session.expiresAt <= context.clock.now()) throw new ServiceProblem('session_not_found');
      return await getBlobs({ service: context, restores }, session, hashes, room);
    } catch (error) {
      throw toServiceProblem(error);
    }
  }

  async registerDevice(device: { name: string; os: string; agent_version: string }) {
    const { context } = this.#service;
    const registered = await registerDevice(context, await this.#accountId(), device);
    await this.#publish();
    return { deviceId: registered.device.id, deviceKey: registered.device_key };
  }

  async listDevices(): Promise<readonly { id: string; name: string }[]> {
    const devices = await listDevices(this.#service.context, await this.#accountId());
    return devices.filter(({ status }) => status !== 'revoked').map(({ id, name }) => ({ id, name }));
  }

  async retention(request: RetentionRequest): Promise<RetentionAnswer> {
    try {
      const { context } = this.#service;
      const answer = await performRetention(context, await this.#accountId(), request);
      if (request.action !== 'show' && request.action !== 'preview') await this.#publish();
      if (answer.removed === 0) return answer;
      await this.#service.tidy();
      const { device_id, backup_set } = request;
      const after = await performRetention(context, await this.#accountId(), { action: 'show', device_id, backup_set });
      return request.action === 'preview' ? answer : { ...answer, state: after.state };
    } catch (error) {
      throw asPublishProblem(error);
    }
  }

  async deviceToken(deviceId: string): Promise<string> {
    const { context, tokens } = this.#service;
    const claims = { kind: 'device', sub: deviceId, account: await this.#accountId() } as const;
    return tokens.issue(claims, context.clock.now());
  }

  close(): Promise<void> {
    return this.#service.close();
  }

  async #takingSession(id: string): Promise<BackupSession> {
    const { metadata, activity, clock } = this.#service.context;
    let session = this.#session?.id === id ? this.#session : await metadata.sessions.find(id);
    if (!session) throw new ServiceProblem('session_not_found');
    session = requireAccepting(session);
    this.#session = session;
    await activity.record(session, clock.now());
    return session;
  }

  async #accountId(): Promise<string> {
    const account = await this.#service.context.metadata.accounts.firstAccount();
    if (!account) throw new ServiceProblem('not_found', { detail: 'the store has no account' });
    return account.id;
  }
}

/** A run is not complete until other computers can see it. */
function asPublishProblem(error: unknown): ServiceProblem {
  if (!(error instanceof Error && error.name === 'CopyOutdatedError')) return toServiceProblem(error);
  const detail = 'another computer has backed up to this place since this run began; run it again';
  return new ServiceProblem('conflict', { detail, cause: error });
}
