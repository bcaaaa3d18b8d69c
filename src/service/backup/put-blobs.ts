import type { ServiceContext } from '../context.ts';
import type { ArrivingBlob } from './blob-intake.ts';
import type { BackupSession } from './store/session.ts';
import { requireRoomFor } from './quota.ts';
import { PRESIGNED_LIFETIME } from '../objects/presigned-url.ts';
import { uploadTargets } from './upload-targets.ts';

export interface SealedBlob {
  /** `sha256:<hex>` of the plaintext. */
  readonly hash: string;
  readonly bytes: Uint8Array;
  /** Bytes of the plaintext. */
  readonly size: number;
}

export interface NewBlobs {
  readonly blobs: number;
  readonly bytes: number;
  readonly plaintextBytes: number;
}

/**
 * Stores blobs of a session that have arrived together, and returns how many were new. Stored blobs are left unchanged. New ones are
 * durable, at the latest, when the session is completed.
 */
export async function putBlobs(
  context: ServiceContext,
  session: Pick<BackupSession, 'number' | 'accountId' | 'setNumber' | 'state'>,
  blobs: readonly SealedBlob[],
): Promise<NewBlobs> {
  const offered = blobs.map(({ hash, bytes, size }) => ({ hash, size: bytes.length, plaintextSize: size }));
  const targets = await uploadTargets(context, session, offered);
  const { accountId } = session;
  // Until they are recorded as stored, packs that arrive at the same time count each other's blobs.
  const until = context.clock.now() + PRESIGNED_LIFETIME * 1000;
  const reserved = await requireRoomFor(context, accountId, offered, targets, until);
  const arriving: ArrivingBlob[] = [];
  for (const [index, { bytes }] of blobs.entries()) {
    const { id: chunkId, digest, size: plaintextSize, stored } = targets[index]!;
    if (!stored) arriving.push({ key: { accountId, chunkId, digest, size: bytes.length }, bytes, plaintextSize });
  }
  const unused = new Set(reserved);
  try {
    const kept = await context.intake.put(arriving);
    for (const { key } of kept) unused.delete(key.chunkId);
    return totalsOf(kept);
  } finally {
    // Those that another request has stored meanwhile, or all if they could not be stored.
    for (const id of unused) context.reservations.release(id);
  }
}

function totalsOf(kept: readonly ArrivingBlob[]): NewBlobs {
  return {
    blobs: kept.length,
    bytes: kept.reduce((sum, { key }) => sum + key.size, 0),
    plaintextBytes: kept.reduce((sum, { plaintextSize }) => sum + plaintextSize, 0),
  };
}
