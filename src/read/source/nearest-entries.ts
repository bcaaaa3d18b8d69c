import { parentOf } from '../../model/entry-path.ts';
import { pieceAt } from '../../format/tree/piece-ranges.ts';
import type { ChunkDependencies } from '../chunks/fetch-chunks.ts';
import { PathFilter, type MissingPath } from './path-filter.ts';
import { readPieces, type OpenTree } from './tree.ts';

/**
 * Finds the deepest folder of a tree that is above a missing path, with a few names in it. Reads only the pieces where the
 * path and the folders above it would be.
 */
export async function nearestEntries(
  tree: OpenTree,
  path: string,
  deps: ChunkDependencies,
  signal?: AbortSignal,
): Promise<MissingPath> {
  const { pieces } = tree.footer;
  const indexes = new Set<number>();
  for (let above = path; above !== ''; above = parentOf(above)) indexes.add(Math.max(0, pieceAt(pieces, above)));
  const inOrder = [...indexes].filter((index) => index < pieces.length).sort((a, b) => a - b);
  const filter = new PathFilter([path]);
  for await (const outcome of readPieces(tree, inOrder, deps, signal)) {
    for (const record of outcome.error ? [] : outcome.records) filter.takes(record.path);
  }
  return filter.missing()[0] ?? { path, parent: undefined, names: [] };
}
