import type { Language } from '../strings.ts';
import { isBackedUp } from './standing.ts';
import type { Standing } from './standing.ts';

/** Describes the standing of a destination in a word or two. */
export function standingWords({ condition, copyAt, backedUp }: Standing, { strings }: Language): string {
  const words = strings.destinations.standing;
  if (condition !== 'good') return words[condition];
  if (copyAt !== undefined) return words.good;
  return backedUp > 0 ? words.partial : words.none;
}

/** Counts the destinations that everything is backed up to: “Backed up to 2 of 3 destinations”. */
export function backedUpWords(standings: readonly Standing[], { strings }: Language): string {
  return strings.destinations.backedUpTo(standings.filter(isBackedUp).length, standings.length);
}
