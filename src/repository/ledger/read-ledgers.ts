import type { Clock } from '../../base/clock.ts';
import { DamagedFileError } from '../format/damage.ts';
import {
  CHECKPOINTS_FOLDER,
  LEDGER_FOLDER,
  ledgerFileName,
  parseLedgerName,
  type LedgerFile,
} from '../format/file-names.ts';
import {
  decodeSegment,
  LARGEST_LEDGER_FILE_BYTES,
  type LedgerHead,
  type LedgerSeal,
  type Segment,
} from '../format/segment.ts';
import type { Projection } from '../projection/projection.ts';
import type { Storage } from '../storage/storage.ts';

/** Bytes of segments that are held at once while they are read. */
const BATCH_BYTES = 64 * 1024 * 1024;

export interface LedgerParts {
  readonly storage: Storage;
  readonly projection: Projection;
  readonly seal: LedgerSeal;
  readonly clock: Clock;
}

export interface ListedLedgerFile extends LedgerFile {
  readonly bytes: number;
  /** By the store's clock, in milliseconds since the epoch, if it tells. */
  readonly created: number | undefined;
}

/** The segments in the repository, by writer. */
export type LedgerListing = ReadonlyMap<string, readonly ListedLedgerFile[]>;

/** A writer with more unread segments starts from a checkpoint if there is one. */
const MANY_SEGMENTS = 16;
/** Listings after which a file that is not there counts as missing. Others write and delete while a listing is read. */
const LISTINGS = 3;

/**
 * Reads what writers have appended since the last time and applies it to the projection. One listing if there is nothing new.
 * A damaged, missing or withheld file is recorded and refused by itself.
 */
export async function readLedgers(parts: LedgerParts, signal?: AbortSignal): Promise<LedgerListing> {
  const { storage, projection, clock } = parts;
  const { ledgers } = projection;
  const unreadable = new Set<string>();
  for (let round = 1; ; round += 1) {
    const before = ledgers.writers();
    const listing = await listLedger(storage, LEDGER_FOLDER, signal);
    for (const file of await applyListed(parts, listing, signal)) unreadable.add(file);
    const withheld = [...shortened(projection, before, listing), ...unseen(projection)];
    const missing = [...[...unreadable].filter((file) => !isApplied(projection, file)), ...withheld];
    const recorded = new Set(ledgers.damage().map(({ file }) => file));
    if (round < LISTINGS && missing.some((file) => !recorded.has(file))) continue;
    for (const file of missing) ledgers.recordDamage(file, 'missing', clock.now());
    clearHealed(projection, listing, new Set(withheld));
    return listing;
  }
}

/** Applies the listed files that were not applied yet. Returns the names of those that are not there. */
async function applyListed(
  parts: LedgerParts,
  listing: LedgerListing,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const { ledgers } = parts.projection;
  const unreadOf = (): ListedLedgerFile[] =>
    [...listing.values()].flat().filter(({ writer, number, hash }) => !ledgers.hasSegment(writer, number, hash));
  const unread = unreadOf();
  // The segments of a writer may all be gone: the first time, every checkpoint is read.
  const behind = ledgers.writers().length === 0 ? 'all' : writersWithGaps(parts, listing, unread);
  const hasGaps = behind === 'all' || behind.size > 0;
  if (hasGaps) await applyCheckpoints(parts, behind, signal);
  return await applySegments(parts, hasGaps ? unreadOf() : unread, signal);
}

/** Writers whose first unread segments are gone or many, or with a segment that could not be read. */
function writersWithGaps(
  { projection: { ledgers } }: LedgerParts,
  listing: LedgerListing,
  unread: readonly ListedLedgerFile[],
): ReadonlySet<string> {
  const behind = new Set<string>();
  for (const { file } of ledgers.damage()) {
    const damaged = parseLedgerName(file);
    if (damaged) behind.add(damaged.writer);
  }
  const counts = new Map<string, number>();
  for (const { writer } of unread) counts.set(writer, (counts.get(writer) ?? 0) + 1);
  for (const [writer, count] of counts) {
    let previous = ledgers.writer(writer)?.number ?? 0;
    const hasGap = listing.get(writer)!.some(({ number }) => {
      const isGap = number > previous + 1;
      previous = Math.max(previous, number);
      return isGap;
    });
    if (count > MANY_SEGMENTS || hasGap) behind.add(writer);
  }
  return behind;
}

/** Lists the files of a ledger folder, those of each writer in order of their numbers. */
export async function listLedger(
  storage: Storage,
  folder: typeof LEDGER_FOLDER | typeof CHECKPOINTS_FOLDER,
  signal?: AbortSignal,
): Promise<Map<string, ListedLedgerFile[]>> {
  const writers = new Map<string, ListedLedgerFile[]>();
  for await (const batch of storage.list(folder, signal)) {
    for (const { name, bytes, created } of batch) {
      const file = parseLedgerName(name);
      if (!file) continue;
      const files = writers.get(file.writer);
      if (files) files.push({ ...file, bytes, created });
      else writers.set(file.writer, [{ ...file, bytes, created }]);
    }
  }
  for (const files of writers.values()) files.sort((a, b) => a.number - b.number || (a.hash < b.hash ? -1 : 1));
  return writers;
}

