import { expect, test } from 'vitest';
import { de } from '../../src/strings/de.ts';
import { en } from '../../src/strings/en.ts';

/** Each text, and of what is put together the code that does it. */
function* texts(value: unknown, path: string): Generator<readonly [path: string, text: string]> {
  if (typeof value === 'string') yield [path, value];
  else if (typeof value === 'function') yield [path, value.toString()];
  else if (typeof value === 'object' && value !== null) {
    for (const [key, part] of Object.entries(value)) yield* texts(part, `${path}.${key}`);
  }
}

function breaches(catalogue: object, rule: RegExp): readonly string[] {
  return [...texts(catalogue, '')].filter(([, text]) => rule.test(text)).map(([path, text]) => `${path}: ${text}`);
}

/** docs/words.md says which word a thing has; these are the other ones. */
test.each([
  ['Stand for a restore point', /\bSt(and|ände|änden|ands)\b/],
  ['Backup', /Back-?up(?!s?["'/:.-])\b/],
  ['Platte or Datenträger for a disk', /Platte|Datenträger(?!abbild)/],
  ['Netz for a network', /\bNetz(e|es)?\b/],
  ['Hinweis for a warning', /\bHinweis/],
  ['Grenze for a limit', /\bGrenzen?\b/],
  ['Authentifizierungs-App', /Authentifizierung/],
  ['„Sie“ for the reader', /\b(Ihnen|Ihren?m?|Wählen Sie|Bitte)\b(?=.*\bSie\b)/],
  ['a straight quote or three dots', /[a-zäöüß]"|"[A-Za-zÄÖÜäöüß]|\w ?\.{3}(?!\w)/],
  ['an English quote', /”/],
  ['an ellipsis without its no-break space', /[^\u00A0\u2026/]…(?!\w)/],
])('German does not say %s', (_, rule) => {
  expect(breaches(de, rule)).toEqual([]);
});

test.each([
  ['remark for a warning', /\bremarks?\b/i],
  ['verify for check', /\b[Vv]erif(y|ied)\b(?! ?[:({=])/],
  ['a straight quote or three dots', /[a-z]"|"[A-Za-z]|\w ?\.{3}(?!\w)/],
  ['“try it again” for “try again”', /[Tt]ry it again/],
])('English does not say %s', (_, rule) => {
  expect(breaches(en, rule)).toEqual([]);
});
