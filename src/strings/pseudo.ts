import { en } from './compiled/en.ts';
import type { Strings } from './compiled/en.ts';
import { mapTexts } from './map-texts.ts';

const LOOKS: Readonly<Record<string, string>> = {
  a: 'á',
  b: 'ƀ',
  c: 'ç',
  d: 'đ',
  e: 'é',
  g: 'ĝ',
  h: 'ĥ',
  i: 'í',
  j: 'ĵ',
  k: 'ķ',
  l: 'ļ',
  n: 'ñ',
  o: 'ö',
  r: 'ŕ',
  s: 'š',
  t: 'ţ',
  u: 'ü',
  w: 'ŵ',
  y: 'ý',
  z: 'ž',
  A: 'Å',
  B: 'ß',
  C: 'Ç',
  D: 'Ð',
  E: 'Ë',
  I: 'Î',
  N: 'Ñ',
  O: 'Ø',
  S: 'Š',
  T: 'Ţ',
  U: 'Û',
};

/**
 * A pseudo-language: every catalogued text in brackets, with accents and at least 40 % longer. Text without brackets is
 * not catalogued, and text that is cut off would be cut off in other languages, too.
 */
export const pseudo = (): Strings => mapTexts(en, disguise);

function disguise(text: string): string {
  const letters = text.replace(/[A-Za-z]/g, (letter) => LOOKS[letter] ?? letter);
  return `[${letters}${' ·'.repeat(Math.ceil(text.length / 5))}]`;
}
