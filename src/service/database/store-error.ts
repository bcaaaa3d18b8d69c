/** Why a store's directory cannot be used. */
export type StoreErrorCode =
  | 'store_missing'
  | 'store_unrecognised'
  | 'store_newer'
  | 'store_damaged'
  | 'store_unwritable'
  | 'insufficient_storage';

/** Thrown while a store is opened or created; afterwards the same causes arrive as `ServiceProblem`. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;
  readonly directory: string;

  constructor(code: StoreErrorCode, directory: string, cause?: unknown) {
    super(`${code}: ${directory}`, { cause });
    this.code = code;
    this.directory = directory;
  }
}

/** PostgreSQL cannot be reached, or refuses. The message contains no password. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
}
