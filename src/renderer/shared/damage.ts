import type { Failure } from '../../base/errors/failure.ts';

/** Codes of failures that mean that the destination lost or altered something. */
export const DAMAGE_CODES: ReadonlySet<string> = new Set([
  'chunk_missing',
  'chunk_tampered',
  'chunk_corrupt',
  'tree_invalid',
]);

/** Returns whether a run failed because the destination is damaged. */
export function isDamage(failure: Failure | undefined): boolean {
  if (failure === undefined) return false;
  if (failure.code === 'destination_missing') return failure.details.problem === 'damaged';
  return DAMAGE_CODES.has(failure.code);
}
