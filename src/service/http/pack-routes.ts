import { bufferOf } from '../../base/buffer-of.ts';
import {
  backupPackRequest,
  LARGEST_PACK,
  MOST_PACKED_BLOBS,
  PACK_MEDIA_TYPE,
  packIndex,
  readPackIndex,
  restorePackRequest,
} from '../../protocol/bodies/blob-pack.ts';
import type { PackResponse } from '../../protocol/bodies/blob-pack.ts';
import { formatChunkHash } from '../../protocol/chunk-hash.ts';
import { ENDPOINTS } from '../../protocol/endpoints.ts';
import { callerOf } from '../auth/authenticate.ts';
import { requirePermission } from '../auth/permissions.ts';
import { personOf } from '../auth/person-of.ts';
import { requireRoomToGrow } from '../backup/room-to-grow.ts';
import { putBlobs } from '../backup/put-blobs.ts';
import type { SealedBlob } from '../backup/put-blobs.ts';
import { findAcceptingSession, findSession, recordUse, requireAccepting } from '../backup/session-access.ts';
import type { ServiceContext } from '../context.ts';
import type { Caller } from '../caller.ts';
import type { BlobKey } from '../objects/object-store.ts';
import { PACKS_PATH } from '../objects/presigned-url.ts';
import type { PackBearer, PackRequest } from '../objects/presigned-url.ts';
import { PRESIGNED_LIFETIME } from '../objects/presigned-url.ts';
import type { ByteLease } from '../request/byte-budget.ts';
import { ServiceProblem } from '../request/problem.ts';
import { arrivingBytes } from '../request/arriving-bytes.ts';
import { readInPace } from '../request/read-in-pace.ts';
import { readBlobPart, readBlobs } from '../restore/read-blobs.ts';
import { findDownloadSession, handOutChunks, type BackupCheck } from '../restore/restore-access.ts';
import type { RestoreSession } from '../restore/restore-store.ts';
import { jsonResponse } from '../request/answer.ts';
import { readJson } from './body.ts';
import { withCaller } from './routes.ts';
import type { Exchange, Handler, Route, RouteContext } from './routes.ts';

/** Bytes of blobs in memory while a pack is sent; a larger blob is read in pieces. */
const READ_BYTES = 2 ** 20;

/**
 * Transfers many small blobs in one request, if the service is the object storage: the URL is presigned like those of
 * single blobs, for the packs of one session.
 */
export function packRoutes(context: RouteContext): readonly Route[] {
  const { service } = context;
  // Direct uploads to the storage have one blob each.
  if (service.objects.direct) return [];
  const backup = withCaller(context, async ({ request, baseUrl }, caller) => {
    const { session_id: id } = await readJson(request, backupPackRequest);
    const session = await findAcceptingSession(service, caller, id);
    return presigned(service, baseUrl, { kind: 'backup', sessionId: session.id, bearer: bearerOf(caller) });
  });
  const restore = withCaller(context, async ({ request, baseUrl }, caller) => {
    const { restore_session_id: id } = await readJson(request, restorePackRequest);
    const session = await findDownloadSession(service, caller, id);
    return presigned(service, baseUrl, { kind: 'restore', sessionId: session.id, bearer: bearerOf(caller) });
  });
  return [
    { path: ENDPOINTS.backupPack, methods: { POST: backup } },
    { path: ENDPOINTS.restorePack, methods: { POST: restore } },
    { path: `${PACKS_PATH}/backup/:session_id`, methods: { POST: createUpload(service) } },
    { path: `${PACKS_PATH}/restore/:session_id`, methods: { POST: createDownload(context) } },
  ];
}

function presigned(
  { signer, clock }: ServiceContext,
  baseUrl: string,
  request: Omit<PackRequest, 'expires'>,
): Response {
  const expires = Math.floor(clock.now() / 1000) + PRESIGNED_LIFETIME;
  const answer: PackResponse = {
    url: signer.signPack(baseUrl, { ...request, expires }),
    expires_in: PRESIGNED_LIFETIME,
  };
  return jsonResponse(answer);
}

function createUpload(service: ServiceContext): Handler {
  return async (exchange) => {
    const { sessionId, bearer } = allowed(service, exchange, 'backup');
    const caller = await requireStill(service, bearer, 'backup');
    requireRoomToGrow(service);
    await recordUse(service, await findSession(service, caller, sessionId));
    const memory = await packMemoryOf(service, caller);
    try {
      const blobs = blobsOf(await readPack(exchange, memory));
      // While the pack arrived, its sender may have lost every right.
      const still = await requireStill(service, bearer, 'backup');
      const session = requireAccepting(await findSession(service, still, sessionId));
      const stored = await putBlobs(service, session, blobs);
      // Like a single blob, an acknowledged one must be on disk.
      await service.intake.settle();
      const { plaintextBytes: plaintext_bytes, ...rest } = stored;
      return jsonResponse({ ...rest, plaintext_bytes });
    } finally {
      memory.release();
    }
  };
}

