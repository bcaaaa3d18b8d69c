import { hash } from 'node:crypto';
import { comparePaths } from '../../model/entry-path.ts';
import { chunkCount, digestAt } from '../chunks/chunk-list.ts';
import { MAX_LINE_BYTES, MAX_PIECE_BYTES, unpackChunk } from './piece.ts';
import { decodeRecords, type DecodedRecords } from './record-line.ts';
import type { VerifiedFooter } from './record.ts';
import { treeInvalid } from './tree-invalid.ts';

/** Reads the pieces of a tree, each by itself and in any order: the footer proves every one of them. */
export class TreeReader {
  readonly #footer: Pick<VerifiedFooter, 'pieces'>;

  constructor(footer: Pick<VerifiedFooter, 'pieces'>) {
    this.#footer = footer;
  }

  /**
   * Verifies and decodes a piece.
   *
   * @param index of the piece in the footer's list
   * @param plaintexts of its chunks
   * @throws HoldfastError `tree_invalid` with a reason (`TreeProblem`)
   */
  read(index: number, plaintexts: readonly Uint8Array[]): DecodedRecords {
    const { pieces } = this.#footer;
    const { chunks, records: count, firstPath } = pieces[index]!;
    const isListed = (plaintext: Uint8Array, number: number): boolean =>
      hash('sha256', plaintext, 'buffer').equals(digestAt(chunks, number));
    if (plaintexts.length !== chunkCount(chunks) || !plaintexts.every(isListed)) throw treeInvalid('piece-altered');
    const decoded = decodeRecords(textOf(unpackAll(plaintexts)));
    const { records, refused } = decoded;
    if (records.length + refused.length !== count) throw treeInvalid('piece-altered');
    const next = pieces[index + 1]?.firstPath;
    const isInRange = (path: string): boolean =>
      comparePaths(path, firstPath) >= 0 && (next === undefined || comparePaths(path, next) < 0);
    const first = records[0];
    const last = records.at(-1);
    if ((first && !isInRange(first.path)) || (last && !isInRange(last.path))) throw treeInvalid('order');
    return decoded;
  }
}

function unpackAll(plaintexts: readonly Uint8Array[]): Buffer {
  const [only] = plaintexts;
  if (plaintexts.length === 1) return unpackChunk(only!, MAX_PIECE_BYTES);
  let room = MAX_LINE_BYTES;
  const parts = plaintexts.map((plaintext) => {
    const part = unpackChunk(plaintext, Math.min(room, MAX_PIECE_BYTES));
    room -= part.length;
    return part;
  });
  return Buffer.concat(parts);
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(raw: Buffer): string {
  try {
    return decoder.decode(raw);
  } catch (cause) {
    throw treeInvalid('encoding', cause);
  }
}
