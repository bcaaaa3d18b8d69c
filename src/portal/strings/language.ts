import { createContext, useContext } from 'react';
import { ar } from './compiled/portal-ar.ts';
import { de } from './compiled/portal-de.ts';
import { en } from './compiled/portal-en.ts';
import type { Strings } from './compiled/portal-en.ts';
import { es } from './compiled/portal-es.ts';
import { fr } from './compiled/portal-fr.ts';
import { ja } from './compiled/portal-ja.ts';
import { withDigits } from '../../strings/digits.ts';
import { createFormats } from '../../strings/formats.ts';
import type { Formats } from '../../strings/formats.ts';

/** Builds the texts of a language. */
const CATALOGUES = { en: () => en, de, fr, es, ja, ar } as const satisfies Readonly<Record<string, () => Strings>>;
export type LanguageCode = keyof typeof CATALOGUES;

export interface Language {
  readonly code: LanguageCode;
  readonly strings: Strings;
  readonly formats: Formats;
  /** BCP 47. */
  readonly region: string;
  readonly direction: 'ltr' | 'rtl';
}

/** The languages of the page, each with its own name. */
export const LANGUAGES: readonly { readonly code: LanguageCode; readonly name: string }[] = [
  { code: 'en', name: 'English' },
  { code: 'de', name: 'Deutsch' },
  { code: 'fr', name: 'Français' },
  { code: 'es', name: 'Español' },
  { code: 'ja', name: '日本語' },
  { code: 'ar', name: 'العربية' },
];

/** @param wishes BCP 47 tags of the person; the first one in this language selects the format of dates and numbers */
export function languageOf(code: LanguageCode, wishes: readonly string[] = []): Language {
  const region = withDigits(wishes.find((wish) => wish === code || wish.startsWith(`${code}-`)) ?? code);
  const direction = code === 'ar' ? 'rtl' : 'ltr';
  return { code, strings: stringsOf(code), formats: createFormats(region), region, direction };
}

const built = new Map<LanguageCode, Strings>();

function stringsOf(code: LanguageCode): Strings {
  const strings = built.get(code) ?? CATALOGUES[code]();
  built.set(code, strings);
  return strings;
}

/** Returns the first of the wishes (BCP 47) in which there is a catalogue; English by default. */
export function chooseLanguage(wishes: readonly string[]): LanguageCode {
  for (const wish of wishes) {
    const code = wish.split('-')[0]!.toLowerCase();
    const known = LANGUAGES.find((language) => language.code === code);
    if (known) return known.code;
  }
  return 'en';
}

export const LanguageContext = createContext<Language>(languageOf('en'));

export function useLanguage(): Language {
  return useContext(LanguageContext);
}
