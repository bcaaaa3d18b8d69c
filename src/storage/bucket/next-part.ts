import { strange } from './bucket-error.ts';

/**
 * Returns where the next part of a listing begins, as the store says.
 *
 * @param before where the parts before it began
 * @throws BucketError `broken` if it does not say so, or leads back: that would pass for the end of the listing, or never come to it
 */
export function nextOf(start: string | undefined, before: Set<string>): string {
  if (start === undefined || before.has(start)) throw strange();
  before.add(start);
  return start;
}
