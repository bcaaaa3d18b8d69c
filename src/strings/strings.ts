import { de } from './de.ts';
import { en } from './en.ts';
import type { Strings } from './en.ts';
import { createFormats } from './formats.ts';
import type { Formats } from './formats.ts';
import { pseudo } from './pseudo.ts';

const CATALOGUES = { en, de, pseudo } as const satisfies Readonly<Record<string, Strings>>;
export type LanguageCode = keyof typeof CATALOGUES;

/** Everything that is said in one language, and how it writes numbers and times. */
export interface Language {
  readonly code: LanguageCode;
  readonly strings: Strings;
  readonly formats: Formats;
  /** Of the system's wishes (BCP 47), for what writes dates and numbers by itself. */
  readonly region: string;
}

/**
 * @param choice of the person
 * @param wishes of the system (BCP 47); the first one of the language says how dates and numbers are written
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
