import { BLOB_OVERHEAD } from '../../protocol/blob.ts';
import { hexDigestOf } from '../../protocol/chunk-hash.ts';
import type { ServiceContext } from '../context.ts';
import { ServiceProblem } from '../request/problem.ts';
import type { BackupSession } from './store/session.ts';
import type { NeededChunk } from './store/chunk-store.ts';
import { MAXIMUM_CHUNK_BYTES } from './store/packed-chunks.ts';
import { withinPersonQuota } from './person-quota.ts';

const DIGEST_BYTES = 32;

/** A blob that a client wants to upload. */
export interface OfferedBlob {
  /** `sha256:<hex>` of the plaintext. */
  readonly hash: string;
  /** Bytes of the blob. */
  readonly size: number;
  /** Bytes of the plaintext; absent from a client that does not compress. */
  readonly plaintextSize?: number | undefined;
}

/** A blob's chunk: `size` is that of its plaintext, `stored` if it is stored already, `expected` if the session needs it. */
export type UploadTarget = NeededChunk & { readonly stored: boolean; readonly expected: boolean };

type AcceptingSession = Pick<BackupSession, 'number' | 'accountId' | 'setNumber' | 'state'>;

/**
 * Finds the chunks of offered blobs, in their order. A waiting session accepts any chunk; one with a manifest those that the manifest
 * needs, and others only if they are stored.
 *
 * @throws ServiceProblem `chunk_not_in_session`, `chunk_size_mismatch`, `session_closed`, `quota_exceeded`
 */
export async function uploadTargets(
  context: ServiceContext,
  session: AcceptingSession,
  offered: readonly OfferedBlob[],
): Promise<readonly UploadTarget[]> {
  const targets = session.state === 'waiting' ? earlyTargets : neededTargets;
  const found = await targets(context, session, offered);
  for (const [index, { hash, size }] of offered.entries()) checkBlobSize(hash, found[index]!.size, size);
  return found;
}

async function earlyTargets(
  context: ServiceContext,
  session: AcceptingSession,
  offered: readonly OfferedBlob[],
): Promise<readonly UploadTarget[]> {
  const chunks = offered.map(({ hash, size: blobSize, plaintextSize }) => {
    const size = plaintextSize ?? blobSize - BLOB_OVERHEAD;
    if (size > 0 && size <= MAXIMUM_CHUNK_BYTES) return { digest: digestOf(hash), size };
    const detail = `a chunk has from 1 to ${MAXIMUM_CHUNK_BYTES} bytes`;
    throw new ServiceProblem('chunk_size_mismatch', { detail });
  });
  const { number, setNumber } = session;
  const targets = await withinPersonQuota(context, setNumber, [number], () =>
    context.metadata.chunks.needEarly(session, chunks),
  );
  if (!targets)
    throw new ServiceProblem('session_closed', { detail: 'the session does not wait for its manifest any more' });
  return targets.map(({ id, digest, size, stored }) => ({ id, digest, size, stored, expected: !stored }));
}

async function neededTargets(
  context: ServiceContext,
  session: AcceptingSession,
  offered: readonly OfferedBlob[],
): Promise<readonly UploadTarget[]> {
  const digests = offered.map(({ hash }) => digestOf(hash));
  const needed = await context.metadata.chunks.findNeeded(session, digests, 'as-needed');
  const targets = needed.map((chunk) => chunk && expectedTarget(chunk));
  return targets.every((target) => target !== undefined) ? targets : withStored(context, session, offered, targets);
}

function expectedTarget({ id, digest, size, stored }: NeededChunk & { readonly stored: boolean }): UploadTarget {
  return { id, digest, size, stored, expected: true };
}

/** Finds the other chunks among the stored ones: uploaded before the manifest, or by another session. */
async function withStored(
  { metadata }: ServiceContext,
  { accountId }: AcceptingSession,
  offered: readonly OfferedBlob[],
  needed: readonly (UploadTarget | undefined)[],
): Promise<readonly UploadTarget[]> {
  const account = await metadata.accounts.findAccount(accountId);
  const digests = offered.map(({ hash }) => digestOf(hash));
  const stored = await metadata.chunks.find(account!.number, digests);
  return needed.map((chunk, index) => {
    if (chunk) return chunk;
    const { hash } = offered[index]!;
    const row = stored[index];
    if (row?.size === undefined) throw new ServiceProblem('chunk_not_in_session', { detail: hash });
    return { id: row.id, size: row.size, digest: hexDigestOf(hash), stored: true, expected: false };
  });
}

/** Chunks may be compressed before they are sealed, which adds a fixed number of bytes. */
function checkBlobSize(hash: string, chunkSize: number, blobSize: number): void {
  const most = chunkSize + BLOB_OVERHEAD;
  if (blobSize > BLOB_OVERHEAD && blobSize <= most) return;
  const detail = `${hash} has ${chunkSize} bytes, so its blob has ${BLOB_OVERHEAD + 1} to ${most}, not ${blobSize}`;
  throw new ServiceProblem('chunk_size_mismatch', { detail });
}

function digestOf(hash: string): Buffer {
  const digest = Buffer.from(hexDigestOf(hash), 'hex');
  if (digest.length === DIGEST_BYTES) return digest;
  throw new ServiceProblem('malformed_request', { detail: 'a hash is not sha256:<64 lowercase hex digits>' });
}
