import { TYPE } from '@formatjs/icu-messageformat-parser';
import { elementsOf, parseMessage } from './icu.ts';

const JAPANESE = '[\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}ー、。「」（）：]';

/** Marks that a language does not write, as “Tone” in docs/translating.md has them. */
const FOREIGN: Readonly<Record<string, readonly RegExp[]>> = {
  de: [/[”«»"]/g],
  fr: [/[“”„"]/g],
  es: [/[„«»"]/g],
  // Half-width marks, unless they are inside of an address or a command; blanks beside Japanese.
  ja: [/[()“”„«»"]/g, /[:;,?](?=\s|$)/g, new RegExp(`(?<=${JAPANESE})[:;,?]`, 'gu'), blanksBeside(JAPANESE)],
  ar: [/[“”„"]/g, /(?<=\p{sc=Arab})[,;?]/gu, /[,;?](?=\s|$)/g],
};

/** Returns each mark and blank of a translation that its language writes in another way. */
export function foreignMarksOf(translation: string, language: string): ReadonlySet<string> {
  const found = (FOREIGN[language] ?? []).flatMap((marks) => writtenIn(translation).match(marks) ?? []);
  return new Set(found);
}

/** Returns what a message says itself, with U+FFFC in the place of its arguments. */
function writtenIn(message: string): string {
  return [...elementsOf(parseMessage(message))]
    .map((element) => (element.type === TYPE.literal ? element.value : '\uFFFC'))
    .join('');
}

function blanksBeside(letters: string): RegExp {
  return new RegExp(` (?=${letters})|(?<=${letters}) `, 'gu');
}
