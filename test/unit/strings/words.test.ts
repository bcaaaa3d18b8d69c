import { expect, test } from 'vitest';
import { PRODUCTS } from '../../../scripts/texts/catalogues.ts';
import { entriesOf } from '../../../scripts/texts/po-file.ts';
import { de as german } from '../../../src/strings/compiled/de.ts';

const de = german();

/** Returns the texts of a language that match a forbidden pattern, each with its key. */
function breaches(language: 'en' | 'de', rule: RegExp): readonly string[] {
  return PRODUCTS.flatMap((product) =>
    entriesOf(product, language)
      .map(({ key, source, translation }) => [key, language === 'en' ? source : translation] as const)
      .filter(([, text]) => rule.test(text))
      .map(([key, text]) => `${product.name} ${key}: ${text}`),
  );
}

/** Words that docs/words.md excludes. */
test.each([
  ['Stand for a restore point', /\bSt(and|ände|änden|ands)\b/],
  ['Backup', /\bBack-?ups?\b/],
  ['Platte or Datenträger for a disk', /Platte|Datenträger(?!abbild)/],
  ['Netz for a network', /\bNetz(e|es)?\b/],
  ['Hinweis for a warning', /\bHinweis/],
  ['Grenze for a limit', /\bGrenzen?\b/],
  ['Authentifizierungs-App', /Authentifizierung/],
  [
    'Sie for the reader',
    /\bIhnen\b|\b(Wählen|Geben|Prüfen|Klicken|Versuchen|Laden) Sie\b|\b(?:können|müssen|sind|wenn) Sie\b/,
  ],
  ['a straight quote or three dots', /[a-zäöüß]"|"[A-Za-zÄÖÜäöüß]|\w ?\.{3}(?!\w)/],
  ['an English quote', /”/],
])('German does not contain %s', (_, rule) => {
  expect(breaches('de', rule)).toEqual([]);
});

test.each([
  ['remark for a warning', /\bremarks?\b/i],
  ['verify for check', /\bverify\b.* /i],
  ['a straight quote or three dots', /[a-z]"|"[A-Za-z]|\w ?\.{3}(?!\w)/],
  ['“try it again” for “try again”', /[Tt]ry it again/],
])('English does not contain %s', (_, rule) => {
  expect(breaches('en', rule)).toEqual([]);
});

test('a German ellipsis never stands alone on a line', () => {
  expect(de.common.loading).toBe('Einen Moment\u00A0…');
  expect(de.restore.browser.reading('3')).toBe('Bisher 3\u00A0…');
});
