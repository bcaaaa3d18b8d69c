import { isHoldfastError, systemCodeOf } from '../errors/errors.ts';
import { errorOf, failureOf, type Failure } from '../errors/failure.ts';

/** Converts errors to messages and back. */
export interface ErrorCodec {
  encode(error: unknown): unknown;
  decode(sent: unknown): unknown;
}

/** An error as a message, without what cannot be sent: its class and its cause. */
type SentError =
  | { readonly kind: 'failure'; readonly failure: Failure; readonly stack: string | undefined }
  /** Not an error, for instance the reason of an abort. */
  | { readonly kind: 'value'; readonly value: unknown }
  | {
      readonly kind: 'other';
      readonly name: string;
      readonly message: string;
      readonly stack: string | undefined;
      /** The code of a system error. */
      readonly code: string | undefined;
    };

/**
 * Carries `HoldfastError` and the `code` of system errors between threads of this program. Values that are not errors
 * arrive as they are.
 */
export const errorCodec: ErrorCodec = {
  encode: (error): SentError => {
    if (!(error instanceof Error)) return { kind: 'value', value: error };
    const { name, message, stack } = error;
    const failure = isHoldfastError(error) ? failureOf(error) : undefined;
    return failure
      ? { kind: 'failure', failure, stack }
      : { kind: 'other', name, message, stack, code: systemCodeOf(error) };
  },
  decode: (sent) => {
    const error = sent as SentError;
    switch (error.kind) {
      case 'failure':
        return withStack(errorOf(error.failure), error.stack);
      case 'value':
        return error.value;
      case 'other': {
        const { name, message, stack, code } = error;
        return withStack(Object.assign(new Error(message), { name, ...(code === undefined ? {} : { code }) }), stack);
      }
    }
  },
};

function withStack(error: Error, stack: string | undefined): Error {
  if (stack !== undefined) error.stack = stack;
  return error;
}
