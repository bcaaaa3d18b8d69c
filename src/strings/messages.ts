import { withDigits } from './digits.ts';

/** The forms of a message by plural category (CLDR), and by number: `'=0'`. */
type PluralForms = { readonly other: string } & { readonly [Key in Intl.LDMLPluralRule | `=${number}`]?: string };

/** The functions that compiled messages of one language call. */
export interface Messages {
  /** Returns a number in the language's digits, or a text that cannot change the direction of the sentence around it. */
  readonly text: (value: string | number) => string;
  /** Returns the form of a number: the one for exactly it, or the one of its category. */
  readonly plural: (count: number, forms: PluralForms, offset?: number) => string;
}

/** Scripts that are written from right to left, and characters that change the direction. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u200e\u200f\u202a-\u202e]|[\ud802\ud803\ud83a\ud83b]/;
/** Texts that consist of Arabic words only. */
const ARABIC = /^[\u0600-\u06ff\u0750-\u077f\s،؛]*$/;
const FIRST_STRONG_ISOLATE = '\u2068';
const POP_DIRECTIONAL_ISOLATE = '\u2069';

/** @param language BCP 47 */
export function messagesOf(language: string): Messages {
  const isRightToLeft = language === 'ar';
  // Created at the first call: the first ones of a process take 10 ms, and every command loads the sentences.
  let created: { readonly rules: Intl.PluralRules; readonly number: Intl.NumberFormat } | undefined;
  const formats = (): NonNullable<typeof created> =>
    (created ??= { rules: new Intl.PluralRules(language), number: new Intl.NumberFormat(withDigits(language)) });
  const isolates = (text: string): boolean => (isRightToLeft ? !ARABIC.test(text) : RIGHT_TO_LEFT.test(text));
  return {
    text: (value) => {
      const text = typeof value === 'number' ? formats().number.format(value) : value;
      return isolates(text) ? `${FIRST_STRONG_ISOLATE}${text}${POP_DIRECTIONAL_ISOLATE}` : text;
    },
    plural: (count, forms, offset = 0) =>
      forms[`=${count}`] ?? forms[formats().rules.select(count - offset)] ?? forms.other,
  };
}
