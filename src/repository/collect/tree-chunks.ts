import { hash } from 'node:crypto';
import { chunkCount, digestAt } from '../../engine/chunk/chunk-list.ts';
import { readFooter } from '../../engine/tree/footer.ts';
import type { VerifiedFooter } from '../../engine/tree/record.ts';
import { treeInvalid } from '../../engine/tree/tree-invalid.ts';
import { TreeReader } from '../../engine/tree/tree-reader.ts';
import type { Repository } from '../repository.ts';
import { readChunk } from '../restore/read-chunk.ts';

const DIGEST_BYTES = 32;

/** A piece of a tree. */
export interface PieceOfTree {
  /** Identifies its content: SHA-256 of the digests of its chunks. */
  readonly id: Buffer;
  /** Digests of the piece's own chunks. */
  readonly chunks: readonly Buffer[];
  readonly index: number;
  readonly footer: VerifiedFooter;
}

/** Reads which chunks the trees of restore points need. A piece that was read once is remembered in the projection. */
export class TreeChunks {
  readonly #repository: Repository;

  constructor(repository: Repository) {
    this.#repository = repository;
  }

  /**
   * Lists the pieces of a tree.
   *
   * @param tree digest of its footer's chunk
   * @throws HoldfastError `tree_invalid`, `chunk_*`
   */
  async piecesOf(tree: Buffer, signal?: AbortSignal): Promise<readonly PieceOfTree[]> {
    const footer = readFooter(await readChunk(this.#repository, tree, signal), this.#repository.keys.tree);
    return footer.pieces.map(({ chunks }, index) => {
      const digests = Array.from({ length: chunkCount(chunks) }, (_, at) => Buffer.from(digestAt(chunks, at)));
      return { id: hash('sha256', Buffer.concat(digests), 'buffer'), chunks: digests, index, footer };
    });
  }

  /**
   * Yields the digests of the chunks of a piece's files.
   *
   * @throws HoldfastError `tree_invalid`, also if a single record is malformed: its chunks are unknown
   */
  async *chunksOf({ id, chunks, index, footer }: PieceOfTree, signal?: AbortSignal): AsyncGenerator<Buffer> {
    const { database } = this.#repository.projection;
    const known = database.prepare<[Buffer], Buffer>('SELECT chunks FROM tree_piece WHERE digest = ?').pluck().get(id);
    const digests = known ?? (await this.#read(index, chunks, footer, signal));
    if (!digests) return;
    if (!known) {
      database.prepare('INSERT INTO tree_piece (digest, chunks) VALUES (?, ?) ON CONFLICT DO NOTHING').run(id, digests);
    }
    for (let at = 0; at < digests.length; at += DIGEST_BYTES) yield digests.subarray(at, at + DIGEST_BYTES);
  }

  /** Returns `undefined` for a piece that no pack has any more: a repair has given it up. */
  async #read(
    index: number,
    chunks: readonly Buffer[],
    footer: VerifiedFooter,
    signal: AbortSignal | undefined,
  ): Promise<Buffer | undefined> {
    const plaintexts: Buffer[] = [];
    for (const chunk of chunks) {
      // What the records of a lost piece needed cannot be restored from this tree.
      if (this.#repository.projection.packs.isGivenUp(chunk)) return undefined;
      plaintexts.push(await readChunk(this.#repository, chunk, signal));
    }
    const { records, refused } = new TreeReader(footer).read(index, plaintexts);
    if (refused.length > 0) throw treeInvalid('record');
    const digests: Buffer[] = [];
    for (const record of records) {
      if (record.type !== 'file') continue;
      for (let at = 0; at < chunkCount(record.chunks); at += 1) digests.push(digestAt(record.chunks, at));
    }
    return Buffer.concat(digests);
  }
}
