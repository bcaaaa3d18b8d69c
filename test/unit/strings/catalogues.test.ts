import { expect, test } from 'vitest';
import { de as german } from '../../../src/strings/compiled/de.ts';
import { en } from '../../../src/strings/compiled/en.ts';
import { pseudo as pseudoLocale } from '../../../src/strings/pseudo.ts';
import { languageOf } from '../../../src/strings/strings.ts';

const de = german();
const pseudo = pseudoLocale();

/** Yields each path such as `words.of.a.catalogue` with its text. */
function* leaves(value: unknown, path = ''): Generator<readonly [string, unknown]> {
  if (typeof value !== 'object' || value === null) yield [path, value];
  else for (const [key, part] of Object.entries(value)) yield* leaves(part, `${path}.${key}`);
}

test.each([
  ['German', de],
  ['the pseudo-locale', pseudo],
])('%s has every key of English and no empty text', (_, catalogue) => {
  const [english, other] = [new Map(leaves(en)), new Map(leaves(catalogue))];
  expect([...other.keys()].toSorted()).toEqual([...english.keys()].toSorted());
  for (const [path, word] of other) {
    expect([path, typeof word]).toEqual([path, typeof english.get(path)]);
    expect([path, word]).not.toEqual([path, '']);
  }
});

test('German repeats no English sentence', () => {
  const english = new Map(leaves(en));
  const same = [...leaves(de)].filter(([path, word]) => {
    return typeof word === 'string' && word.includes(' ') && word === english.get(path);
  });
  expect(same).toEqual([]);
});

test('the pseudo-locale puts brackets around texts, lists and results of functions', () => {
  expect(pseudo.common.cancel).toBe('[Çáñçéļ · ·]');
  expect(pseudo.failures.unknown.what('x')).toMatch(/^\[.*\]$/);
});

test.each([
  ['system', ['de-AT', 'en'], 'de', 'de-AT'],
  ['system', ['it-IT', 'en-GB'], 'en', 'en-GB'],
  ['system', ['ar-EG', 'en-GB'], 'ar', 'ar-EG-u-nu-latn'],
  ['system', ['fil-PH'], 'en', 'en'],
  ['system', [], 'en', 'en'],
  ['de', ['en-GB'], 'de', 'de'],
  ['pseudo', ['de-DE'], 'pseudo', 'en'],
] as const)('resolves %s with the system languages %j to %s', (choice, wishes, code, region) => {
  expect(languageOf(choice, wishes)).toMatchObject({ code, region });
});

test.each([
  ['en', 'en', 'ltr'],
  ['pseudo', 'en', 'ltr'],
  ['ja', 'ja', 'ltr'],
  ['ar', 'ar', 'rtl'],
] as const)('documents in %s have the language %s and the direction %s', (choice, tag, direction) => {
  expect(languageOf(choice, [])).toMatchObject({ tag, direction });
});
