import { createHash, hash } from 'node:crypto';
import { comparePaths } from '../../protocol/path.ts';
import { EntriesHash, type HashedFile } from './entries-hash.ts';
import { encodeFooter } from './footer.ts';
import { MAX_LINE_BYTES, MAX_PIECE_BYTES, packPiece, type KnownPiece, type TreePiece } from './piece.ts';
import { encodeRecord } from './record-line.ts';
import type { TreeFooter, TreeRecord } from './record.ts';

const MIN_PIECE_BYTES = 64 * 1024;
/** Mean bytes between the minimum and a cut; together 256 KiB. */
const EXPECTED_BEYOND_MIN = 192 * 1024;
/** A line ends a piece with a probability proportional to its length, so that long and short lines cut equally often. */
const CUT_PER_BYTE = 2 ** 32 / EXPECTED_BEYOND_MIN;

/** Maximum bytes of a UTF-16 code unit in UTF-8. */
const BYTES_PER_UNIT = 3;
const LINE_FEED = 0x0a;

/** Identity and totals of a finished tree. */
export interface FinishedTree {
  /** Hex; the next tree's `previousTree`. */
  readonly treeHash: string;
  readonly records: number;
  /** Number of files, and their bytes. */
  readonly files: number;
  readonly bytes: number;
}

/**
 * Writes `/.holdfast/tree`: one line a record, in `comparePaths` order, cut at record boundaries into pieces, which are
 * the entry's chunks in order. Boundaries depend on the paths alone, so the pieces of unchanged folders are the same as
 * last time and need not be stored again. The footer is a separate piece, since it changes every time.
 */
export class TreeWriter {
  readonly #treeSubKey: Uint8Array;
  readonly #onPiece: (piece: TreePiece, known: KnownPiece | undefined) => void;
  readonly #recordsHash = createHash('sha256');
  readonly #entriesHash = createHash('sha256');
  readonly #pieceEntries = new EntriesHash();
  readonly #raw = Buffer.allocUnsafeSlow(MAX_PIECE_BYTES);
  #used = 0;
  #records = 0;
  #files = 0;
  #bytes = 0;
  #lastPath: string | undefined;
  #piece = emptyPiece();
  #isDivisible = true;
  readonly #isDamaged: (digest: Buffer) => boolean;

  /**
   * @param treeSubKey `Keys.tree`
   * @param onPiece called with each complete piece; `known` is `undefined` for the footer
   * @param damaged digests that no piece may have
   */
  constructor(
    treeSubKey: Uint8Array,
    onPiece: (piece: TreePiece, known: KnownPiece | undefined) => void,
    damaged?: { has(digest: Buffer): boolean },
  ) {
    this.#isDamaged = (digest) => damaged?.has(digest) ?? false;
    this.#treeSubKey = treeSubKey;
    this.#onPiece = onPiece;
  }

  /** True if the next record starts a piece. */
  get isBetweenPieces(): boolean {
    return this.#used === 0;
  }

  /** True if every piece starts and ends at a record boundary, so that a later tree may reuse single ones. */
  get isDivisible(): boolean {
    return this.#isDivisible;
  }

  /**
   * Writes the next record. Records out of order, or longer than MAX_LINE_BYTES, are a bug of the caller and throw a plain
   * Error.
   *
   * @param file its manifest entry, if it is a file
   */
  write(record: TreeRecord, file?: HashedFile): void {
    this.#follow(record.path);
    const lineBytes = this.#append(encodeRecord(record));
    this.#piece.firstPath ??= record.path;
    this.#piece.records += 1;
    if (file) this.#addFile(file);
    const isFull = this.#used >= MIN_PIECE_BYTES && pathHash(record.path) < lineBytes * CUT_PER_BYTE;
    if (isFull || lineBytes > MAX_PIECE_BYTES) this.#cut();
  }

  /** Reuses a piece of an earlier tree; only between pieces. The caller ensures that its chunk is stored. */
  reuse(piece: KnownPiece): void {
    if (!this.isBetweenPieces) throw new Error('a piece is reused in the middle of another');
    this.#follow(piece.firstPath);
    this.#count(piece);
  }

