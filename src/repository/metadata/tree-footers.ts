import { readFooter } from '../../format/tree/footer.ts';
import { chunkCount, digestAt } from '../../format/chunks/chunk-list.ts';
import { prepareOnce, pluckOnce } from '../../base/prepared-statements.ts';
import { digestsIn } from '../../format/repository/joined-digests.ts';
import type { Repository } from '../repository.ts';
import { isUnreadable } from '../restore/is-unreadable.ts';
import { readChunk } from '../restore/read-chunk.ts';

/** Reads of which chunks trees consist. A footer that was read once is remembered in the projection. */
export class TreeFooters {
  readonly #repository: Repository;

  constructor(repository: Repository) {
    this.#repository = repository;
  }

  /**
   * Returns the digests of the chunks of a tree's pieces; none if its footer cannot be read.
   *
   * @param tree digest of the footer's chunk
   */
  async chunksOf(tree: Buffer, signal?: AbortSignal): Promise<readonly Buffer[]> {
    const { database } = this.#repository.projection;
    const known = pluckOnce<[Buffer], Buffer>(database, 'SELECT chunks FROM tree_footer WHERE digest = ?').get(tree);
    if (known) return [...digestsIn(known)];
    try {
      const { pieces } = readFooter(await readChunk(this.#repository, tree, signal), this.#repository.keys.tree);
      const chunks = Buffer.concat(
        pieces.flatMap((piece) =>
          Array.from({ length: chunkCount(piece.chunks) }, (_, at) => digestAt(piece.chunks, at)),
        ),
      );
      prepareOnce(database, 'INSERT INTO tree_footer (digest, chunks) VALUES (?, ?) ON CONFLICT DO NOTHING').run(
        tree,
        chunks,
      );
      return [...digestsIn(chunks)];
    } catch (error) {
      if (isUnreadable(error)) return [];
      throw error;
    }
  }
}
