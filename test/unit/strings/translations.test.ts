import { describe, expect, test } from 'vitest';
import { LANGUAGES, PRODUCTS } from '../../../scripts/texts/catalogues.ts';
import { problemsIn, problemsOfAll, problemsOfTranslation } from '../../../scripts/texts/check.ts';
import { emit } from '../../../scripts/texts/emit.ts';
import { categoriesOf, parseMessage } from '../../../scripts/texts/icu.ts';
import { entriesOf } from '../../../scripts/texts/po-file.ts';
import { signatureOf } from '../../../scripts/texts/signature.ts';
import { partsOf } from '../../../scripts/texts/tree.ts';
import { typographyOf } from '../../../scripts/texts/typography.ts';

test('the catalogues have no problems and are compiled', () => {
  expect(problemsOfAll()).toEqual([]);
});

test.each(Object.keys(LANGUAGES))('%s has every key, in the order of English', (language) => {
  for (const product of PRODUCTS) {
    const keys = (code: string): readonly string[] => entriesOf(product, code).map(({ key }) => key);
    expect(keys(language)).toEqual(keys('en'));
  }
});

test.each([
  ['en', 'one other'],
  ['de', 'one other'],
  ['fr', 'one other'],
  ['es', 'one other'],
  ['ja', 'other'],
  ['ar', 'few many one other two zero'],
])('%s needs the plural forms %s', (language, forms) => {
  expect([...categoriesOf(language).keys()].toSorted().join(' ')).toBe(forms);
});

describe('a message', () => {
  test.each([
    ['en', '{n, plural, one {# file} other {# files}}', []],
    ['en', '{n, plural, other {# files}}', ['{n, plural} lacks “one”']],
    ['ja', '{n, plural, other {# 個のファイル}}', []],
    ['ja', '{n, plural, one {1 個} other {# 個}}', ['{n, plural} has “one”, which the language does not know']],
    ['ar', '{n, plural, one {a} two {b} few {c} many {d} other {e}}', ['{n, plural} lacks “zero”']],
    ['ar', '{n, plural, =0 {-} one {a} two {b} few {c} many {d} other {e}}', []],
    // Only selects a variant.
    ['ar', '{n, plural, =1 {it} other {they}}', []],
    ['fr', '{n, plural, one {# fichier} many {# de fichiers} other {# fichiers}}', []],
  ])('in %s, “%s” has the problems %j', (language, message, problems) => {
    expect(problemsIn(message, language)).toEqual(problems);
  });

  test.each(['{n', '{n, plural, one {a}}', '{n, select}'])('“%s” is not valid', (message) => {
    expect(problemsIn(message, 'en')[0]).toMatch(/^not valid ICU MessageFormat: /);
  });
});

const LITERALS = [
  'lacks “*.iso”',
  'lacks “notes.txt”',
  'lacks “cache/”',
  'has “*.img”, which English lacks',
  'has “note.txt”, which English lacks',
];
const OPTIONS = [
  'lacks “--all”',
  'lacks “/.ssh/id”',
  'lacks “%TEMP%”',
  'has “-all”, which English lacks',
  'has “/.ssh/ids”, which English lacks',
  'has “$TEMP”, which English lacks',
];

describe('a translation', () => {
  test.each([
    ['Backup of “{set}”', 'Sauvegarde de « {set} »', []],
    ['Backup of “{set}”', 'Sauvegarde', ['lacks {set}']],
    ['Backup', 'Sauvegarde de « {set} »', ['has {set}, which English lacks']],
    ['! includes again', '!! inclut à nouveau', ['lacks “!”', 'has “!!”, which English lacks']],
    ['*.iso and cache/ of notes.txt', '*.img et cache de note.txt', LITERALS],
    ['See .gitignore, use --all, /dev/fuse.', 'Voir .gitignore : utiliser --all (/dev/fuse)', []],
    ['Use --all, ~/.ssh/id or %TEMP%', 'Utiliser -all, ~/.ssh/ids ou $TEMP', OPTIONS],
    ['{free, number, bytes} free', '{free} libres', ['lacks the use {free, number, bytes}']],
    [
      '{kind, select, a {x} other {y}}',
      '{kind, select, b {x} other {y}}',
      ['lacks the use {kind, select, a other}', 'uses {kind, select, b other}, which English does not'],
    ],
    ['{n, plural, one {# file} other {# files}}', '{n, plural, one {# fichier} other {# fichiers}}', []],
    ['{a, plural, one {x} other {y}} {b}', '{a} {b, plural, one {x} other {y}}', []],
    ['Copy', ' Copier', ['has other spaces at its ends than English']],
  ])('of “%s” as “%s” has the problems %j', (source, translation, problems) => {
    expect(problemsOfTranslation({ source, translation }, 'fr')).toEqual(problems);
  });
});

