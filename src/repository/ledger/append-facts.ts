import pLimit, { type LimitFunction } from 'p-limit';
import { HoldfastError, isHoldfastError } from '../../base/errors/errors.ts';
import { ProcessLock } from '../../base/files/process-lock.ts';
import type { WriterKey } from '../../format/repository/writer-key.ts';
import type { Fact } from '../../format/repository/facts.ts';
import { encodeSegment, type LedgerHead } from '../../format/repository/segment.ts';
import type { PinnedRepository } from '../pinned-repository.ts';
import type { AbandonedSegment, OwnLedger } from './own-ledger.ts';
import type { LedgerListing, LedgerParts } from './ledger-files.ts';
import { isStored, notStored } from '../../storage/confirm-stored.ts';
import { readLedgers } from './read-ledgers.ts';
import { MIB, MINUTE } from '../../model/units.ts';

export interface OwnLedgerParts extends LedgerParts {
  readonly writerKey: WriterKey;
  readonly own: OwnLedger;
  readonly pinned: PinnedRepository;
  /** Held by the one process of this home that appends. */
  readonly lockFile: string;
}

/** Bytes of facts in one segment, unless one fact has more. */
const SEGMENT_BYTES = 32 * MIB;
/** Segments after which one that was lost on its way no longer turns up. */
const LATE_SEGMENTS = 64;
const LOCK_PATIENCE_MS = MINUTE;
const LOCK_INTERVAL_MS = 50;

const queues = new Map<string, LimitFunction>();

/**
 * Appends a segment to this writer's ledger: reads what others have appended, writes the segment, then applies it.
 *
 * @param decide returns the facts, after the ledgers were read; `undefined` appends nothing
 * @returns the facts that stand in the repository
 * @throws HoldfastError `device_cloned` if another computer continues this writer's ledger; `home_busy`, and what the storage
 *   throws. If the write fails the segment may be in the repository; the next append takes it as written if it is.
 */
export async function appendFacts(
  parts: OwnLedgerParts,
  decide: (listing: LedgerListing) => readonly Fact[] | undefined | Promise<readonly Fact[] | undefined>,
  signal?: AbortSignal,
): Promise<readonly Fact[] | undefined> {
  return await inOrder(parts.lockFile)(async () => {
    using _lock = await takeLock(parts, signal);
    return await appendLocked(parts, decide, signal);
  });
}

/** Appends of this process wait for each other without blocking it. */
function inOrder(lockFile: string): LimitFunction {
  let limit = queues.get(lockFile);
  if (!limit) {
    limit = pLimit(1);
    queues.set(lockFile, limit);
  }
  return limit;
}

async function appendLocked(
  parts: OwnLedgerParts,
  decide: Parameters<typeof appendFacts>[1],
  signal: AbortSignal | undefined,
): Promise<readonly Fact[] | undefined> {
  const listing = await readLedgers(parts, signal);
  let head = settleOwnLedger(parts, listing);
  const facts = await decide(listing);
  if (!facts) return undefined;
  const { storage, projection, seal, clock, writerKey, own, pinned } = parts;
  const writer = writerKey.id;
  const heads = new Map<string, LedgerHead>(
    projection.ledgers
      .writers()
      .filter(({ id }) => id !== writer)
      .map(({ id, number, hash }) => [id, { number, hash }]),
  );
  for (const part of partsOf(facts)) {
    const number = (head?.number ?? 0) + 1;
    const segment = { writer, number, previous: head?.hash, time: clock.now(), heads, facts: part };
    const file = encodeSegment('ledger', segment, seal, writerKey);
    own.begin(head, { number, hash: file.hash });
    pinned.write(seal.repository, true);
    try {
      await storage.put(file.name, [file.bytes], signal);
    } catch (error) {
      if (isHoldfastError(error, 'destination_full')) own.refuse();
      throw error;
    }
    if (!(await isStored(storage, file.name, file.bytes.length, signal))) throw notStored(storage);
    head = { number, hash: file.hash };
    own.commit(head);
    projection.applySegment(segment, file.hash, file.bytes.length);
  }
  return facts;
}