function createDownload({ service, restores }: RouteContext): Handler {
  return async (exchange) => {
    const { sessionId, bearer } = allowed(service, exchange, 'restore');
    const caller = await requireStill(service, bearer, 'restore');
    const session = await downloadSession(service, sessionId);
    const index = readPackIndex(await readRequestedPack(service, exchange, caller));
    if (!index) throw notAPack();
    await requireStill(service, bearer, 'restore');
    const digests = index.entries.map(({ digest }) => digest);
    const keys = await handOutChunks({ service, restores }, session, digests.map(hashOf));
    const pieces = packOf(service, digests, keys);
    return new Response(service.downloads.begin(await personOf(service, caller), READ_BYTES, pieces), {
      headers: { 'content-type': PACK_MEDIA_TYPE, 'cache-control': 'no-store' },
    });
  };
}

/** Confirms that whom a URL was given to still has a permission. @throws ServiceProblem 401 or 403 */
async function requireStill(service: ServiceContext, bearer: PackBearer, permission: 'backup' | 'restore') {
  const caller = await callerOf(service, bearer);
  requirePermission(caller, permission);
  return caller;
}

function bearerOf(caller: Caller): PackBearer {
  const { accountId: account } = caller;
  if (caller.kind === 'device') return { kind: 'device', sub: caller.deviceId, account };
  return { kind: 'user', sub: caller.userId, account, family: caller.familyId };
}

/** The URL was given to somebody who may download with this session. */
async function downloadSession(service: ServiceContext, id: string): Promise<RestoreSession | BackupCheck> {
  const backup = await service.metadata.sessions.find(id);
  if (backup) return { kind: 'check', id, accountId: requireAccepting(backup).accountId };
  const session = await service.metadata.restores.find(id);
  if (!session || session.expiresAt <= service.clock.now()) throw new ServiceProblem('session_not_found');
  return session;
}

/** A blob that is missing after its length was sent aborts the response, and is omitted from the next one. */
async function* packOf(
  service: ServiceContext,
  digests: readonly Uint8Array[],
  keys: readonly (BlobKey | undefined)[],
): AsyncGenerator<Uint8Array> {
  yield packIndex(digests.map((digest, index) => ({ digest, bytes: keys[index]?.size ?? 0, size: 0 })));
  for (const batch of batchesOf(keys.filter((key) => key !== undefined))) {
    const [first] = batch;
    if (first && first.size > READ_BYTES) {
      const pieces = await readBlobPart(service, first, { from: 0, to: first.size });
      if (!pieces) throw new ServiceProblem('not_found', { detail: 'a blob is gone' });
      yield* pieces;
      continue;
    }
    const blobs = await readBlobs(service, batch);
    const present = blobs.filter((blob) => blob !== undefined);
    if (present.length < blobs.length) throw new ServiceProblem('not_found', { detail: 'a blob is gone' });
    yield Buffer.concat(present);
  }
}

function* batchesOf(keys: readonly BlobKey[]): Generator<readonly BlobKey[]> {
  let batch: BlobKey[] = [];
  let bytes = 0;
  for (const key of keys) {
    if (batch.length > 0 && bytes + key.size > READ_BYTES) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(key);
    bytes += key.size;
  }
  if (batch.length > 0) yield batch;
}

function allowed(service: ServiceContext, { url }: Exchange, kind: PackRequest['kind']): PackRequest {
  const request = service.signer.verifyPack(url, service.clock.now());
  if (request?.kind !== kind) throw new ServiceProblem('url_invalid');
  return request;
}

async function readRequestedPack(service: ServiceContext, exchange: Exchange, caller: Caller): Promise<Uint8Array> {
  const memory = await packMemoryOf(service, caller);
  try {
    return await readPack(exchange, memory);
  } finally {
    memory.release();
  }
}

/** The memory of one body. Like downloads, bodies of one person leave room for those of the others. */
async function packMemoryOf(service: ServiceContext, caller: Caller): Promise<ByteLease> {
  const { accountId, person } = await personOf(service, caller);
  return service.packMemory.lease(accountId, person);
}

/** Reads the whole body. Its length must be declared, so that nothing larger is read. */
async function readPack({ request }: Exchange, memory: ByteLease): Promise<Uint8Array> {
  const length = request.headers.get('content-length');
  if (length === null) throw new ServiceProblem('malformed_request', { detail: 'Content-Length is missing' });
  if (Number(length) > LARGEST_PACK) throw new ServiceProblem('too_large', { detail: `at most ${LARGEST_PACK} bytes` });
  return readInPace(arrivingBytes(request), memory);
}

function blobsOf(pack: Uint8Array): readonly SealedBlob[] {
  const index = readPackIndex(pack);
  if (!index) throw notAPack();
  let offset = index.length;
  const blobs = index.entries.map(({ digest, bytes, size }): SealedBlob => {
    const blob = { hash: hashOf(digest), bytes: pack.subarray(offset, offset + bytes), size };
    offset += bytes;
    return blob;
  });
  if (offset !== pack.length) throw notAPack();
  return blobs;
}

function hashOf(digest: Uint8Array): string {
  return formatChunkHash(bufferOf(digest).toString('hex'));
}

function notAPack(): ServiceProblem {
  return new ServiceProblem('malformed_request', {
    detail: `the body is no pack of at most ${MOST_PACKED_BLOBS} blobs`,
  });
}
