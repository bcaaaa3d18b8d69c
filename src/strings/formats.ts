import { createTimeFormats } from './time-formats.ts';
import type { TimeFormats } from './time-formats.ts';

export interface Formats extends TimeFormats {
  readonly number: (value: number) => string;
  /** In units of 1,000. */
  readonly bytes: (value: number) => string;
  /** A rate in bytes per second: “11.8 MB/s”. */
  readonly speed: (bytesPerSecond: number) => string;
  readonly percent: (part: number) => string;
  /** “a, b and c”. */
  readonly list: (items: readonly string[]) => string;
  /** `a, b, c`, with the comma of the language. */
  readonly series: (items: readonly string[]) => string;
  /** `label: value`, with the colon of the language. */
  readonly labelled: (label: string, value: string) => string;
}

function commaOf(language: string): string {
  if (/^ar\b/.test(language)) return '، ';
  return /^ja\b/.test(language) ? '、' : ', ';
}

function colonOf(language: string): string {
  if (/^fr\b/.test(language)) return '\u00a0: ';
  return /^ja\b/.test(language) ? '：' : ': ';
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;
const FRENCH_UNITS = ['o', 'ko', 'Mo', 'Go', 'To', 'Po'] as const;

/** @param language BCP 47, with the region if it is known */
export function createFormats(language: string): Formats {
  const number = new Intl.NumberFormat(language);
  const short = new Intl.NumberFormat(language, { maximumSignificantDigits: 3 });
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 });
  const list = new Intl.ListFormat(language, { type: 'conjunction' });
  const units = /^fr\b/.test(language) ? FRENCH_UNITS : UNITS;
  // Between Arabic words, a number would stand behind its unit.
  const isRightToLeft = /^ar\b/.test(language);
  const inOrder = (text: string): string => (isRightToLeft ? `\u2066${text}\u2069` : text);
  const bytes = (value: number): string => {
    const power = value < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(value) / 3));
    return inOrder(`${short.format(value / 1000 ** power)}\u00a0${units[power]!}`);
  };
  return {
    ...createTimeFormats(language),
    number: (value) => number.format(value),
    bytes,
    speed: (bytesPerSecond) => inOrder(`${bytes(bytesPerSecond)}/s`),
    percent: (part) => percent.format(part),
    list: (items) => list.format(items),
    series: (items) => items.join(commaOf(language)),
    labelled: (label, value) => `${label}${colonOf(language)}${value}`,
  };
}