/** Distributes facts over segments that every reader accepts, in their order. Each states whose it is. */
function partsOf(facts: readonly Fact[]): readonly (readonly Fact[])[] {
  const own = facts.filter(({ kind }) => kind === 'device');
  const parts: Fact[][] = [[]];
  let bytes = 0;
  for (const fact of facts) {
    const size = sizeOf(fact);
    if (bytes > 0 && bytes + size > SEGMENT_BYTES) {
      parts.push([...own]);
      bytes = 0;
    }
    bytes += size;
    parts.at(-1)!.push(fact);
  }
  return parts;
}

/** Bytes of a fact, roughly. */
function sizeOf(fact: Fact): number {
  let bytes = 256;
  for (const value of Object.values(fact)) {
    if (value instanceof Uint8Array) bytes += value.length;
    else if (Array.isArray(value)) bytes += value.length * 128;
  }
  return bytes;
}

/** Waits for other processes of this home. */
async function takeLock({ lockFile, clock }: OwnLedgerParts, signal: AbortSignal | undefined): Promise<ProcessLock> {
  for (let waited = 0; waited <= LOCK_PATIENCE_MS; waited += LOCK_INTERVAL_MS) {
    signal?.throwIfAborted();
    const lock = ProcessLock.take(lockFile, 0);
    if (lock) return lock;
    await clock.sleep(LOCK_INTERVAL_MS, signal);
  }
  throw new HoldfastError('home_busy', {});
}

/** Returns the segments of this writer that were not found after they had been sent, and that may still turn up. */
export function lateSegments({
  own,
  writerKey,
  projection: { ledgers },
}: Pick<OwnLedgerParts, 'own' | 'writerKey' | 'projection'>): readonly AbandonedSegment[] {
  const { pending, abandoned } = own.read();
  const newest = ledgers.writer(writerKey.id)?.number ?? 0;
  return [...abandoned, ...(pending ? [pending] : [])].filter(
    ({ number, hash }) => newest - number < LATE_SEGMENTS && !ledgers.hasSegment(writerKey.id, number, hash),
  );
}

/**
 * Compares this writer's ledger with what this computer remembers, and returns its newest segment.
 *
 * @throws HoldfastError `device_cloned`
 */
export function settleOwnLedger(
  { own, pinned, writerKey, projection }: Pick<OwnLedgerParts, 'own' | 'pinned' | 'writerKey' | 'projection'>,
  listing: LedgerListing,
): LedgerHead | undefined {
  const { isKnown, head, pending, abandoned } = own.read();
  const known = projection.ledgers.writer(writerKey.id);
  if (!isKnown && pinned.hasWritten) {
    // Only this key signs, and this home has used it: it has lost what it remembered.
    if (known) own.commit({ number: known.number, hash: known.hash });
    return known && { number: known.number, hash: known.hash };
  }
  const files = listing.get(writerKey.id) ?? [];
  const isPendingThere = pending !== undefined && files.some(({ hash }) => hash === pending.hash);
  const settled = isPendingThere ? pending : head;
  // Anybody can write a name: only a segment that opens and has this writer's signature shows a copy of this computer.
  const foreign = files.find(
    ({ number, hash }) =>
      projection.ledgers.hasSegment(writerKey.id, number, hash) &&
      (number > (settled?.number ?? 0) || (number === settled?.number && hash !== settled.hash)) &&
      !abandoned.some((late) => late.hash === hash),
  );
  if (foreign) throw new HoldfastError('device_cloned', { deviceId: writerKey.id });
  if (isPendingThere) own.commit(pending);
  // A segment that is gone from the repository is known damage; the chain continues from it.
  return settled ?? (known && { number: known.number, hash: known.hash });
}
