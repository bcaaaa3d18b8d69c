import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { de } from '../../src/strings/de.ts';

const SOURCES = join(import.meta.dirname, '../../src');

/** Returns the lines of a language's catalogues that match a forbidden pattern, without comments. */
function breaches(language: 'en' | 'de', rule: RegExp): readonly string[] {
  const app = readdirSync(join(SOURCES, 'strings', language)).map((file) => `strings/${language}/${file}`);
  const portal = readdirSync(join(SOURCES, 'portal/strings')).filter((file) => /^[a-z]{2}[.-]/.test(file));
  const own = portal.filter((file) => file.startsWith(language)).map((file) => `portal/strings/${file}`);
  return [...app, ...own].flatMap((file) =>
    readFileSync(join(SOURCES, file), 'utf8')
      .split('\n')
      .flatMap((line, index) =>
        rule.test(line) && !/^\s*(\/\/|\/?\*)/.test(line) ? [`${file}:${index + 1}: ${line}`] : [],
      ),
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
  ['verify for check', /'[^':]*\b[Vv]erify\b[^':]* [^']*'/],
  ['a straight quote or three dots', /[a-z]"|"[A-Za-z]|\w ?\.{3}(?!\w)/],
  ['“try it again” for “try again”', /[Tt]ry it again/],
])('English does not contain %s', (_, rule) => {
  expect(breaches('en', rule)).toEqual([]);
});

test('a German ellipsis never stands alone on a line', () => {
  expect(de.common.loading).toBe('Einen Moment\u00A0…');
  expect(de.restore.browser.reading('3')).toBe('Bisher 3\u00A0…');
});
