import { HoldfastError, isHoldfastError, systemCodeOf, type ErrorCode, type ErrorDetails } from '../errors.ts';
import { CallFailure, type Failure } from './failure.ts';

/** Converts errors to messages and back. */
export interface ErrorCodec {
  encode(error: unknown): unknown;
  decode(sent: unknown): unknown;
}

/** An error as a message, without what cannot be sent: its class and its cause. */
type SentError =
  | {
      readonly kind: 'holdfast';
      readonly code: ErrorCode;
      readonly details: ErrorDetails;
      readonly retryable: boolean;
      readonly stack: string | undefined;
    }
  | { readonly kind: 'failure'; readonly failure: Failure }
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
 * Carries `HoldfastError`, `CallFailure` and the `code` of system errors between threads of this program. Values that are
 * not errors arrive as they are.
 */
export const errorCodec: ErrorCodec = {
  encode: (error): SentError => {
    if (isHoldfastError(error)) {
      const { code, details, retryable, stack } = error;
      return { kind: 'holdfast', code, details, retryable, stack };
    }
    if (error instanceof CallFailure) return { kind: 'failure', failure: error.failure };
    if (!(error instanceof Error)) return { kind: 'value', value: error };
    const { name, message, stack } = error;
    return { kind: 'other', name, message, stack, code: systemCodeOf(error) };
  },
  decode: (sent) => {
    const error = sent as SentError;
    switch (error.kind) {
      case 'holdfast': {
        const { code, details, retryable, stack } = error;
        return withStack(new HoldfastError(code, details, { retryable }), stack);
      }
      case 'failure':
        return new CallFailure(error.failure);
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
