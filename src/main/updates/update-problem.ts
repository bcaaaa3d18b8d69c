import type { UpdateProblemKind } from '../../ipc/contract/update.ts';

/** Why there is no update although the program looked for one. */
export class UpdateProblem extends Error {
  readonly kind: UpdateProblemKind;

  constructor(kind: UpdateProblemKind, options?: ErrorOptions) {
    super(`update: ${kind}`, options);
    this.kind = kind;
  }
}

/** Returns the problem behind an error of the library, which has codes of its own. */
export function problemOf(error: unknown): UpdateProblemKind {
  if (error instanceof UpdateProblem) return error.kind;
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  // A file that is cut off has another hash, too.
  if (code === 'ERR_CHECKSUM_MISMATCH') return 'damaged';
  return 'network';
}
