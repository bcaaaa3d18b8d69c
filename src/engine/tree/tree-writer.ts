import { createHash, hash } from 'node:crypto';
import { comparePaths } from '../../protocol/path.ts';
import { encodeFooter } from './footer.ts';
import { MAX_LINE_BYTES, MAX_PIECE_BYTES, packPiece, type TreePiece } from './piece.ts';
import { encodeRecord } from './record-line.ts';
import type { TreeFooter, TreeRecord } from './record.ts';

const MIN_PIECE_BYTES = 64 * 1024;
/** Bytes that follow the minimum on average before a cut; together 256 KiB. */
const EXPECTED_BEYOND_MIN = 192 * 1024;
/** A line's chance to end a piece is its share of EXPECTED_BEYOND_MIN, so long and short lines cut equally often. */
const CUT_PER_BYTE = 2 ** 32 / EXPECTED_BEYOND_MIN;

/** UTF-8 takes three bytes for a UTF-16 code unit at most. */
const BYTES_PER_UNIT = 3;
const LINE_FEED = 0x0a;

/** What a finished tree is known by. */
export interface FinishedTree {
  /** Hex; the next tree's `previousTree`. */
  readonly treeHash: string;
  readonly records: number;
}

/**
 * Writes `/.holdfast/tree`: one line a record, in `comparePaths` order, cut at record boundaries into pieces that are
 * the entry's chunks in order. Where to cut is decided by the paths alone, so the pieces of folders in which nothing
 * changed are the same as last time and cost nothing. The footer is a piece of its own, since it changes every time.
 */
export class TreeWriter {
  readonly #treeSubKey: Uint8Array;
  readonly #onPiece: (piece: TreePiece) => void;
  readonly #recordsHash = createHash('sha256');
  readonly #raw = Buffer.allocUnsafeSlow(MAX_PIECE_BYTES);
  #used = 0;
  #records = 0;
  #lastPath: string | undefined;

  /**
   * @param treeSubKey `Keys.tree`
   * @param onPiece called with each piece as it is complete
   */
  constructor(treeSubKey: Uint8Array, onPiece: (piece: TreePiece) => void) {
    this.#treeSubKey = treeSubKey;
    this.#onPiece = onPiece;
  }

  /**
   * Takes the next record. Records out of order, or with attributes beyond MAX_LINE_BYTES, are a bug of the caller and
   * throw a plain Error.
   */
  write(record: TreeRecord): void {
    if (this.#lastPath !== undefined && comparePaths(this.#lastPath, record.path) >= 0) {
      throw new Error(`tree records out of order at ${JSON.stringify(record.path)}`);
    }
    this.#lastPath = record.path;
    this.#records += 1;
    const lineBytes = this.#append(encodeRecord(record));
    if (this.#used >= MIN_PIECE_BYTES && pathHash(record.path) < lineBytes * CUT_PER_BYTE) this.#cut();
  }

  /** Ends the tree with its footer. */
  finish(footer: TreeFooter): FinishedTree {
    this.#cut();
    const summary = { records: this.#records, recordsHash: this.#recordsHash.digest('hex') };
    const line = encodeFooter(footer, summary, this.#treeSubKey);
    this.#onPiece(packPiece(Buffer.concat([line, Buffer.of(LINE_FEED)])));
    return { treeHash: hash('sha256', line, 'hex'), records: this.#records };
  }

  /** Puts a line and its line feed into the piece and answers their bytes. */
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

  /** A line that may not fit starts the next piece; one that is longer than a piece goes on in further ones. */
  #appendLong(line: Buffer): number {
    if (line.length > MAX_LINE_BYTES) throw new RangeError(`a tree record has at most ${MAX_LINE_BYTES} bytes`);
    if (line.length > MAX_PIECE_BYTES - this.#used) this.#cut();
    for (let start = 0; start < line.length; start += MAX_PIECE_BYTES) {
      const part = line.subarray(start, start + MAX_PIECE_BYTES);
      this.#raw.set(part, this.#used);
      this.#used += part.length;
      if (line.length > MAX_PIECE_BYTES) this.#cut();
    }
    return line.length;
  }

  #cut(): void {
    if (this.#used === 0) return;
    const raw = this.#raw.subarray(0, this.#used);
    this.#recordsHash.update(raw);
    this.#used = 0;
    this.#onPiece(packPiece(raw));
  }
}

/** FNV-1a over the UTF-16 code units, with a last mix, as an unsigned 32-bit number. */
function pathHash(path: string): number {
  let state = 0x811c9dc5;
  for (let index = 0; index < path.length; index += 1) {
    state = Math.imul(state ^ path.charCodeAt(index), 0x01000193);
  }
  state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d);
  return (state ^ (state >>> 12)) >>> 0;
}
