import { createHash, randomInt } from 'node:crypto';
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
  LARGEST_SEGMENT_BYTES,
  SMALLEST_LEDGER_FILE_BYTES,
  type LedgerHead,
  type LedgerSeal,
  type Segment,
} from '../format/segment.ts';
import type { Admission } from './admission.ts';
import type { FoundDamage } from '../projection/ledgers.ts';
import type { Projection } from '../projection/projection.ts';
import type { Storage } from '../storage/storage.ts';

/** Bytes of a large file that are read at once to hash it. */
const PART_BYTES = 8 * 1024 * 1024;
/** Files that were found damaged and are read again by a reading of the ledgers: all of them would take long if there are many. */
const MOST_READ_AGAIN = 16;
/** Bytes of segments that are held at once while they are read. */
const BATCH_BYTES = 64 * 1024 * 1024;

export interface LedgerParts {
  readonly storage: Storage;
  readonly projection: Projection;
  readonly seal: LedgerSeal;
  readonly clock: Clock;
  /** Everything counts by default. */
  readonly admits?: Admission | undefined;
}

export interface ListedLedgerFile extends LedgerFile {
  readonly bytes: number;
  /** By the store's clock, in milliseconds since the epoch, if it tells. */
  readonly created: number | undefined;
}

/** The segments in the repository, by writer. */
export type LedgerListing = ReadonlyMap<string, readonly ListedLedgerFile[]>;

/** A segment that was applied. */
type AppliedSegment = LedgerHead & { readonly writer: string; readonly bytes: number };

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
    const before = ledgers.needed();
    const listing = await listLedger(storage, LEDGER_FOLDER, signal);
    // A listing that is late is no reason to read checkpoints.
    const removed = round < LISTINGS ? [] : removedSince(projection, before, listing);
    for (const file of await applyListed(parts, removed, listing, signal)) unreadable.add(file);
    const withheld = [...removedSince(projection, before, listing).map(nameOf), ...unseen(projection)];
    const missing = [...[...unreadable].filter((file) => !isApplied(projection, file)), ...withheld];
    const recorded = new Set(ledgers.damage().map(({ file }) => file));
    if (round < LISTINGS && missing.some((file) => !recorded.has(file))) continue;
    const listed = new Set([...listing.values()].flat().map(({ name }) => name));
    for (const file of withheld) if (listed.has(file)) ledgers.recordDamage(file, 'length', clock.now());
    // One that is recorded stays as it is.
    for (const file of missing) ledgers.recordDamage(file, 'missing', clock.now());
    clearHealed(projection, listing, new Set(withheld));
    return listing;
  }
}

/** Applies the listed files that were not applied yet. Returns the names of those that are not there. */
async function applyListed(
  parts: LedgerParts,
  removed: readonly AppliedSegment[],
  listing: LedgerListing,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const { ledgers } = parts.projection;
  const isUnread = ({ writer, number, hash }: ListedLedgerFile): boolean => !ledgers.hasSegment(writer, number, hash);
  const { unread: others, damaged } = withoutDamaged(ledgers.damage(), [...listing.values()].flat().filter(isUnread));
  const unread = [...others, ...damaged];
  const unreadOf = (): ListedLedgerFile[] => unread.filter(isUnread);
  const gaps = removed.map(({ writer }) => writer);
  // The segments of a writer may all be gone: the first time, every checkpoint is read.
  const behind = ledgers.writers().length === 0 ? 'all' : writersWithGaps(parts, listing, { unread: others, gaps });
  const hasGaps = behind === 'all' || behind.size > 0;
  if (hasGaps) await applyCheckpoints(parts, behind, signal);
  return await applySegments(parts, hasGaps ? unreadOf() : unread, signal);
}

/** Separates the files that were found damaged and are still as they were. A few of these are read again each time. */
function withoutDamaged(
  damage: readonly FoundDamage[],
  files: readonly ListedLedgerFile[],
): { readonly unread: readonly ListedLedgerFile[]; readonly damaged: readonly ListedLedgerFile[] } {
  const known = new Map(damage.map(({ file, read }) => [file, read]));
  const isKnown = ({ name, bytes, created }: ListedLedgerFile): boolean => {
    const read = known.get(name);
    return read !== undefined && read.bytes === bytes && read.created === created;
  };
  const damaged = files.filter(isKnown);
  const start = damaged.length > MOST_READ_AGAIN ? randomInt(damaged.length) : 0;
  return {
    unread: files.filter((file) => !isKnown(file)),
    damaged: damaged.slice(start, start + MOST_READ_AGAIN),
  };
}

