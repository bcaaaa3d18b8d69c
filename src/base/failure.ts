import { HoldfastError, systemCodeOf, type ErrorCode, type ErrorDetails } from './errors.ts';

/** What went wrong, as whoever shows it needs it. */
export interface Failure {
  readonly code: ErrorCode;
  readonly details: ErrorDetails;
}

/** The expected failure that an error is; nothing where it is a bug in Holdfast. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof HoldfastError) return { code: error.code, details: error.details };
  const code = systemCodeOf(error);
  // The catalog is the only database that this process writes by itself.
  if (code === 'SQLITE_FULL' || code === 'SQLITE_READONLY' || code?.startsWith('SQLITE_IOERR')) {
    return { code: 'home_unwritable', details: { problem: code } };
  }
  return undefined;
}

/** For commands: wrong usage, told like every other failure. */
export function wrongUsage(problem: string, details: ErrorDetails = {}): HoldfastError {
  return new HoldfastError('usage', { problem, ...details });
}