  /** Ends the tree with its footer. */
  finish(footer: Omit<TreeFooter, 'entriesHash'>): FinishedTree {
    this.#cut();
    const summary = { records: this.#records, recordsHash: this.#recordsHash.digest('hex') };
    const line = encodeFooter({ ...footer, entriesHash: this.#entriesHash.digest('hex') }, summary, this.#treeSubKey);
    this.#onPiece(packPiece(Buffer.concat([line, Buffer.of(LINE_FEED)])), undefined);
    return { treeHash: hash('sha256', line, 'hex'), records: this.#records, files: this.#files, bytes: this.#bytes };
  }

  #follow(path: string): void {
    if (this.#lastPath !== undefined && comparePaths(this.#lastPath, path) >= 0) {
      throw new Error(`tree records out of order at ${JSON.stringify(path)}`);
    }
    this.#lastPath = path;
  }

  #addFile(file: HashedFile): void {
    this.#pieceEntries.add(file);
    this.#piece.files += 1;
    this.#piece.bytes += file.size;
  }

  #count(piece: Pick<KnownPiece, 'recordsHash' | 'entriesHash' | 'records' | 'files' | 'bytes'>): void {
    this.#recordsHash.update(piece.recordsHash);
    this.#entriesHash.update(piece.entriesHash);
    this.#records += piece.records;
    this.#files += piece.files;
    this.#bytes += piece.bytes;
  }

  /** Appends a line with its line feed to the piece and returns its bytes. */
  #append(line: string): number {
    const room = MAX_PIECE_BYTES - this.#used;
    if (line.length * BYTES_PER_UNIT < room) {
      const bytes = this.#raw.write(line, this.#used);
      this.#raw[this.#used + bytes] = LINE_FEED;
      this.#used += bytes + 1;
      return bytes + 1;
    }
    return this.#appendLong(Buffer.from(`${line}\n`, 'utf8'));
  }

  /** Starts the next piece with a line that may not fit; a line longer than a piece continues in further ones. */
  #appendLong(line: Buffer): number {
    if (line.length > MAX_LINE_BYTES) throw new RangeError(`a tree record has at most ${MAX_LINE_BYTES} bytes`);
    if (line.length > MAX_PIECE_BYTES - this.#used) this.#cut();
    if (line.length > MAX_PIECE_BYTES) this.#isDivisible = false;
    for (let start = 0; start < line.length; start += MAX_PIECE_BYTES) {
      const part = line.subarray(start, start + MAX_PIECE_BYTES);
      this.#raw.set(part, this.#used);
      this.#used += part.length;
      if (start + MAX_PIECE_BYTES < line.length) this.#cut();
    }
    return line.length;
  }

  #cut(): void {
    if (this.#used === 0) return;
    const raw = this.#raw.subarray(0, this.#used);
    const packed = packPiece(raw, this.#isDamaged);
    const known: KnownPiece = {
      ...this.#piece,
      firstPath: this.#piece.firstPath ?? this.#lastPath!,
      digest: packed.digest,
      size: packed.plaintext.length,
      recordsHash: hash('sha256', raw, 'buffer'),
      entriesHash: this.#pieceEntries.endPiece(),
    };
    this.#used = 0;
    this.#piece = emptyPiece();
    this.#count(known);
    this.#onPiece(packed, known);
  }
}

interface OpenPiece {
  firstPath: string | undefined;
  records: number;
  files: number;
  bytes: number;
}

function emptyPiece(): OpenPiece {
  return { firstPath: undefined, records: 0, files: 0, bytes: 0 };
}

/** FNV-1a over the UTF-16 code units with a final mix, as an unsigned 32-bit number. */
function pathHash(path: string): number {
  let state = 0x811c9dc5;
  for (let index = 0; index < path.length; index += 1) {
    state = Math.imul(state ^ path.charCodeAt(index), 0x01000193);
  }
  state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d);
  return (state ^ (state >>> 12)) >>> 0;
}
