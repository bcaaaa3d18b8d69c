import { requireRoomFor } from '../backup/quota.ts';
import { requireRoomToGrow } from '../backup/room-to-grow.ts';
import type { ServiceContext } from '../context.ts';
import { type BlobKey, BlobLengthError } from '../objects/object-store.ts';
import { releaseOwnMemory } from '../../base/limits/release-memory.ts';
import { OBJECTS_PATH, PRESIGNED_LIFETIME, type PresignedRequest } from '../objects/presigned-url.ts';
import { arrivingBytes } from '../request/arriving-bytes.ts';
import { ServiceProblem } from '../request/problem.ts';
import { BLOB_PIECE, readBlobPart } from '../restore/read-blobs.ts';
import type { ChunkRow } from '../backup/store/chunk-store.ts';
import { emptyAnswer, rangeAnswer } from '../request/answer.ts';
import type { Exchange, Handler, Route, RouteContext } from './routes.ts';

/** Object storage: the presigned URL is the whole authorisation. */
export function objectRoutes({ service }: RouteContext): readonly Route[] {
  // If clients access the storage directly, nothing passes through the service.
  if (service.objects.direct) return [];
  return [
    {
      path: `${OBJECTS_PATH}/:account_id/:digest`,
      methods: { GET: createDownload(service), PUT: createUpload(service) },
    },
  ];
}

function createUpload(service: ServiceContext): Handler {
  return async (exchange) => {
    const { allowed, chunk, key } = await presignedBlob(service, exchange);
    const announced = exchange.request.headers.get('content-length');
    if (announced !== null && Number(announced) !== allowed.size) throw otherLength();
    if (await isStored(service, chunk)) throw new ServiceProblem('blob_exists');
    requireRoomToGrow(service);
    const blob = await service.objects.receive(key, piecesOf(exchange.request)).catch((error: unknown) => {
      throw error instanceof BlobLengthError ? otherLength() : error;
    });
    // Meanwhile the session may have ended, or another process may have stored the chunk.
    const [now] = await service.metadata.chunks.find(await accountNumber(service, allowed), [digestOf(allowed)]);
    if (!now || (await isStored(service, now))) {
      await blob.discard();
      throw new ServiceProblem(now ? 'blob_exists' : 'url_invalid');
    }
    try {
      await requireInTime(service, allowed, now.id);
    } catch (error) {
      await blob.discard();
      throw error;
    }
    const kept = await service.intake.keep(key, allowed.plaintextSize, blob);
    await service.intake.settle();
    if (!kept) throw new ServiceProblem('blob_exists');
    return emptyAnswer();
  };
}

/**
 * Its bytes are reserved until the address expires, in the process that signed it. In another one, after a restart, and if the body took
 * longer, it needs room again. It is refused if it took as long again.
 *
 * @throws ServiceProblem `url_invalid`, `quota_exceeded`
 */
async function requireInTime(service: ServiceContext, allowed: PresignedRequest, chunkId: number): Promise<void> {
  const now = service.clock.now();
  const { accountId, size, expires } = allowed;
  const late = now - expires * 1000;
  if (late < 0 && service.reservations.holds(chunkId, size, now)) return;
  if (late >= PRESIGNED_LIFETIME * 1000) {
    throw new ServiceProblem('url_invalid', { detail: 'the address expired long before the body ended' });
  }
  const target = { id: chunkId, stored: false };
  await requireRoomFor(service, accountId, [{ size }], [target], now + PRESIGNED_LIFETIME * 1000);
}

/** A consumer has finished with a piece when it requests the next one. */
async function* piecesOf(request: Request): AsyncGenerator<Uint8Array> {
  for await (const piece of arrivingBytes(request)) {
    yield piece;
    releaseOwnMemory(piece);
  }
}

function createDownload(service: ServiceContext): Handler {
  return async (exchange) => {
    const { allowed, chunk, key } = await presignedBlob(service, exchange);
    if (chunk.blobSize !== key.size) throw new ServiceProblem('not_found');
    return rangeAnswer(key.size, exchange.request.headers, async (range) => {
      const pieces = await readBlobPart(service, key, range);
      if (!pieces) throw new ServiceProblem('not_found');
      return service.downloads.begin(allowed, Math.min(range.to - range.from, BLOB_PIECE), pieces);
    });
  };
}

interface PresignedBlob {
  readonly allowed: PresignedRequest;
  readonly chunk: ChunkRow;
  readonly key: BlobKey;
}

async function presignedBlob(service: ServiceContext, { request, url }: Exchange): Promise<PresignedBlob> {
  const allowed = service.signer.verify(request.method, url, service.clock.now());
  if (!allowed) throw new ServiceProblem('url_invalid');
  const [chunk] = await service.metadata.chunks.find(await accountNumber(service, allowed), [digestOf(allowed)]);
  // The session of the URL has ended, and nobody else needs the chunk.
  if (!chunk) throw new ServiceProblem('url_invalid');
  const { accountId, digest, size } = allowed;
  return { allowed, chunk, key: { accountId, chunkId: chunk.id, digest, size } };
}

/** Counts arrived blobs as stored, but only after they are on disk. */
async function isStored({ intake }: ServiceContext, chunk: ChunkRow): Promise<boolean> {
  if (chunk.size !== undefined) return true;
  if (!intake.has(chunk.id)) return false;
  await intake.settle();
  return true;
}

async function accountNumber({ metadata }: ServiceContext, { accountId }: PresignedRequest): Promise<number> {
  const account = await metadata.accounts.findAccount(accountId);
  if (!account) throw new ServiceProblem('url_invalid');
  return account.number;
}

function digestOf({ digest }: PresignedRequest): Buffer {
  return Buffer.from(digest, 'hex');
}

function otherLength(): ServiceProblem {
  return new ServiceProblem('url_invalid', { detail: 'the body has another length than the address was signed for' });
}
