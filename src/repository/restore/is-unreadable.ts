import { isHoldfastError } from '../../base/errors/errors.ts';

const UNREADABLE = ['tree_invalid', 'chunk_missing', 'chunk_tampered', 'chunk_corrupt'] as const;

/** Returns whether an error says that a tree or a chunk cannot be read, and nothing of the destination as a whole. */
export function isUnreadable(error: unknown): boolean {
  return UNREADABLE.some((code) => isHoldfastError(error, code));
}
