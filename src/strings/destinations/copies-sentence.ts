import type { AppState } from '../../ipc/state.ts';
import type { Language } from '../strings.ts';
import { agoWords } from '../state-sentence.ts';
import { isNear } from './near.ts';
import { isBackedUp, standingsOf } from './standing.ts';
import type { Standing } from './standing.ts';

export interface CopiesWords {
  /** How many copies there are, where, and how old. */
  readonly copies: string;
  /** What to do if a theft or fire could take all of them and the computer. */
  readonly advice?: string;
}

/** Describes the copies of the person's files; `undefined` without sets or destinations. `now` in milliseconds. */
export function copiesWords(state: AppState, language: Language, now: number): CopiesWords | undefined {
  const standings = standingsOf(state, now);
  if (standings.length === 0 || state.sets.length === 0) return undefined;
  const words = language.strings.destinations.copies;
  const list = (some: readonly Standing[]): string =>
    language.formats.list(some.map((standing) => placed(standing, language, now)));
  const complete = standings.filter(({ copyAt }) => copyAt !== undefined);
  const partial = standings.filter(({ copyAt, backedUp }) => copyAt === undefined && backedUp > 0);
  const none = standings.filter(({ backedUp }) => backedUp === 0);
  const advice = adviceOf(standings, complete.length, language);
  const nearest = onlyNear(standings);
  if (nearest) return { copies: nearest === 'folder' ? words.oneOnDisk : words.oneOnServer, ...advice };
  const sentences = [
    complete.length > 0
      ? words.complete(complete.length, list(complete))
      : partial.length > 0
        ? words.noComplete
        : undefined,
    partial.length > 0 ? words.partial(list(partial)) : undefined,
    none.length === 0 ? undefined : none.length < standings.length ? words.none(list(none)) : words.nowhere(list(none)),
  ];
  return { copies: sentences.filter((sentence) => sentence !== undefined).join(' '), ...advice };
}

/** Returns the kind of the only destination if it has a good copy beside the computer, which a short sentence states. */
function onlyNear(standings: readonly Standing[]): 'folder' | 'server' | undefined {
  const [only, ...others] = standings;
  if (!only || others.length > 0 || !isBackedUp(only) || only.condition === 'absent') return undefined;
  if (!isNear(only.destination)) return undefined;
  return only.destination.kind === 'folder' ? 'folder' : 'server';
}

function adviceOf(standings: readonly Standing[], copies: number, { strings }: Language): Pick<CopiesWords, 'advice'> {
  if (copies === 0 || !standings.every(({ destination }) => isNear(destination))) return {};
  const words = strings.destinations.copies;
  return { advice: standings.length === 1 ? words.addAnother : words.addElsewhere };
}

/** The place, with the age of the copy there and what is wrong with it: `on “Backup disk” (3 days ago, not connected)`. */
function placed(standing: Standing, language: Language, now: number): string {
  const { destination, copyAt, backedUp } = standing;
  const words = language.strings.destinations;
  const place = words.places[destination.kind](destination.name);
  const held =
    copyAt !== undefined
      ? agoWords(copyAt, language, now)
      : backedUp > 0
        ? words.copies.setsOf(backedUp, destination.sets.length)
        : undefined;
  const notes = [held, noteOf(standing, language)].filter((note) => note !== undefined);
  return notes.length === 0 ? place : words.copies.noted(place, language.formats.series(notes));
}

function noteOf({ condition, backedUp, copyAt }: Standing, { strings }: Language): string | undefined {
  const words = strings.destinations.copies;
  switch (condition) {
    case 'absent':
      return words.absent;
    case 'failed':
      return backedUp === 0 ? words.firstFailed : words.failed;
    case 'behind':
      return words.behind;
    case 'running':
      // Later ones change nothing about the copy until they are done.
      return copyAt === undefined ? words.running : undefined;
    case 'interrupted':
      return copyAt === undefined ? words.interrupted : undefined;
    case 'good':
      return undefined;
  }
}
