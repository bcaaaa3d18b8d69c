import type { ExitCode } from './exit-code.ts';

/** An object that contains one long array, produced in batches. */
export interface JsonList {
  readonly name: string;
  readonly batches: () => AsyncIterable<readonly object[]>;
  /** What else is in the object. */
  readonly rest?: object;
}

/** The result of a command, as JSON and as lines. */
export interface Outcome {
  /** 0 by default. */
  readonly exitCode?: ExitCode;
  readonly json:
    | { readonly kind: 'object'; readonly value: object }
    | { readonly kind: 'list'; readonly list: JsonList }
    /** The command wrote its one object itself, before its end. */
    | { readonly kind: 'shown' };
  readonly lines: Iterable<string> | AsyncIterable<string>;
  /** Warnings, for stderr; in JSON they are part of the object. */
  readonly warnings?: readonly string[];
}

/** An outcome that is one object. */
export function outcome(
  value: object,
  lines: Iterable<string>,
  rest: Pick<Outcome, 'exitCode' | 'warnings'> = {},
): Outcome {
  return { json: { kind: 'object', value }, lines, ...rest };
}
