import { PortalFailure } from '../../api/failure.ts';
import type { Named } from './use-selection.ts';

/** What became of an action on several rows. */
export interface Outcome {
  readonly done: readonly Named[];
  readonly failed: readonly { readonly row: Named; readonly failure: unknown }[];
  /** Rows after one whose failure concerns all of them. */
  readonly untried: readonly Named[];
}

/** Failures that the next row would meet as well: nobody is signed in, no code was entered, the rate or the connection. */
const CONCERNS_ALL: ReadonlySet<string> = new Set([
  'factor_required',
  'token_invalid',
  'token_missing',
  'too_many_requests',
  'offline',
]);

/**
 * Does something to one row after the other, so that one fresh code counts for all of them.
 *
 * @param onProgress called with the number of rows that are done or failed
 */
export async function each(
  rows: readonly Named[],
  work: (row: Named) => Promise<unknown>,
  onProgress: (tried: number) => void,
): Promise<Outcome> {
  const done: Named[] = [];
  const failed: { row: Named; failure: unknown }[] = [];
  for (const [index, row] of rows.entries()) {
    try {
      await work(row);
      done.push(row);
    } catch (failure) {
      failed.push({ row, failure });
      if (failure instanceof PortalFailure && CONCERNS_ALL.has(failure.code)) {
        return { done, failed, untried: rows.slice(index + 1) };
      }
    }
    onProgress(index + 1);
  }
  return { done, failed, untried: [] };
}
