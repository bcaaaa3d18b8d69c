import { de } from './de.ts';
import { en } from './en.ts';
import type { Strings } from './en.ts';
import { createFormats } from './formats.ts';
import type { Formats } from './formats.ts';
import { pseudo } from './pseudo.ts';

const CATALOGUES = { en, de, pseudo } as const satisfies Readonly<Record<string, Strings>>;
export type LanguageCode = keyof typeof CATALOGUES;

/** All texts of one language, and its formats of numbers and times. */
export interface Language {
  readonly code: LanguageCode;
  readonly strings: Strings;
  readonly formats: Formats;
  /** The matching locale of the system's preferences (BCP 47), for components that format dates and numbers themselves. */
  readonly region: string;
}

/**
 * @param choice the person's choice
 * @param wishes the system's preferred locales (BCP 47); the first one of the language determines the formats of dates and numbers
 */
export function languageOf(choice: LanguageCode | 'system', wishes: readonly string[]): Language {
  const code = choice === 'system' ? firstKnown(wishes) : choice;
  const region =
    wishes.find((wish) => wish === code || wish.startsWith(`${code}-`)) ?? (code === 'pseudo' ? 'en' : code);
  return { code, strings: CATALOGUES[code], formats: createFormats(region), region };
}

function firstKnown(wishes: readonly string[]): LanguageCode {
  for (const wish of wishes) {
    const code = wish.slice(0, 2).toLowerCase();
    if (code === 'en' || code === 'de') return code;
  }
  return 'en';
}
