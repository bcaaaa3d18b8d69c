import { requirePermission } from '../auth/permissions.ts';
import { findAcceptingSession } from '../backup/session-access.ts';
import { CHECKED_CHUNKS } from '../../protocol/extensions.ts';
import { hexDigestOf } from '../../protocol/chunk-hash.ts';
import type { ServiceContext } from '../context.ts';
import type { Caller } from '../caller.ts';
import type { BlobKey } from '../objects/object-store.ts';
import { ServiceProblem } from '../request/problem.ts';
import { RESTORE_LIFETIME, RESTORE_EXTENSION, type RestoreSession } from './restore-store.ts';
import { findLost } from './find-lost.ts';
import type { RestoreContext } from './restore-chunks.ts';
import { completedEvent } from './restore-events.ts';

/** The beginning of the id of a backup session. */
const BACKUP_SESSION = 'ses_';

export async function findRestoreSession(context: ServiceContext, caller: Caller, id: string): Promise<RestoreSession> {
  requirePermission(caller, 'restore');
  const session = await context.metadata.restores.find(id);
  if (!session || session.accountId !== caller.accountId || session.expiresAt <= context.clock.now()) {
    throw new ServiceProblem('session_not_found');
  }
  return session;
}

/** A backup session that checks stored chunks before it relies on them. */
export interface BackupCheck {
  readonly kind: 'check';
  readonly id: string;
  readonly accountId: string;
}

/**
 * Finds a restore session, or a backup session that accepts chunks. The caller needs the permissions of both kinds for the latter: it
 * downloads, and no restore is reported.
 */
export async function findDownloadSession(
  context: ServiceContext,
  caller: Caller,
  id: string,
): Promise<RestoreSession | BackupCheck> {
  if (!id.startsWith(BACKUP_SESSION)) return findRestoreSession(context, caller, id);
  requirePermission(caller, 'restore');
  const { accountId } = await findAcceptingSession(context, caller, id);
  return { kind: 'check', id, accountId };
}

/** A blob that a restore may download. */
export interface HandedOut extends BlobKey {
  readonly plaintextSize: number;
  /** True if the session requested it before, in which case its download may have failed. */
  readonly again: boolean;
}

/**
 * Finds the blobs of some chunks of a restore session's tree, in the order of `hashes`; `undefined` for lost ones. A chunk that is not
 * in the tree is refused. The restore counts as completed once the last chunk of the tree was handed out, since the service never
 * learns what the client does with the bytes.
 */
export async function handOutChunks(
  { service: context, restores }: RestoreContext,
  session: RestoreSession | BackupCheck,
  hashes: readonly string[],
): Promise<(HandedOut | undefined)[]> {
  const isCheck = 'kind' in session;
  if (isCheck && !restores.mayCheck(session.id, hashes.length)) {
    throw new ServiceProblem('too_large', { detail: `a backup checks at most ${CHECKED_CHUNKS} chunks` });
  }
  const chunks = isCheck ? undefined : await restores.of(context, session);
  const digests = hashes.map((hash) => Buffer.from(hexDigestOf(hash), 'hex'));
  const account = await context.metadata.accounts.findAccount(session.accountId);
  let rows = await context.metadata.chunks.find(account!.number, digests);
  const lost = rows.flatMap((row) => (row && row.size === undefined ? [row.id] : []));
  if (lost.length > 0 && (await findLost(context, session.accountId, lost)) > 0) {
    rows = await context.metadata.chunks.find(account!.number, digests);
  }
  const keys = rows.map((row, index): HandedOut | undefined => {
    if (!row || chunks?.has(row.id) === false)
      throw new ServiceProblem('chunk_not_in_session', { detail: hashes[index]! });
    if (row.size === undefined || row.blobSize === undefined) return undefined;
    const digest = hexDigestOf(hashes[index]!);
    const again = chunks?.wasHandedOut(row.id) ?? false;
    const { id: chunkId, size: plaintextSize, blobSize: size } = row;
    return { accountId: session.accountId, chunkId, digest, size, plaintextSize, again };
  });
  if (isCheck || !chunks) return keys;
  await extend(context, session);
  const before = chunks.exhausted;
  for (const key of keys) if (key) chunks.handOut(key.chunkId);
  if (chunks.exhausted && !before && session.totals && session.completedAt === undefined) {
    const now = context.clock.now();
    const completed = session.isReported ? undefined : completedEvent(session, session.totals, now);
    await context.metadata.restores.completed(session.id, completed, now);
  }
  return keys;
}

/** Extends a restore with each request: it may take weeks, during which it neither expires nor loses its restore point. */
async function extend({ metadata, clock }: ServiceContext, session: RestoreSession): Promise<void> {
  const expiresAt = clock.now() + RESTORE_LIFETIME;
  if (expiresAt - session.expiresAt >= RESTORE_EXTENSION) await metadata.restores.extend(session.id, expiresAt);
}
