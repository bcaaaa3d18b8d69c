import { hash } from 'node:crypto';
import { comparePaths } from '../../model/entry-path.ts';
import { CHUNK_RECORD_BYTES, MAX_CHUNK_BYTES, writeChunkRecord } from '../chunks/chunk-list.ts';
import { encodeFooter } from './footer.ts';
import { MAX_LINE_BYTES, MAX_PIECE_BYTES, packChunk, type KnownPiece, type TreeChunk } from './piece.ts';
import { encodeRecord } from './record-line.ts';
import type { TreeFooter, TreeRecord } from './record.ts';
import type { EpochKeys } from '../crypto/keys.ts';
import { KIB } from '../../model/units.ts';

/** Mean bytes of the first pieces. */
export const MEAN_PIECE_BYTES = 32 * KIB;

/** After so many pieces their mean doubles, so that the footer of the largest tree fits in one chunk. */
export const PIECES_PER_MEAN = 8192;
const MOST_DOUBLINGS = 4;

/** Maximum bytes of a UTF-16 code unit in UTF-8. */
const BYTES_PER_UNIT = 3;
const LINE_FEED = 0x0a;

/** Identity and totals of a finished tree. */
export interface FinishedTree {
  /** Hex; the next tree's `previousTree`. */
  readonly treeHash: string;
  /** Number of files, and their bytes. */
  readonly files: number;
  readonly bytes: number;
}

/** Receives a tree as it is written. */
export interface TreeSink {
  /** Receives each new chunk; the footer's is the last. */
  onChunk(chunk: TreeChunk): void;
  /** Receives each complete piece of records, after its chunks. Reused pieces are not passed on. */
  onPiece?(piece: KnownPiece): void;
  /** Digests that no chunk of records may have. */
  readonly damaged?: { has(digest: Buffer): boolean } | undefined;
}

/**
 * Writes `/.holdfast/tree`: one line a record, in `comparePaths` order, cut at record boundaries into pieces. Boundaries
 * depend on the paths alone, so the pieces of unchanged folders are the same as last time and need not be stored again. The
 * footer lists the pieces.
 */
export class TreeWriter {
  readonly #treeSubKeys: EpochKeys;
  readonly #sink: TreeSink;
  readonly #isDamaged: (digest: Buffer) => boolean;
  readonly #raw = Buffer.allocUnsafeSlow(MAX_PIECE_BYTES);
  readonly #pieces: KnownPiece[] = [];
  #used = 0;
  #lastPath: string | undefined;
  #open = emptyPiece('');

  /** @param treeSubKeys `Keys.tree` */
  constructor(treeSubKeys: EpochKeys, sink: TreeSink) {
    this.#treeSubKeys = treeSubKeys;
    this.#sink = sink;
    this.#isDamaged = (digest) => sink.damaged?.has(digest) ?? false;
  }

  /** True if the next record starts a piece. */
  get isBetweenPieces(): boolean {
    return this.#used === 0;
  }

