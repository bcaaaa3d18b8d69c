import { DigestSet } from '../../format/chunks/digest-set.ts';
import type { Point } from '../projection/points.ts';

interface Piece {
  readonly id: Buffer;
  readonly chunks: readonly Buffer[];
}

/** Reads trees, as `TreeChunks` does. */
export interface TreeSource {
  piecesOf(tree: Buffer, signal?: AbortSignal): Promise<readonly Piece[]>;
  /** Yields the digests of the chunks of the files of one tree's pieces. */
  chunksOf(pieces: readonly Piece[], signal?: AbortSignal): AsyncIterable<Buffer>;
}

/** Collects the digests of all chunks that restore points need: their trees, key envelopes and files. */
export class LiveChunks {
  readonly digests = new DigestSet();
  readonly #trees: TreeSource;
  readonly #pieces = new DigestSet();
  readonly #points = new Set<string>();

  constructor(trees: TreeSource) {
    this.#trees = trees;
  }

  /**
   * Adds what restore points need. Those that were added before cost nothing.
   *
   * @throws HoldfastError `tree_invalid`, `chunk_*` if a tree cannot be read: then nothing may be removed
   */
  async addAll(points: readonly Point[], signal?: AbortSignal): Promise<void> {
    for (const point of points) {
      const id = point.id.toString('hex');
      if (!this.#points.has(id)) await this.#add(point, signal);
      this.#points.add(id);
    }
  }

  async #add(point: Point, signal: AbortSignal | undefined): Promise<void> {
    if (point.envelope) this.digests.add(point.envelope);
    this.digests.add(point.tree);
    const pieces = await this.#trees.piecesOf(point.tree, signal);
    // Trees share most of their pieces.
    const others = pieces.filter(({ id }) => !this.#pieces.has(id));
    for (const { id, chunks } of others) {
      this.#pieces.add(id);
      for (const chunk of chunks) this.digests.add(chunk);
    }
    for await (const chunk of this.#trees.chunksOf(others, signal)) this.digests.add(chunk);
  }
}
