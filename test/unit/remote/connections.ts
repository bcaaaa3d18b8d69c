import { createHash, randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import type { BackupFileEntry } from '../../../src/protocol/backup.ts';
import { connectAsDevice, connectAsUser, connect } from '../../../src/remote/connection.ts';
import type { Connection, ConnectionOptions, SignedInConnection } from '../../../src/remote/connection.ts';
import type { CompletedRun, SealedBlob } from '../../../src/remote/ports.ts';
import { RUN_RETRY_POLICY } from '../../../src/remote/http/retrier.ts';
import { signIn } from '../../../src/remote/sign-in/sign-in.ts';
import { UndiciHttp } from '../../../src/remote/http/undici-http.ts';
import type { SessionStore, StoredSession } from '../../../src/remote/sign-in/user-token-source.ts';
import { startStrictService } from '../../helpers/strict-service/strict-service.ts';
import type { StrictService, StrictServiceOptions } from '../../helpers/strict-service/strict-service.ts';
import { InstantClock } from './instant-clock.ts';

/** Starts a strict service that closes itself after the test. */
export async function strictService(options?: StrictServiceOptions): Promise<StrictService> {
  const service = await startStrictService(options);
  onTestFinished(() => service.close());
  return service;
}

/** Connects over real sockets, with a clock that advances by sleeping. */
export function connectTo(baseUrl: string, options: Partial<ConnectionOptions> = {}): Connection {
  const http = new UndiciHttp();
  onTestFinished(() => http.close());
  return connect({ baseUrl, http, clock: new InstantClock(), policy: RUN_RETRY_POLICY, random: () => 0.5, ...options });
}

export function deviceOf(service: StrictService, options: Partial<ConnectionOptions> = {}): SignedInConnection {
  const { id: deviceId, key: deviceKey } = service.device;
  return connectAsDevice(connectTo(service.baseUrl, options), { deviceId, deviceKey });
}

/** Signs in with e-mail, password and code. The store in memory records what is persisted. */
export async function userOf(
  service: StrictService,
  options: Partial<ConnectionOptions> = {},
): Promise<{ readonly connection: SignedInConnection; readonly store: MemorySessionStore }> {
  const connection = connectTo(service.baseUrl, options);
  const { email, password } = service.user;
  const session = await signIn(connection.calls, { email, password, code: service.code() });
  const store = new MemorySessionStore({
    refreshToken: session.refresh_token,
    accessToken: session.access_token,
    expiresAt: connection.options.clock.now() + session.expires_in * 1000,
  });
  return { connection: await connectAsUser(connection, store), store };
}

export class MemorySessionStore implements SessionStore {
  stored: StoredSession | undefined;
  readonly persisted: StoredSession[] = [];
  /** Thrown by `persist` if it is set. */
  failure: Error | undefined;

  constructor(stored: StoredSession | undefined) {
    this.stored = stored;
  }

  load(): Promise<StoredSession | undefined> {
    return Promise.resolve(this.stored);
  }

  async persist(session: StoredSession): Promise<void> {
    await Promise.resolve();
    if (this.failure) throw this.failure;
    this.stored = session;
    this.persisted.push(session);
  }
}

/** Random chunks of the given sizes, as a manifest of one file and as blobs of the right length. */
export function sampleFile(
  path: string,
  sizes: readonly number[],
): { readonly file: BackupFileEntry; readonly blobs: readonly SealedBlob[] } {
  const chunks = sizes.map((size) => {
    const plaintext = randomBytes(size);
    return { hash: `sha256:${createHash('sha256').update(plaintext).digest('hex')}`, size };
  });
  return {
    file: {
      path,
      size: sizes.reduce((sum, size) => sum + size, 0),
      modified: '2026-01-02T03:04:05.678Z',
      chunks,
    },
    blobs: chunks.map(({ hash, size }) => ({ hash, bytes: randomBytes(size + 28), size, kind: 'data' as const })),
  };
}

/** Sends a manifest of these files. Returns its session and the hashes that the service needs. */
export async function beginBackup(
  connection: SignedInConnection,
  deviceId: string,
  files: readonly BackupFileEntry[],
): Promise<{ readonly sessionId: string; readonly needed: readonly string[] }> {
  const needed: string[] = [];
  const head = await connection.service.backupInit(
    { deviceId, backupSet: 'documents', files: () => inOneBatch(files) },
    (chunks) => needed.push(...chunks.map(({ hash }) => hash)),
    undefined,
    () => needed.splice(0),
  );
  return { sessionId: head.session_id, needed };
}

export async function* inOneBatch<T>(items: readonly T[]): AsyncGenerator<readonly T[]> {
  await Promise.resolve();
  yield items;
}

export const SAMPLE_STATS = {
  files_processed: 1,
  chunks_new: 1,
  chunks_deduped: 0,
  bytes_scanned: 1,
  bytes_uploaded: 1,
  duration_seconds: 0,
};

/** Makes a complete backup of these files and blobs. */
export async function backUp(
  connection: SignedInConnection,
  deviceId: string,
  sample: { readonly files: readonly BackupFileEntry[]; readonly blobs: readonly SealedBlob[] },
): Promise<CompletedRun> {
  const { sessionId, needed } = await beginBackup(connection, deviceId, sample.files);
  await connection.uploader.upload(
    sessionId,
    sample.blobs.filter(({ hash }) => needed.includes(hash)),
  );
  return connection.service.backupComplete(sessionId, SAMPLE_STATS);
}

/** Opens the newest tree and downloads all its chunks. */
export async function restoreAll(
  connection: SignedInConnection,
  deviceId: string,
  beforeDownload?: () => void,
): Promise<ReadonlyMap<string, Uint8Array | undefined>> {
  const hashes = new Set<string>();
  const head = await connection.service.restoreManifest(
    {
      device_id: deviceId,
      backup_set: 'documents',
      point_in_time: new Date(connection.service.now() + 60_000).toISOString(),
      path: '',
      recursive: true,
    },
    (files) => files.forEach(({ chunks }) => chunks.forEach((hash) => hashes.add(hash))),
    undefined,
    () => hashes.clear(),
  );
  beforeDownload?.();
  return downloadAll(connection, head.restore_session_id, [...hashes]);
}

export async function downloadAll(
  connection: SignedInConnection,
  sessionId: string,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, Uint8Array | undefined>> {
  const arrived = new Map<string, Uint8Array | undefined>();
  await connection.downloader.download(sessionId, hashes, (hash, bytes) => {
    if (arrived.has(hash)) throw new Error(`${hash} was handed over twice`);
    arrived.set(hash, bytes);
  });
  return arrived;
}
