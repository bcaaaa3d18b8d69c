import type { BackupFileEntry } from '../protocol/backup.ts';
import type { DeltaEntry } from '../protocol/extensions.ts';
import { comparePaths } from '../model/entry-path.ts';
import { HoldfastError } from '../base/errors/errors.ts';
import { fileOf, reservedFile, type ReservedEntry } from '../archive/backup/manifest/manifest-entries.ts';
import type { PathNames } from '../format/crypto/path-names.ts';
import { millisecondsOf } from '../protocol/timestamp.ts';
import type { ChunkDependencies } from '../read/chunks/fetch-chunks.ts';
import { readPieces, type OpenTree } from '../read/source/tree.ts';
import type { FileRecord, ListedPiece, TreeRecord } from '../format/tree/record.ts';

/** Number and bytes of a tree's files. */
export interface FileTotals {
  readonly files: number;
  readonly bytes: number;
}

export interface ManifestParts {
  readonly tree: OpenTree;
  readonly reserved: readonly ReservedEntry[];
  /** `undefined` if names are sent in the clear. */
  readonly names: PathNames | undefined;
  readonly deps: ChunkDependencies;
  readonly signal: AbortSignal | undefined;
  /** Called at the end. */
  readonly onTotals: (totals: FileTotals) => void;
}

/**
 * Yields the files of a tree as they are sent, followed by the reserved entries.
 *
 * @throws HoldfastError `chunk_*` and `tree_invalid` unless all of it can be read
 */
export async function* manifestOfTree(parts: ManifestParts): AsyncGenerator<readonly BackupFileEntry[]> {
  const { tree, reserved, names, deps, signal, onTotals } = parts;
  let files = 0;
  let bytes = 0;
  for await (const records of readRecords(tree, tree.footer.pieces.keys(), deps, signal)) {
    const entries = records.filter(isFile).map((record) => entryOf(record, names));
    files += entries.length;
    for (const { size } of entries) bytes += size;
    if (entries.length > 0) yield entries;
  }
  onTotals({ files, bytes });
  yield reserved.map(reservedFile);
}

/** A tree whose files the other destination has, with their totals. */
export interface TreeBefore extends FileTotals {
  readonly tree: OpenTree;
}

/**
 * Yields the differences of a tree's files from an earlier tree's, in path order. Pieces that both have are not read.
 *
 * @throws as `manifestOfTree`
 */
export async function* changesOfTree(
  before: TreeBefore,
  { tree, reserved, deps, signal, onTotals }: Omit<ManifestParts, 'names'>,
): AsyncGenerator<readonly DeltaEntry[]> {
  const [oldPieces, newPieces] = differingPieces(before.tree.footer.pieces, tree.footer.pieces);
  const oldRecords = new RecordCursor(readRecords(before.tree, oldPieces, deps, signal));
  const newRecords = new RecordCursor(readRecords(tree, newPieces, deps, signal));
  let { files, bytes } = before;
  const left = reserved.toSorted((a, b) => comparePaths(a.path, b.path));
  let batch: DeltaEntry[] = [];
  const add = (entry: DeltaEntry): void => {
    while (left[0] && comparePaths(left[0].path, entry.path) < 0) batch.push(reservedFile(left.shift()!));
    batch.push(entry);
  };
  for (;;) {
    const [old, now] = [await oldRecords.peek(), await newRecords.peek()];
    if (!old && !now) break;
    const order = old && now ? comparePaths(old.path, now.path) : old ? -1 : 1;
    if (old && order <= 0) oldRecords.take();
    if (now && order >= 0) newRecords.take();
    const oldFile = old && order <= 0 && isFile(old) ? old : undefined;
    const newFile = now && order >= 0 && isFile(now) ? now : undefined;
    files += Number(newFile !== undefined) - Number(oldFile !== undefined);
    bytes += (newFile?.size ?? 0) - (oldFile?.size ?? 0);
    if (oldFile && !newFile) add({ path: oldFile.path, removed: true });
    if (newFile && !(oldFile && isSameFile(oldFile, newFile))) add(entryOf(newFile, undefined));
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  onTotals({ files, bytes });
  yield [...batch, ...left.map(reservedFile)];
}

const BATCH = 500;

/** Names the first file that needs one of the chunks. */
export async function findFileWith(
  tree: OpenTree,
  isWanted: (file: FileRecord) => boolean,
  deps: ChunkDependencies,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  for await (const records of readRecords(tree, tree.footer.pieces.keys(), deps, signal)) {
    const found = records.filter(isFile).find(isWanted);
    if (found) return found.path;
  }
  return undefined;
}

async function* readRecords(
  tree: OpenTree,
  pieces: Iterable<number>,
  deps: ChunkDependencies,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly TreeRecord[], void> {
  for await (const outcome of readPieces(tree, pieces, deps, signal)) {
    if (outcome.error) throw outcome.error;
    // Its file would be missing in the copy.
    if (outcome.refused.length > 0) throw new HoldfastError('tree_invalid', { reason: 'record' });
    yield outcome.records;
  }
}

/** Indexes of the pieces that only one of two trees has. */
function differingPieces(
  one: readonly ListedPiece[],
  other: readonly ListedPiece[],
): readonly [readonly number[], readonly number[]] {
  const keyOf = ({ chunks }: ListedPiece): string => chunks.toString('latin1');
  const only = (pieces: readonly ListedPiece[], others: readonly ListedPiece[]): readonly number[] => {
    const known = new Set(others.map(keyOf));
    return pieces.flatMap((piece, index) => (known.has(keyOf(piece)) ? [] : [index]));
  };
  return [only(one, other), only(other, one)];
}

/** Reads records one by one. */
class RecordCursor {
  readonly #batches: AsyncGenerator<readonly TreeRecord[], void>;
  #batch: readonly TreeRecord[] = [];
  #next = 0;

  constructor(batches: AsyncGenerator<readonly TreeRecord[], void>) {
    this.#batches = batches;
  }

  async peek(): Promise<TreeRecord | undefined> {
    while (this.#next >= this.#batch.length) {
      const next = await this.#batches.next();
      if (next.done === true) return undefined;
      this.#batch = next.value;
      this.#next = 0;
    }
    return this.#batch[this.#next];
  }

  take(): void {
    this.#next += 1;
  }
}

function isFile(record: TreeRecord): record is FileRecord {
  return record.type === 'file';
}

/** Compares what a manifest has of a file. */
function isSameFile(one: FileRecord, other: FileRecord): boolean {
  return (
    one.size === other.size &&
    millisecondsOf(one.mtimeNs) === millisecondsOf(other.mtimeNs) &&
    one.chunks.equals(other.chunks)
  );
}

function entryOf({ path, size, mtimeNs, chunks }: FileRecord, names: PathNames | undefined): BackupFileEntry {
  return fileOf(names?.sealPath(path) ?? path, size, mtimeNs, chunks);
}
