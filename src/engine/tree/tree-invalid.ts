import { HoldfastError } from '../../base/errors.ts';

/** Why a tree is refused: the `reason` in the details of `tree_invalid`. */
export type TreeProblem =
  /** A piece is no zstd, or unfolds to more than a piece may have. */
  | 'compression'
  /** A line is no UTF-8. */
  | 'encoding'
  /** A line is no record. */
  | 'record'
  /** Records are out of order, or one path stands twice. */
  | 'order'
  /** The last line is no footer. */
  | 'footer'
  /** The tree ends without its footer. */
  | 'footer-missing'
  /** A newer Holdfast wrote it. */
  | 'version'
  /** The footer was not written with this key, or was altered. */
  | 'mac'
  /** The records are not those that the footer is about. */
  | 'records-altered'
  /** Something stands behind the footer. */
  | 'trailing';

export function treeInvalid(reason: TreeProblem, cause?: unknown): HoldfastError {
  return new HoldfastError('tree_invalid', { reason }, { cause });
}