test.each([
  ['ja', 'すべて（{count}）：「{name}」、{size}。', []],
  ['ja', '変更あり ({count})', ['has “(”', 'has “)”', 'has “ ”']],
  ['ja', 'こちら: {size}', ['has “:”']],
  ['ja', '復元ポイント # 件、CSV で', ['has “ ”']],
  ['ja', '{n, plural, other {# 台}}', ['has “ ”']],
  ['ja', '{state} · {count} https://backup.example.org:8080（JSON Lines）…', []],
  ['ar', 'كل يوم، {time}', []],
  ['ar', 'كل يوم, {time}', ['has “,”']],
  ['es', 'Se restaura como «{as}».', ['has “«”', 'has “»”']],
  ['fr', 'Sauvegarde de “{set}”', ['has ““”', 'has “””']],
  ['de', 'Sicherung von „{set}“', []],
])('finds the marks of other languages in %s “%s”', (language, translation, marks) => {
  const problems = problemsOfTranslation({ source: translation, translation }, language);
  expect(problems).toEqual(marks.map((mark) => `${mark}, which the language writes in another way`));
});

test.each([
  ['Last backup {ago}.', '`Last backup ${m.text(ago)}.`'],
  ["`$'{x}'` \\ {ago}", '`\\`\\${x}\\` \\\\ ${m.text(ago)}`'],
  [
    '{n, plural, one {# file} other {# files}}',
    'm.plural(n, { one: `${m.text(n)} file`, other: `${m.text(n)} files` })',
  ],
  ['{n, plural, offset:1 =0 {a} other {#}}', "m.plural(n, { '=0': 'a', other: m.text(n - 1) }, 1)"],
  ['{p, select, none {a} other {b {p}}}', "(p == null ? 'a' : `b ${m.text(p)}`)"],
  [
    '{p, select, empty {a} true {b} positive {c} gone {d} other {e}}',
    "(p === '' ? 'a' : p ? 'b' : p > 0 ? 'c' : p === 'gone' ? 'd' : 'e')",
  ],
  ['{size, number, bytes}', 'm.text(formats.bytes(size))'],
])('compiles “%s”', (message, code) => {
  const scope = { argument: (name: string) => name, typography: (text: string) => text };
  expect(emit(parseMessage(message), scope)).toBe(code);
});

test.each(['{n, number, furlongs}', '{n, selectordinal, other {a}}', '{t, time, short}'])('refuses %s', (message) => {
  const scope = { argument: (name: string) => name, typography: (text: string) => text };
  expect(() => emit(parseMessage(message), scope)).toThrow(/not supported|there is no format/);
});

test('reads the arguments of a text from its comments', () => {
  expect(signatureOf(['Of a set.', '(set: string, place?: string, folder: string | null)'])).toEqual([
    { name: 'set', type: 'string', isOptional: false },
    { name: 'place', type: 'string', isOptional: true },
    { name: 'folder', type: 'string | null', isOptional: false },
  ]);
  expect(signatureOf(['(a remark)'])).toBeUndefined();
  expect(() => signatureOf(['(set: Date)'])).toThrow('cannot be read');
});

test('splits a key, whose parts in brackets may contain dots', () => {
  expect(partsOf('audit.kinds[member.joined]')).toEqual(['audit', 'kinds', 'member.joined']);
  expect(partsOf('failures.sentences.usage:set-name.what')).toEqual([
    'failures',
    'sentences',
    'usage:set-name',
    'what',
  ]);
});

test.each([
  ['de', 'Einen Moment …', 'Einen Moment\u00a0…'],
  ['fr', 'Supprimer « a » ?', 'Supprimer «\u00a0a\u00a0»\u202f?'],
  ['fr', 'Attention : a ; b !', 'Attention\u00a0: a\u202f; b\u202f!'],
  ['es', '¿Quitar “a”?', '¿Quitar “a”?'],
])('in %s, “%s” has no-break spaces', (language, text, shown) => {
  expect(typographyOf(language)(text)).toBe(shown);
});
