import { createHash, hash } from 'node:crypto';
import { comparePaths } from '../../protocol/path.ts';
import { decodeFooter, isFooterPiece } from './footer.ts';
import { MAX_LINE_BYTES, unpackPiece } from './piece.ts';
import { decodeRecords } from './record-line.ts';
import type { TreeRecord, VerifiedFooter, VerifiedTree } from './record.ts';
import { treeInvalid } from './tree-invalid.ts';

const LINE_FEED = 0x0a;

/**
 * Reads `/.holdfast/tree` from the plaintexts of its chunks, in order. Holds one piece at a time.
 *
 * The records must not be used until `end` has returned, which proves that the tree is complete:
 *
 *     for await (const plaintext of chunks) stage(reader.push(plaintext));
 *     const footer = reader.end();
 */
export class TreeReader {
  readonly #treeSubKey: Uint8Array;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  readonly #recordsHash = createHash('sha256');
  /** Start of a line that continues in the next piece. */
  #carry: Buffer[] = [];
  #carryBytes = 0;
  #records = 0;
  readonly #pieceEnds: (string | undefined)[] = [];
  #lastPath: string | undefined;
  #footer: VerifiedFooter | undefined;

  /** @param treeSubKey `Keys.tree` */
  constructor(treeSubKey: Uint8Array) {
    this.#treeSubKey = treeSubKey;
  }

  /**
   * Reads the next chunk's plaintext and returns the records that it completes.
   *
   * @throws HoldfastError `tree_invalid` with a reason (`TreeProblem`)
   */
  push(plaintext: Uint8Array): TreeRecord[] {
    if (this.#footer) throw treeInvalid('trailing');
    const raw = unpackPiece(plaintext);
    if (this.#carryBytes === 0 && isFooterPiece(raw)) {
      this.#footer = decodeFooter(raw, this.#treeSubKey);
      return [];
    }
    this.#recordsHash.update(hash('sha256', raw, 'buffer'));
    const records = decodeRecords(this.#completeLines(raw));
    for (const record of records) {
      if (this.#lastPath !== undefined && comparePaths(this.#lastPath, record.path) >= 0) throw treeInvalid('order');
      this.#lastPath = record.path;
    }
    this.#records += records.length;
    this.#pieceEnds.push(records.at(-1)?.path);
    return records;
  }

  /**
   * Returns the footer, verified together with the records. To be called after the last chunk.
   *
   * @throws HoldfastError `tree_invalid` with reason `footer-missing` or `records-altered`
   */
  end(): VerifiedTree {
    const footer = this.#footer;
    if (!footer) throw treeInvalid('footer-missing');
    const isComplete = footer.records === this.#records && footer.recordsHash === this.#recordsHash.digest('hex');
    if (!isComplete) throw treeInvalid('records-altered');
    return { ...footer, pieceEnds: this.#pieceEnds };
  }

  #completeLines(raw: Buffer): string {
    const end = raw.lastIndexOf(LINE_FEED) + 1;
    let lines = raw.subarray(0, end);
    if (this.#carryBytes > 0 && end > 0) {
      lines = Buffer.concat([...this.#carry, lines]);
      this.#carry = [];
      this.#carryBytes = 0;
    }
    if (end < raw.length) this.#keep(raw.subarray(end));
    try {
      return this.#decoder.decode(lines);
    } catch (cause) {
      throw treeInvalid('encoding', cause);
    }
  }

  #keep(rest: Buffer): void {
    this.#carry.push(rest);
    this.#carryBytes += rest.length;
    if (this.#carryBytes > MAX_LINE_BYTES) throw treeInvalid('record');
  }
}
