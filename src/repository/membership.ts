import type { WriterLimit } from '../format/crypto/key-envelope.ts';
import { hasKey, unique } from '../format/crypto/rotation.ts';
import type { KeyState } from '../format/crypto/known-keys.ts';
import { CHECKPOINTS_FOLDER, hashOf, keyName } from '../format/repository/file-names.ts';
import { listLedger } from './ledger/ledger-files.ts';
import type { LedgerWriter } from './projection/ledgers.ts';
import type { Repository } from './repository.ts';

/** Checkpoints of a writer that an envelope lists: two stay, and others may be about to be deleted. */
const MOST_CHECKPOINTS = 16;

/** The computers of a repository that get a new key, and those that do not. */
export interface RepositoryMembers {
  readonly kept: readonly LedgerWriter[];
  readonly removed: readonly LedgerWriter[];
  /** Public keys of those that are kept. */
  readonly members: readonly Uint8Array[];
  /** Public keys of all that were ever removed. */
  readonly revoked: readonly Uint8Array[];
}

interface Division {
  /** Returns whether a computer is removed now. */
  readonly isRemoved?: (writer: LedgerWriter) => boolean;
  /** Ids of the writers that may get the key; by default all. */
  readonly known?: ReadonlySet<string> | undefined;
}

/**
 * Divides the computers of a repository. Those that another one has replaced, and those that were removed before, here or elsewhere, get no
 * key either. This computer does.
 */
export function membersOf(
  { projection, writerKey, keyState }: Repository,
  revokedBefore: readonly Uint8Array[],
  { isRemoved = () => false, known }: Division = {},
): RepositoryMembers {
  const writers = projection.ledgers.writers();
  const newest = new Map<string, number>();
  for (const { device, claimedAt } of writers) newest.set(device, Math.max(claimedAt, newest.get(device) ?? 0));
  const isGone = (writer: LedgerWriter): boolean => {
    if (writer.id === writerKey.id) return false;
    const wasRemoved = keyState?.writers.get(writer.id)?.end !== undefined;
    const isReplaced = writer.claimedAt < newest.get(writer.device)!;
    return wasRemoved || isReplaced || isRemoved(writer) || (writer.key !== null && hasKey(revokedBefore, writer.key));
  };
  const isUnknown = ({ id }: LedgerWriter): boolean => id !== writerKey.id && known?.has(id) === false;
  const gone = writers.filter(isGone);
  const removed = writers.filter((writer) => isGone(writer) || isUnknown(writer));
  const kept = writers.filter((writer) => !removed.includes(writer));
  const members = unique(kept.flatMap(({ key }) => key ?? []));
  // A computer that began anew has its former ledger beside its own.
  const keys = gone.flatMap(({ key }) => (key && !hasKey(members, key) ? [key] : []));
  return { kept, removed, members, revoked: unique([...revokedBefore, ...keys]) };
}

/**
 * Returns which segments of each writer count from now on.
 *
 * @param newest of the keys that the destination has an envelope of: `undefined` if it has none, as long as nobody changed the key. It may
 *   be older than the current one, when the destination was away at a change.
 */
export async function writerLimits(
  { projection, storage, keyState }: Repository,
  newest: Pick<KeyState, 'epoch'> | undefined,
  removed: readonly LedgerWriter[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, WriterLimit>> {
  const gone = new Set(removed.map(({ id }) => id));
  const checkpoints = gone.size === 0 ? undefined : await listLedger(storage, CHECKPOINTS_FOLDER, signal, undefined);
  const limits = new Map<string, WriterLimit>(keyState?.writers);
  for (const { id, number, hash } of projection.ledgers.writers()) {
    const before = limits.get(id);
    if (before?.end) continue;
    const listed = checkpoints?.get(id) ?? [];
    const own = listed.slice(-MOST_CHECKPOINTS).map((checkpoint) => checkpoint.hash);
    const end = gone.has(id) ? { number, hash, checkpoints: own } : undefined;
    limits.set(id, { epoch: before?.epoch ?? newest?.epoch ?? 1, end });
  }
  return limits;
}

/** Stores a key envelope. */
export async function putEnvelope({ storage }: Repository, envelope: Uint8Array, signal?: AbortSignal): Promise<void> {
  await storage.put(keyName(hashOf(envelope)), [envelope], signal);
}
