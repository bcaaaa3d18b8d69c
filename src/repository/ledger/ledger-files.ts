import type { Clock } from '../../base/clock.ts';
import { DamagedFileError, type DamageProblem } from '../../format/repository/damage.ts';
import type { CHECKPOINTS_FOLDER, LEDGER_FOLDER, LedgerFile } from '../../format/repository/file-names.ts';
import { parseLedgerName } from '../../format/repository/file-names.ts';
import {
  decodeSegment,
  LARGEST_LEDGER_FILE_BYTES,
  LARGEST_SEGMENT_BYTES,
  SMALLEST_LEDGER_FILE_BYTES,
  type LedgerSeal,
  type Segment,
} from '../../format/repository/segment.ts';
import type { Projection } from '../projection/projection.ts';
import { hashStored } from '../../storage/hash-stored.ts';
import type { Storage } from '../../storage/storage.ts';
import type { OnUnreadable } from '../../storage/unreadable.ts';
import { readStored } from '../../storage/read-stored.ts';
import type { Admission, WriterEnd } from './admission.ts';
import { MIB } from '../../model/units.ts';

/** Bytes of segments that are held at once while they are read. */
const BATCH_BYTES = 64 * MIB;

export interface LedgerParts {
  readonly storage: Storage;
  readonly projection: Projection;
  readonly seal: LedgerSeal;
  readonly clock: Clock;
  /** Everything counts by default. */
  readonly admits?: Admission | undefined;
  /** The ends of the ledgers of writers that were removed. */
  readonly ends?: ReadonlyMap<string, WriterEnd> | undefined;
}

export interface ListedLedgerFile extends LedgerFile {
  readonly bytes: number;
  /** By the store's clock, in milliseconds since the epoch, if it tells. */
  readonly created: number | undefined;
}

/** The segments in the repository, by writer. */
export type LedgerListing = ReadonlyMap<string, readonly ListedLedgerFile[]>;

/**
 * Lists the files of a ledger folder, those of each writer in order of their numbers.
 *
 * @param onUnreadable as of `Storage.list`
 */
export async function listLedger(
  storage: Storage,
  folder: typeof LEDGER_FOLDER | typeof CHECKPOINTS_FOLDER,
  signal: AbortSignal | undefined,
  onUnreadable: OnUnreadable | undefined,
): Promise<Map<string, ListedLedgerFile[]>> {
  const writers = new Map<string, ListedLedgerFile[]>();
  for await (const batch of storage.list(folder, signal, onUnreadable)) {
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

/** Reads one segment or checkpoint, or what is wrong with it. */
export async function openLedgerFile(
  { storage, seal, admits }: LedgerParts,
  file: ListedLedgerFile,
  signal?: AbortSignal,
): Promise<{ readonly segment: Segment } | { readonly problem: DamageProblem } | 'missing'> {
  try {
    const largest = file.folder === 'ledger' ? LARGEST_SEGMENT_BYTES : LARGEST_LEDGER_FILE_BYTES;
    if (file.bytes > largest) throw new DamagedFileError(file.name, 'size');
    if (file.bytes < SMALLEST_LEDGER_FILE_BYTES) throw new DamagedFileError(file.name, 'hash');
    // Only a large file that has its hash is read as a whole.
    if (file.bytes > BATCH_BYTES) {
      const hash = await hashStored(storage, file.name, file.bytes, signal);
      if (hash !== file.hash) throw new DamagedFileError(file.name, hash === undefined ? 'missing' : 'hash');
    }
    const bytes = await readStored(storage, file.name, undefined, signal);
    if (!bytes) return 'missing';
    const segment = decodeSegment(file, bytes, seal);
    if (admits?.(file, segment.epoch) === false) throw new DamagedFileError(file.name, 'revoked');
    return { segment };
  } catch (error) {
    if (!(error instanceof DamagedFileError)) throw error;
    return { problem: error.problem };
  }
}
