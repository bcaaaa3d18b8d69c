import { HoldfastError } from '../../base/errors.ts';

/** The `reason` in the details of `tree_invalid`. */
export type TreeProblem =
  /** A piece is not valid zstd, or decompresses to more than the maximum. */
  | 'compression'
  /** A line is not UTF-8. */
  | 'encoding'
  /** A line is not a record. */
  | 'record'
  /** Records are out of order, or a path occurs twice. */
  | 'order'
  /** The last line is not a footer. */
  | 'footer'
  /** The tree ends without its footer. */
  | 'footer-missing'
  /** A newer Holdfast wrote it. */
  | 'version'
  /** The footer was written with a different key, or altered. */
  | 'mac'
  /** The records are not those of the footer. */
  | 'records-altered'
  /** Something follows the footer. */
  | 'trailing';

export function treeInvalid(reason: TreeProblem, cause?: unknown): HoldfastError {
  return new HoldfastError('tree_invalid', { reason }, { cause });
}
