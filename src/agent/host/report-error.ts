import { inspect } from 'node:util';
import { failureOf } from '../../base/errors/failure.ts';

/** Writes an error that is a bug to stderr. */
export function reportError(error: unknown): void {
  process.stderr.write(`${inspect(error)}\n`);
}

/** Writes an error to stderr unless it is expected, such as a damaged journal, which the app state reports. */
export function reportUnexpected(error: unknown): void {
  if (!failureOf(error)) reportError(error);
}