/** Writers whose first unread segments are gone or many, or with a segment that could not be read or is gone. */
function writersWithGaps(
  { projection: { ledgers } }: LedgerParts,
  listing: LedgerListing,
  { unread, gaps }: { readonly unread: readonly ListedLedgerFile[]; readonly gaps: readonly string[] },
): ReadonlySet<string> {
  const behind = new Set<string>(gaps);
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
  for (const files of batchesOf(unread, storage.concurrency)) {
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
  }
  return missing;
}

/** Divides files into those that are read at once: few, and of few bytes unless one alone has more. */
export function* batchesOf(files: readonly ListedLedgerFile[], most: number): Generator<readonly ListedLedgerFile[]> {
  for (let start = 0; start < files.length;) {
    let bytes = 0;
    let end = start;
    while (end < files.length && end - start < most) {
      bytes += Math.min(files[end]!.bytes, LARGEST_LEDGER_FILE_BYTES);
      if (end > start && bytes > BATCH_BYTES) break;
      end += 1;
    }
    yield files.slice(start, end);
    start = end;
  }
}

function previousName({ writer, number, previous }: Segment): string {
  return ledgerFileName('ledger', { writer, number: number - 1 }, previous!);
}

function followsKnown({ ledgers }: Projection, { writer, number, previous }: Segment): boolean {
  return previous === undefined || ledgers.hasSegment(writer, number - 1, previous);
}

/** Reads one segment or checkpoint. Returns `undefined` after recording its damage. */
export async function readLedgerFile(
  { storage, projection, seal, clock, admits }: LedgerParts,
  file: ListedLedgerFile,
  signal?: AbortSignal,
): Promise<Segment | 'missing' | undefined> {
  try {
    const largest = file.folder === 'ledger' ? LARGEST_SEGMENT_BYTES : LARGEST_LEDGER_FILE_BYTES;
    if (file.bytes > largest) throw new DamagedFileError(file.name, 'size');
    if (file.bytes < SMALLEST_LEDGER_FILE_BYTES) throw new DamagedFileError(file.name, 'hash');
    if (file.bytes > BATCH_BYTES && (await hashInParts(storage, file, signal)) !== file.hash) {
      throw new DamagedFileError(file.name, 'hash');
    }
    const bytes = await storage.get(file.name, undefined, signal);
    if (!bytes) return 'missing';
    const segment = decodeSegment(file, bytes, seal);
    if (admits?.(file, segment.epoch) === false) throw new DamagedFileError(file.name, 'revoked');
    return segment;
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error;
    projection.ledgers.recordDamage(file.name, error.problem, clock.now(), file);
    return undefined;
  }
}

/** Hashes a large file without holding it: only one that has its hash is read as a whole. */
async function hashInParts(
  storage: Storage,
  { name, bytes }: ListedLedgerFile,
  signal: AbortSignal | undefined,
): Promise<string> {
  const digest = createHash('sha256');
  for (let offset = 0; offset < bytes; offset += PART_BYTES) {
    const part = await storage.get(name, { offset, length: Math.min(PART_BYTES, bytes - offset) }, signal);
    if (!part) throw new DamagedFileError(name, 'missing');
    digest.update(part);
  }
  return digest.digest('hex');
}

/**
 * Returns the segments that this computer had applied before a listing, that no checkpoint stands for, and that the listing lacks or has
 * with another length. */
function removedSince(
  { ledgers }: Projection,
  before: readonly AppliedSegment[],
  listing: LedgerListing,
): readonly AppliedSegment[] {
  const listed = new Map<string, number>();
  for (const files of listing.values()) for (const { hash, bytes } of files) listed.set(hash, bytes);
  const bases = new Map(ledgers.writers().map(({ id, base }) => [id, base]));
  return before.filter(
    ({ writer, number, hash, bytes }) => listed.get(hash) !== bytes && number > (bases.get(writer) ?? 0),
  );
}

function nameOf(segment: AppliedSegment): string {
  return ledgerFileName('ledger', segment, segment.hash);
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

/** Forgets damage of segments that are there again and were applied, and of files that a newer checkpoint replaces. */
function clearHealed(projection: Projection, listing: LedgerListing, withheld: ReadonlySet<string>): void {
  const { ledgers } = projection;
  const damage = ledgers.damage();
  if (damage.length === 0) return;
  const listed = new Set([...listing.values()].flat().map(({ name }) => name));
  const bases = new Map(ledgers.writers().map(({ id, base }) => [id, base]));
  projection.change(() => {
    for (const { file: name, problem } of damage) {
      const file = parseLedgerName(name);
      if (!file || withheld.has(name)) continue;
      const isBack = (problem === 'missing' || problem === 'length') && listed.has(name) && isApplied(projection, name);
      const base = bases.get(file.writer) ?? 0;
      // A newer checkpoint stands for a segment, or replaces a checkpoint.
      const isReplaced = file.folder === 'ledger' ? file.number <= base : file.number < base;
      if (isBack || isReplaced) ledgers.clearDamage(name);
    }
  });
}
