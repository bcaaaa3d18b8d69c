/** What an operation gets besides its input. Runs get more: see `RunOptions`. */
export interface OperationRun {
  readonly signal?: AbortSignal | undefined;
}

/** The input of an operation that needs none. */
export type NoInput = Readonly<Record<string, never>>;
