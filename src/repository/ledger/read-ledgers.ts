import type { Clock } from '../../base/clock.ts';
import { DamagedFileError } from '../format/damage.ts';
import { CHECKPOINTS_FOLDER, LEDGER_FOLDER, parseLedgerName, type LedgerFile } from '../format/file-names.ts';
import { decodeSegment, LARGEST_LEDGER_FILE_BYTES, type LedgerSeal, type Segment } from '../format/segment.ts';
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

/**
 * Reads what writers have appended since the last time and applies it to the projection. One listing if there is nothing new.
 * A damaged, missing or withheld file is recorded and refused by itself.
 */
export async function readLedgers(parts: LedgerParts, signal?: AbortSignal): Promise<LedgerListing> {
  const { storage, projection } = parts;
  const listing = await listLedger(storage, LEDGER_FOLDER, signal);
  const unread = new Map<string, ListedLedgerFile[]>();
  for (const [writer, files] of listing) {
    const fresh = files.filter(({ number, hash }) => !projection.ledgers.hasSegment(writer, number, hash));
    if (fresh.length > 0) unread.set(writer, fresh);
  }
  await applyCheckpoints(parts, unread, signal);
  await applySegments(parts, unread, signal);
  recordWithheld(parts, listing);
  return listing;
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

/** Starts from checkpoints where the first segments of a writer are gone or many. Removes from `unread` what they cover. */
async function applyCheckpoints(
  parts: LedgerParts,
  unread: Map<string, ListedLedgerFile[]>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { storage, projection } = parts;
  const behind = [...unread].filter(([writer, files]) => {
    const known = projection.ledgers.writer(writer)?.number ?? 0;
    return files[0]!.number > known + 1;
  });
  if (behind.length === 0) return;
  const checkpoints = await listLedger(storage, CHECKPOINTS_FOLDER, signal);
  for (const [writer, files] of behind) {
    const known = projection.ledgers.writer(writer)?.number ?? 0;
    for (const file of checkpoints.get(writer)?.toReversed() ?? []) {
      if (file.number <= known) break;
      const checkpoint = await readLedgerFile(parts, file, signal);
      if (!checkpoint) continue;
      projection.applyCheckpoint(checkpoint);
      unread.set(
        writer,
        files.filter(({ number }) => number > checkpoint.number),
      );
      break;
    }
  }
}

/** Applies segments so that each comes after those that its writer had read. */
async function applySegments(
  parts: LedgerParts,
  unread: ReadonlyMap<string, readonly ListedLedgerFile[]>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { projection } = parts;
  const queues = new Map([...unread].filter(([, files]) => files.length > 0).map(([id, files]) => [id, [...files]]));
  const read = new Map<string, Segment>();
  const isReady = (segment: Segment): boolean =>
    [...segment.heads].every(([writer, head]) => {
      const [next] = queues.get(writer) ?? [];
      return !next || next.number > head.number;
    });
  while (queues.size > 0) {
    await readAhead(parts, queues, read, signal);
    let hasApplied = false;
    for (const [writer, files] of queues) {
      for (let next = files[0]; next; next = files[0]) {
        const segment = read.get(next.name);
        if (!segment || !isReady(segment)) break;
        apply(parts, segment, next);
        read.delete(next.name);
        files.shift();
        hasApplied = true;
      }
      if (files.length === 0) queues.delete(writer);
    }
    if (hasApplied) continue;
    // Heads in a circle are a lie of their writers, and a head that is not read yet is: apply in the order of the listing.
    const stuck = queues.values().next().value?.[0];
    if (!stuck) return;
    const segment = read.get(stuck.name);
    if (segment) apply(parts, segment, stuck);
    read.delete(stuck.name);
    queues.get(stuck.writer)!.shift();
    if (queues.get(stuck.writer)!.length === 0) queues.delete(stuck.writer);
  }

  function apply({ clock }: LedgerParts, segment: Segment, { hash, bytes, name }: ListedLedgerFile): void {
    if (!followsKnown(projection, segment)) {
      const gap = `${LEDGER_FOLDER}${segment.writer}/${segment.number - 1}`;
      projection.ledgers.recordDamage(gap, 'missing', clock.now());
    }
    projection.applySegment(segment, hash, bytes);
    projection.ledgers.clearDamage(name);
  }
}

function followsKnown({ ledgers }: Projection, { writer, number, previous }: Segment): boolean {
  return previous === undefined || ledgers.hasSegment(writer, number - 1, previous);
}

/** Reads the next segment of each queue, and more while there is room. Damaged ones are recorded and left out. */
async function readAhead(
  parts: LedgerParts,
  queues: ReadonlyMap<string, ListedLedgerFile[]>,
  read: Map<string, Segment>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { storage } = parts;
  const wanted: ListedLedgerFile[] = [];
  let bytes = 0;
  for (let depth = 0; depth < storage.concurrency * 4; depth += 1) {
    for (const files of queues.values()) {
      const file = files[depth];
      if (!file || read.has(file.name) || (depth > 0 && bytes + file.bytes > BATCH_BYTES)) continue;
      bytes += file.bytes;
      wanted.push(file);
    }
  }
  for (let start = 0; start < wanted.length; start += storage.concurrency) {
    await Promise.all(
      wanted.slice(start, start + storage.concurrency).map(async (file) => {
        const segment = await readLedgerFile(parts, file, signal);
        if (segment) {
          read.set(file.name, segment);
          return;
        }
        const files = queues.get(file.writer)!;
        files.splice(files.indexOf(file), 1);
      }),
    );
  }
}

/** Reads one segment or checkpoint. Returns `undefined` after recording its damage. */
export async function readLedgerFile(
  { storage, projection, seal, clock }: LedgerParts,
  file: ListedLedgerFile,
  signal?: AbortSignal,
): Promise<Segment | undefined> {
  const { ledgers } = projection;
  try {
    if (file.bytes > LARGEST_LEDGER_FILE_BYTES) throw new DamagedFileError(file.name, 'size');
    const bytes = await storage.get(file.name, undefined, signal);
    if (!bytes) throw new DamagedFileError(file.name, 'missing');
    return decodeSegment(file, bytes, seal, ledgers.writer(file.writer)?.publicKey);
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error;
    ledgers.recordDamage(file.name, error.problem, clock.now());
    return undefined;
  }
}

/** Records ledgers that are shorter than this computer or another writer has seen them. */
function recordWithheld({ projection, clock }: LedgerParts, listing: LedgerListing): void {
  const { ledgers } = projection;
  const withheld = (writer: string, number: number, hash: string): void => {
    ledgers.recordDamage(
      `${LEDGER_FOLDER}${writer}/${String(number).padStart(12, '0')}-${hash}`,
      'missing',
      clock.now(),
    );
  };
  for (const { id, number, hash } of ledgers.writers()) {
    const newest = listing.get(id)?.at(-1)?.number ?? 0;
    if (newest < number) withheld(id, number, hash);
  }
  for (const { writer, number, hash } of ledgers.unseenHeads()) withheld(writer, number, hash);
}