/** Applies the newest checkpoint of each of these writers that can be read, if it is newer than the last one. */
async function applyCheckpoints(
  parts: LedgerParts,
  writers: ReadonlySet<string> | 'all',
  signal: AbortSignal | undefined,
): Promise<void> {
  const { storage, projection } = parts;
  const checkpoints = await listLedger(storage, CHECKPOINTS_FOLDER, signal);
  for (const writer of writers === 'all' ? checkpoints.keys() : writers) {
    for (const file of checkpoints.get(writer)?.toReversed() ?? []) {
      if (file.number <= (projection.ledgers.writer(writer)?.base ?? 0)) break;
      const checkpoint = await readLedgerFile(parts, file, signal);
      // One that is gone gave way to a newer one.
      if (checkpoint === undefined || checkpoint === 'missing') continue;
      projection.applyCheckpoint(checkpoint);
      break;
    }
  }
}

/** Applies segments, those of each writer in their order. Returns the names of those that are not there. */
async function applySegments(
  parts: LedgerParts,
  unread: readonly ListedLedgerFile[],
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const { projection, storage } = parts;
  const missing: string[] = [];
  for (let start = 0; start < unread.length;) {
    let bytes = 0;
    let end = start;
    while (end < unread.length && end - start < storage.concurrency) {
      bytes += unread[end]!.bytes;
      if (end > start && bytes > BATCH_BYTES) break;
      end += 1;
    }
    const files = unread.slice(start, end);
    const segments = await Promise.all(files.map((file) => readLedgerFile(parts, file, signal)));
    for (const [index, segment] of segments.entries()) {
      const file = files[index]!;
      if (segment === 'missing') missing.push(file.name);
      else if (segment) {
        if (!followsKnown(projection, segment)) missing.push(previousName(segment));
        projection.applySegment(segment, file.hash, file.bytes);
        projection.ledgers.clearDamage(file.name);
      }
    }
    start = end;
  }
  return missing;
}

function previousName({ writer, number, previous }: Segment): string {
  return ledgerFileName('ledger', { writer, number: number - 1 }, previous!);
}

function followsKnown({ ledgers }: Projection, { writer, number, previous }: Segment): boolean {
  return previous === undefined || ledgers.hasSegment(writer, number - 1, previous);
}

/** Reads one segment or checkpoint. Returns `undefined` after recording its damage. */
export async function readLedgerFile(
  { storage, projection, seal, clock }: LedgerParts,
  file: ListedLedgerFile,
  signal?: AbortSignal,
): Promise<Segment | 'missing' | undefined> {
  try {
    if (file.bytes > LARGEST_LEDGER_FILE_BYTES) throw new DamagedFileError(file.name, 'size');
    const bytes = await storage.get(file.name, undefined, signal);
    return bytes ? decodeSegment(file, bytes, seal) : 'missing';
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error;
    projection.ledgers.recordDamage(file.name, error.problem, clock.now());
    return undefined;
  }
}

/** Names the newest segments that this computer knew of before a listing and that it lacks. */
function shortened(
  { ledgers }: Projection,
  before: readonly (LedgerHead & { readonly id: string; readonly base: number })[],
  listing: LedgerListing,
): readonly string[] {
  return (
    before
      // A checkpoint stands for its last segment, too.
      .filter(({ id, number, base }) => number > base && !hasAppliedFrom(id, number))
      .map(({ id, number, hash }) => ledgerFileName('ledger', { writer: id, number }, hash))
  );

  /** Files that never opened prove nothing: anybody can write a name. */
  function hasAppliedFrom(writer: string, from: number): boolean {
    return (listing.get(writer) ?? []).some(
      ({ number, hash }) => number >= from && ledgers.hasSegment(writer, number, hash),
    );
  }
}

/** Names the newest segments that another writer has read and that were not read here. */
function unseen({ ledgers }: Projection): readonly string[] {
  return ledgers.unseenHeads().map((file) => ledgerFileName('ledger', file, file.hash));
}

/** Returns whether a segment was applied, or a checkpoint that stands for it. */
function isApplied({ ledgers }: Projection, name: string): boolean {
  const file = parseLedgerName(name);
  return file?.folder === 'ledger' && ledgers.hasSegment(file.writer, file.number, file.hash);
}

/** Returns whether a newer checkpoint stands for a segment or replaces a checkpoint. */
function isReplaced({ ledgers }: Projection, { folder, writer, number }: LedgerFile): boolean {
  const base = ledgers.writer(writer)?.base ?? 0;
  return folder === 'ledger' ? number <= base : number < base;
}

/** Forgets damage of segments that are there again and were applied, and of files that a newer checkpoint replaces. */
function clearHealed(projection: Projection, listing: LedgerListing, withheld: ReadonlySet<string>): void {
  const { ledgers } = projection;
  for (const { file: name, problem } of ledgers.damage()) {
    const file = parseLedgerName(name);
    if (!file || withheld.has(name)) continue;
    const isThere = listing.get(file.writer)?.some((listed) => listed.name === name) ?? false;
    const isBack = problem === 'missing' && isThere && isApplied(projection, name);
    if (isBack || isReplaced(projection, file)) ledgers.clearDamage(name);
  }
}
