import type { ErrorDetails } from './error-details.ts';
import { HoldfastError, isHoldfastError, systemCodeOf, type ErrorCode } from './errors.ts';

/** A `HoldfastError` as a plain value: it crosses process borders and is stored. */
export type Failure = {
  readonly [Code in ErrorCode]: {
    readonly code: Code;
    readonly details: ErrorDetails[Code];
    readonly retryable?: true;
  };
}[ErrorCode];

/** Returns `undefined` for a bug. */
export function failureOf(error: unknown): Failure | undefined {
  if (isHoldfastError(error)) {
    const { code, details, retryable } = error;
    return { code, details, ...(retryable && { retryable }) } as Failure;
  }
  const code = systemCodeOf(error);
  // The catalog is the only database that this process writes by itself.
  if (code === 'SQLITE_FULL' || code === 'SQLITE_READONLY' || code?.startsWith('SQLITE_IOERR')) {
    return { code: 'home_unwritable', details: { problem: code } };
  }
  return undefined;
}

/** The reverse of `failureOf`. */
export function errorOf({ code, details, retryable }: Failure): HoldfastError {
  return new HoldfastError<ErrorCode>(code, details, { retryable: retryable ?? false });
}
