import { isWithin } from '../../../model/entry-path.ts';
import type { DirtyPath } from '../../../catalog/entries/dirty-paths.ts';
import { pieceAt } from '../../../format/tree/piece-ranges.ts';
import type { KnownPiece } from '../../../format/tree/piece.ts';

/** The pieces of the newest restore point's tree, and the paths at which the catalog differs from it. */
export interface ReusableTree {
  /** In order; at least one. */
  readonly pieces: readonly KnownPiece[];
  readonly dirty: readonly DirtyPath[];
}

/** One flag per piece: true if the catalog differs anywhere between its first path and that of the next piece. */
export function dirtyPieces({ pieces, dirty }: ReusableTree): readonly boolean[] {
  const marks = pieces.map(() => false);
  for (const { path, removed } of dirty) {
    let index = Math.max(0, pieceAt(pieces, path));
    marks[index] = true;
    if (!removed) continue;
    for (index += 1; index < pieces.length && isWithin(pieces[index]!.firstPath, path); index += 1) marks[index] = true;
  }
  return marks;
}
