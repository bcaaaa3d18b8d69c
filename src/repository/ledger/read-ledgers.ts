import { randomInt } from 'node:crypto';
import {
  CHECKPOINTS_FOLDER,
  LEDGER_FOLDER,
  ledgerFileName,
  parseLedgerName,
} from '../../format/repository/file-names.ts';
import type { LedgerHead, Segment } from '../../format/repository/segment.ts';
import type { FoundDamage } from '../projection/ledgers.ts';
import type { Projection } from '../projection/projection.ts';
import {
  batchesOf,
  listLedger,
  openLedgerFile,
  type LedgerListing,
  type LedgerParts,
  type ListedLedgerFile,
} from './ledger-files.ts';
import { UnlistedNames, isLedgerFolder } from './unlisted-names.ts';
import { isUnreadableProblem } from '../../storage/unreadable.ts';
import { chainTo } from './removed-writer.ts';

/** Files that were found damaged and are read again by a reading of the ledgers: all of them would take long if there are many. */
const MOST_READ_AGAIN = 16;
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
    const unlisted = new UnlistedNames();
    const listing = await listLedger(storage, LEDGER_FOLDER, signal, unlisted.add);
    // A listing that is late is no reason to read checkpoints.
    const removed = round < LISTINGS ? [] : removedSince(projection, before, listing);
    for (const file of await applyListed(parts, { removed, unlisted }, listing, signal)) unreadable.add(file);
    const withheld = [
      ...removedSince(projection, before, listing).map(nameOf),
      ...unseen(projection),
      ...headless(projection, listing),
    ];
    const missing = [...[...unreadable].filter((file) => !isApplied(projection, file)), ...withheld].filter(
      (file) => unlisted.problemOf(file) === undefined,
    );
    const recorded = new Set(ledgers.damage().map(({ file }) => file));
    if (round < LISTINGS && missing.some((file) => !recorded.has(file))) continue;
    const listed = new Set([...listing.values()].flat().map(({ name }) => name));
    for (const file of withheld) if (listed.has(file)) ledgers.recordDamage(file, 'length', clock.now());
    // One that is recorded stays as it is.
    for (const file of missing) ledgers.recordDamage(file, 'missing', clock.now());
    unlisted.record(ledgers, clock.now());
    clearHealed(projection, listing, new Set(withheld));
    return listing;
  }
}

/** Applies the listed files that were not applied yet. Returns the names of those that are not there. */
async function applyListed(
  parts: LedgerParts,
  { removed, unlisted }: { readonly removed: readonly AppliedSegment[]; readonly unlisted: UnlistedNames },
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
  if (hasGaps) await applyCheckpoints(parts, behind, unlisted, signal);
  const counted = await withoutForged(parts, hasGaps ? unreadOf() : unread, new Set(others), listing, signal);
  return await applySegments(parts, counted, signal);
}

/**
 * Omits the segments of removed writers that do not belong to the chain of their last ones, and records them. While there is nothing new of a
 * writer, its chain is the same.
 */
async function withoutForged(
  parts: LedgerParts,
  unread: readonly ListedLedgerFile[],
  others: ReadonlySet<ListedLedgerFile>,
  listing: LedgerListing,
  signal: AbortSignal | undefined,
): Promise<readonly ListedLedgerFile[]> {
  const { ledgers } = parts.projection;
  const removed = new Set(unread.filter(({ writer }) => parts.ends?.has(writer)).map(({ writer }) => writer));
  const counted = unread.filter(({ writer }) => !removed.has(writer));
  for (const writer of removed) {
    if (!unread.some((file) => file.writer === writer && others.has(file))) continue;
    const files = listing.get(writer)!;
    const chain = await chainTo(parts, { writer, end: parts.ends!.get(writer)!, listed: files }, signal);
    for (const file of files) {
      if (ledgers.hasSegment(writer, file.number, file.hash)) continue;
      if (chain.has(file.name)) counted.push(file);
      else if (typeof (await readLedgerFile(parts, file, signal)) === 'object') {
        ledgers.recordDamage(file.name, 'revoked', parts.clock.now(), file);
      }
    }
  }
  return counted;
}

/** Separates the files that were found damaged and are still as they were. A few of these are read again each time. */
function withoutDamaged(
  damage: readonly FoundDamage[],
  files: readonly ListedLedgerFile[],
): { readonly unread: readonly ListedLedgerFile[]; readonly damaged: readonly ListedLedgerFile[] } {
  // Nothing in a listing shows that a file may be read again.
  const known = new Map(damage.flatMap(({ file, problem, read }) => (problem === 'denied' ? [] : [[file, read]])));
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
): ReadonlySet<string> | 'all' {
  const behind = new Set<string>(gaps);
  for (const { file } of ledgers.damage()) {
    const damaged = parseLedgerName(file);
    if (damaged) behind.add(damaged.writer);
    else if (isLedgerFolder(file)) return 'all';
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

/** Applies the newest checkpoint of each of these writers that can be read, if it is newer than the last one. */
async function applyCheckpoints(
  parts: LedgerParts,
  writers: ReadonlySet<string> | 'all',
  unlisted: UnlistedNames,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { storage, projection } = parts;
  const checkpoints = await listLedger(storage, CHECKPOINTS_FOLDER, signal, unlisted.add);
  unlisted.listed(CHECKPOINTS_FOLDER);
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

function previousName({ writer, number, previous }: Segment): string {
  return ledgerFileName('ledger', { writer, number: number - 1 }, previous!);
}

function followsKnown({ ledgers }: Projection, { writer, number, previous }: Segment): boolean {
  return previous === undefined || ledgers.hasSegment(writer, number - 1, previous);
}

/** Reads one segment or checkpoint. Returns `undefined` after recording its damage. */
export async function readLedgerFile(
  parts: LedgerParts,
  file: ListedLedgerFile,
  signal?: AbortSignal,
): Promise<Segment | 'missing' | undefined> {
  const opened = await openLedgerFile(parts, file, signal);
  if (opened === 'missing') return opened;
  if ('segment' in opened) return opened.segment;
  parts.projection.ledgers.recordDamage(file.name, opened.problem, parts.clock.now(), file);
  return undefined;
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

/**
 * Names the newest segments that were read of writers of which the listing has none as new. Nothing deletes the newest segment of a writer, nor
 * the one at which its newest checkpoint stands: whoever removed it may have removed later ones.
 */
function headless({ ledgers }: Projection, listing: LedgerListing): readonly string[] {
  return ledgers
    .writers()
    .filter(({ id, number }) => (listing.get(id)?.at(-1)?.number ?? 0) < number)
    .map(({ id: writer, number, hash }) => ledgerFileName('ledger', { writer, number }, hash));
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
    for (const { file: name, problem, read } of damage) {
      const file = parseLedgerName(name);
      if (!file || withheld.has(name)) continue;
      // A listing shows that one is there again, not that one which was read wrong has its bytes.
      const isOfListing = problem === 'missing' || problem === 'length' || (isUnreadableProblem(problem) && !read);
      const isBack = isOfListing && listed.has(name) && isApplied(projection, name);
      const base = bases.get(file.writer) ?? 0;
      // A newer checkpoint stands for a segment, or replaces a checkpoint.
      const isReplaced = file.folder === 'ledger' ? file.number <= base : file.number < base;
      if (isBack || isReplaced) ledgers.clearDamage(name);
    }
  });
}
