import type { ServiceContext } from '../context.ts';
import type { KeyedBlob } from '../objects/object-store.ts';
import type { BackupSession } from '../store/backup/session-store.ts';
import { requireRoomFor } from './quota.ts';
import { uploadTargets } from './upload-targets.ts';

export interface SealedBlob {
  /** `sha256:<hex>` of the plaintext. */
  readonly hash: string;
  readonly bytes: Uint8Array;
}

export interface NewBlobs {
  readonly blobs: number;
  readonly bytes: number;
}

/**
 * Stores blobs of a session that have arrived together, and returns how many were new. Stored blobs are left unchanged. New ones are
 * durable, at the latest, when the session is completed.
 */
export async function putBlobs(
  context: ServiceContext,
  session: Pick<BackupSession, 'number' | 'accountId' | 'state'>,
  blobs: readonly SealedBlob[],
): Promise<NewBlobs> {
  const offered = blobs.map(({ hash, bytes }) => ({ hash, size: bytes.length }));
  const targets = await uploadTargets(context, session, offered);
  await requireRoomFor(context, session.accountId, targets);
  const { accountId } = session;
  const arriving: KeyedBlob[] = [];
  for (const [index, { bytes }] of blobs.entries()) {
    const { id: chunkId, digest, stored } = targets[index]!;
    if (!stored) arriving.push({ key: { accountId, chunkId, digest, size: bytes.length }, bytes });
  }
  const kept = await context.intake.put(arriving);
  return { blobs: kept.length, bytes: kept.reduce((sum, { key }) => sum + key.size, 0) };
}
