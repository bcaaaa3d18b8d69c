import type { UpdateProblemKind } from '../../ipc/contract/update.ts';

/** Why there is no update although the program looked for one. */
export class UpdateProblem extends Error {
  readonly kind: UpdateProblemKind;

  constructor(kind: UpdateProblemKind, options?: ErrorOptions) {
    super(`update: ${kind}`, options);
    this.kind = kind;
  }
}

/** Returns the problem behind an error, which is another one if it comes from a library or from the system. */
export function problemOf(error: unknown, otherwise: UpdateProblemKind): UpdateProblemKind {
  return error instanceof UpdateProblem ? error.kind : otherwise;
}