  /**
   * Writes the next record. Records out of order, or longer than MAX_LINE_BYTES, are a bug of the caller and throw a plain
   * Error.
   */
  write(record: TreeRecord): void {
    this.#follow(record.path);
    const line = encodeRecord(record);
    const bytes = this.#append(line);
    if (bytes === undefined) {
      this.#writeLong(Buffer.from(`${line}\n`, 'utf8'), record);
      return;
    }
    if (this.#used === bytes) this.#open = emptyPiece(record.path);
    addTo(this.#open, record);
    if (this.#endsPiece(record.path, bytes)) this.#cut();
  }

  /** Reuses a piece of an earlier tree; only between pieces. The caller ensures that its chunks are stored. */
  reuse(piece: KnownPiece): void {
    if (!this.isBetweenPieces) throw new Error('a piece is reused in the middle of another');
    this.#follow(piece.firstPath);
    this.#pieces.push(piece);
  }

  /** Ends the tree with its footer. */
  finish(footer: TreeFooter): FinishedTree {
    this.#cut();
    const line = encodeFooter(footer, this.#pieces, this.#treeSubKeys);
    const chunk = packChunk(Buffer.concat([line, Buffer.of(LINE_FEED)]));
    if (chunk.plaintext.length > MAX_CHUNK_BYTES) {
      throw new RangeError(`the footer of a tree with ${this.#pieces.length} pieces does not fit in a chunk`);
    }
    this.#sink.onChunk(chunk);
    const sum = (count: (piece: KnownPiece) => number): number =>
      this.#pieces.reduce((total, piece) => total + count(piece), 0);
    return {
      treeHash: hash('sha256', line, 'hex'),
      files: sum((piece) => piece.files),
      bytes: sum((piece) => piece.bytes),
    };
  }

  #follow(path: string): void {
    if (this.#lastPath !== undefined && comparePaths(this.#lastPath, path) >= 0) {
      throw new Error(`tree records out of order at ${JSON.stringify(path)}`);
    }
    this.#lastPath = path;
  }

  /**
   * Appends a line with its line feed, to the next piece if it does not fit in this one.
   *
   * @returns its bytes; `undefined` if it is too long for any piece
   */
  #append(line: string): number | undefined {
    const room = MAX_PIECE_BYTES - this.#used;
    if (line.length * BYTES_PER_UNIT >= room) {
      const bytes = Buffer.byteLength(line) + 1;
      if (bytes > room) this.#cut();
      if (bytes > MAX_PIECE_BYTES) return undefined;
    }
    const bytes = this.#raw.write(line, this.#used);
    this.#raw[this.#used + bytes] = LINE_FEED;
    this.#used += bytes + 1;
    return bytes + 1;
  }

  /** Writes a piece of one line, in several chunks. */
  #writeLong(line: Buffer, record: TreeRecord): void {
    if (line.length > MAX_LINE_BYTES) throw new RangeError(`a tree record has at most ${MAX_LINE_BYTES} bytes`);
    const parts: Buffer[] = [];
    for (let start = 0; start < line.length; start += MAX_PIECE_BYTES) {
      parts.push(line.subarray(start, start + MAX_PIECE_BYTES));
    }
    const piece = emptyPiece(record.path);
    addTo(piece, record);
    this.#add(piece, parts);
  }

  /**
   * A line ends a piece with a probability proportional to its length, so that long and short lines cut equally often. The
   * cuts of a larger mean are among those of a smaller one.
   */
  #endsPiece(path: string, lineBytes: number): boolean {
    const doublings = Math.min(MOST_DOUBLINGS, Math.floor(this.#pieces.length / PIECES_PER_MEAN));
    const mean = MEAN_PIECE_BYTES * 2 ** doublings;
    const least = mean / 4;
    return this.#used >= least && pathHash(path) < (lineBytes * 2 ** 32) / (mean - least);
  }

  #cut(): void {
    if (this.#used === 0) return;
    const raw = this.#raw.subarray(0, this.#used);
    this.#used = 0;
    this.#add(this.#open, [raw]);
  }

  #add(sums: PieceSums, parts: readonly Buffer[]): void {
    const chunks = Buffer.allocUnsafeSlow(parts.length * CHUNK_RECORD_BYTES);
    for (const [index, part] of parts.entries()) {
      const chunk = packChunk(part, this.#isDamaged);
      writeChunkRecord(chunks, index, chunk.digest, chunk.plaintext.length);
      this.#sink.onChunk(chunk);
    }
    const piece = { ...sums, chunks };
    this.#pieces.push(piece);
    this.#sink.onPiece?.(piece);
  }
}

interface PieceSums {
  readonly firstPath: string;
  records: number;
  files: number;
  bytes: number;
}

function emptyPiece(firstPath: string): PieceSums {
  return { firstPath, records: 0, files: 0, bytes: 0 };
}

function addTo(piece: PieceSums, record: TreeRecord): void {
  piece.records += 1;
  if (record.type !== 'file') return;
  piece.files += 1;
  piece.bytes += record.size;
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
