import { ar } from './compiled/ar.ts';
import { de } from './compiled/de.ts';
import { en } from './compiled/en.ts';
import type { Strings } from './compiled/en.ts';
import { es } from './compiled/es.ts';
import { fr } from './compiled/fr.ts';
import { ja } from './compiled/ja.ts';
import { withDigits } from './digits.ts';
import { createFormats } from './formats.ts';
import type { Formats } from './formats.ts';
import { pseudo } from './pseudo.ts';

/** Builds the texts of a language; English is the type of the others, and always there. */
const CATALOGUES = { en: () => en, de, fr, es, ja, ar, pseudo } as const satisfies Readonly<
  Record<string, () => Strings>
>;
export type LanguageCode = keyof typeof CATALOGUES;

/** The languages that a person can choose, each by its own name. */
export const LANGUAGE_NAMES = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  ja: '日本語',
  ar: 'العربية',
} as const satisfies Readonly<Partial<Record<LanguageCode, string>>>;

const LANGUAGES = Object.keys(LANGUAGE_NAMES) as readonly (keyof typeof LANGUAGE_NAMES)[];

/** All texts of one language, and its formats of numbers and times. */
export interface Language {
  readonly code: LanguageCode;
  readonly strings: Strings;
  readonly formats: Formats;
  /** The matching locale of the system's preferences (BCP 47), for components that format dates and numbers themselves. */
  readonly region: string;
  /** The language of the texts (BCP 47), and the direction in which they are written: attributes of documents. */
  readonly tag: string;
  readonly direction: 'ltr' | 'rtl';
}

/**
 * @param choice the person's choice
 * @param wishes the system's preferred locales (BCP 47); the first one of the language determines the formats of dates and numbers
 */
export function languageOf(choice: LanguageCode | 'system', wishes: readonly string[]): Language {
  const code = choice === 'system' ? firstKnown(wishes) : choice;
  const tag = code === 'pseudo' ? 'en' : code;
  const wish = wishes.find((one) => one === code || one.startsWith(`${code}-`)) ?? tag;
  const region = withDigits(wish);
  const direction = code === 'ar' ? 'rtl' : 'ltr';
  return { code, strings: stringsOf(code), formats: createFormats(region), region, tag, direction };
}

const built = new Map<LanguageCode, Strings>();

function stringsOf(code: LanguageCode): Strings {
  const strings = built.get(code) ?? CATALOGUES[code]();
  built.set(code, strings);
  return strings;
}

function firstKnown(wishes: readonly string[]): LanguageCode {
  for (const wish of wishes) {
    const code = wish.split('-')[0]!.toLowerCase();
    const known = LANGUAGES.find((language) => language === code);
    if (known) return known;
  }
  return 'en';
}
