import { createContext, useContext } from 'react';
import { de } from './de.ts';
import { en } from './en.ts';
import type { Strings } from './en.ts';
import { createFormats } from '../../strings/formats.ts';
import type { Formats } from '../../strings/formats.ts';

const CATALOGUES = { en, de } as const satisfies Readonly<Record<string, Strings>>;
export type LanguageCode = keyof typeof CATALOGUES;

export interface Language {
  readonly code: LanguageCode;
  readonly strings: Strings;
  readonly formats: Formats;
}

/** The languages of the page, each with its own name. */
export const LANGUAGES: readonly { readonly code: LanguageCode; readonly name: string }[] = [
  { code: 'en', name: en.languageName },
  { code: 'de', name: de.languageName },
];

/** @param wishes BCP 47 tags of the person; the first one in this language selects the format of dates and numbers */
export function languageOf(code: LanguageCode, wishes: readonly string[] = []): Language {
  const region = wishes.find((wish) => wish === code || wish.startsWith(`${code}-`)) ?? code;
  return { code, strings: CATALOGUES[code], formats: createFormats(region) };
}

/** Returns the first of the wishes (BCP 47) in which there is a catalogue; English by default. */
export function chooseLanguage(wishes: readonly string[]): LanguageCode {
  for (const wish of wishes) {
    const code = wish.slice(0, 2).toLowerCase();
    const known = LANGUAGES.find((language) => language.code === code);
    if (known) return known.code;
  }
  return 'en';
}

export const LanguageContext = createContext<Language>(languageOf('en'));

export function useLanguage(): Language {
  return useContext(LanguageContext);
}
