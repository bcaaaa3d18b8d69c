import { hash } from 'node:crypto';
import { chunkCount, digestAt } from '../../format/chunks/chunk-list.ts';
import { readFooter } from '../../format/tree/footer.ts';
import type { VerifiedFooter } from '../../format/tree/record.ts';
import { treeInvalid } from '../../format/tree/tree-invalid.ts';
import { TreeReader } from '../../format/tree/tree-reader.ts';
import { readIfReadable } from '../../storage/read-stored.ts';
import type { Repository } from '../repository.ts';
import { packName } from '../../format/repository/file-names.ts';
import type { BlobLocation } from '../projection/blob-locations.ts';
import { planReads, type PackRange } from '../restore/plan-reads.ts';
import { digestsIn } from '../../format/repository/joined-digests.ts';
import { readChunk } from '../restore/read-chunk.ts';

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
   * Yields the digests of the chunks of the files of one tree's pieces. Pieces that stand close together in a pack are read at once.
   *
   * @throws HoldfastError `tree_invalid`, also if a single record is malformed: its chunks are unknown
   */
  async *chunksOf(pieces: readonly PieceOfTree[], signal?: AbortSignal): AsyncGenerator<Buffer> {
    const { database } = this.#repository.projection;
    const find = database.prepare<[Buffer], Buffer>('SELECT chunks FROM tree_piece WHERE digest = ?').pluck();
    const unread: PieceOfTree[] = [];
    for (const piece of pieces) {
      const known = find.get(piece.id);
      if (known) yield* digestsIn(known);
      else unread.push(piece);
    }
    const insert = database.prepare('INSERT INTO tree_piece (digest, chunks) VALUES (?, ?) ON CONFLICT DO NOTHING');
    for await (const { piece, blobs } of this.#readTogether(unread, signal)) {
      const digests = await this.#read(piece, blobs, signal);
      if (!digests) continue;
      insert.run(piece.id, digests);
      yield* digestsIn(digests);
    }
  }

  /** Yields the pieces with the blobs of their chunks, as far as they are in one part of a pack. */
  async *#readTogether(
    pieces: readonly PieceOfTree[],
    signal: AbortSignal | undefined,
  ): AsyncGenerator<{ readonly piece: PieceOfTree; readonly blobs: readonly Uint8Array[] }> {
    const placed: { readonly piece: PieceOfTree; readonly places: readonly BlobLocation[] }[] = [];
    for (const piece of pieces) {
      const places = this.#repository.projection.packs.locateAll(piece.chunks).map(([place]) => place);
      if (isInOneRead(places)) placed.push({ piece, places });
      else yield { piece, blobs: [] };
    }
    for (const { packHash, offset, length, items } of planReads(placed, ({ places }) => rangeOf(places))) {
      signal?.throwIfAborted();
      const bytes = await readIfReadable(this.#repository.storage, packName(packHash), { offset, length }, signal);
      for (const { piece, places } of items) {
        const blobs = places.map((place) =>
          bytes?.subarray(place.offset - offset, place.offset - offset + place.length),
        );
        yield { piece, blobs: blobs.filter((blob) => blob !== undefined) };
      }
    }
  }

  /** Returns `undefined` for a piece that no pack has any more: a repair has given it up. */
  async #read(
    { index, chunks, footer }: PieceOfTree,
    blobs: readonly Uint8Array[],
    signal: AbortSignal | undefined,
  ): Promise<Buffer | undefined> {
    const plaintexts: Buffer[] = [];
    for (const [at, chunk] of chunks.entries()) {
      // What the records of a lost piece needed cannot be restored from this tree.
      if (this.#repository.projection.packs.isGivenUp(chunk)) return undefined;
      plaintexts.push(await readChunk(this.#repository, chunk, signal, blobs[at]));
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

/** Returns whether all places are known, and are neighbours in one pack. */
function isInOneRead(places: readonly (BlobLocation | undefined)[]): places is readonly BlobLocation[] {
  const known = places.filter((place) => place !== undefined);
  return known.length === places.length && planReads(known, (place) => place).length === 1;
}

/** The part of a pack from the first to the last of these places. */
function rangeOf(places: readonly BlobLocation[]): PackRange {
  const { pack, packHash } = places[0]!;
  const offset = Math.min(...places.map((place) => place.offset));
  const end = Math.max(...places.map((place) => place.offset + place.length));
  return { pack, packHash, offset, length: end - offset };
}
