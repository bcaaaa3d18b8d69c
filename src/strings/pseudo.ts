import { en } from './en.ts';
import type { Strings } from './en.ts';

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
 * A language that nobody speaks: every catalogued text in brackets, with accents and a third longer. What is shown without
 * brackets was missed, and what is cut off would be in German too.
 */
export const pseudo: Strings = disguised(en) as Strings;

function disguised(value: unknown): unknown {
  if (typeof value === 'string') return disguise(value);
  if (typeof value === 'function')
    return (...words: unknown[]) => disguised((value as (...words: unknown[]) => unknown)(...words));
  if (Array.isArray(value)) return value.map(disguised);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, disguised(inner)]));
  }
  return value;
}

function disguise(text: string): string {
  const letters = text.replace(/[A-Za-z]/g, (letter) => LOOKS[letter] ?? letter);
  return `[${letters}${' ·'.repeat(Math.ceil(text.length / 6))}]`;
}
