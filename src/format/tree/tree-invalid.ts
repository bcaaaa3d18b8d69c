import { HoldfastError } from '../../base/errors/errors.ts';

/** The `reason` in the details of `tree_invalid`. */
export type TreeProblem =
  /** There is none. */
  | 'missing'
  /** A piece or the footer is not valid zstd, or decompresses to more than the maximum. */
  | 'compression'
  /** A line is not UTF-8. */
  | 'encoding'
  /** A line is not a record. */
  | 'record'
  /** Records are out of order, or a path occurs twice. */
  | 'order'
  /** The last chunk is not a footer. */
  | 'footer'
  /** A newer Holdfast wrote it. */
  | 'version'
  /** The footer was written with a different key, or altered. */
  | 'mac'
  /** A piece is not the one that the footer lists. */
  | 'piece-altered';

export function treeInvalid(reason: TreeProblem, cause?: unknown): HoldfastError {
  return new HoldfastError('tree_invalid', { reason }, { cause });
}
