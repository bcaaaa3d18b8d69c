import { describe, expect, test } from 'vitest';
import { PortalFailure } from '../../../src/portal/api/failure.ts';
import { savedPart } from '../../../src/portal/features/overview/saved-part.ts';
import { programName } from '../../../src/ui/program-name.ts';
import { de as german } from '../../../src/portal/strings/compiled/portal-de.ts';
import { en } from '../../../src/portal/strings/compiled/portal-en.ts';
import { failureSentence } from '../../../src/portal/strings/failure-sentence.ts';
import { createFormats } from '../../../src/strings/formats.ts';
import { chooseLanguage } from '../../../src/portal/strings/language.ts';
import { roundTicks } from '../../../src/ui/charts/round-ticks.ts';

const de = german();

/** Yields each path such as `words.of.a.catalogue` with its text. */
function* leaves(value: unknown, path = ''): Generator<readonly [string, unknown]> {
  if (typeof value !== 'object' || value === null) yield [path, value];
  else for (const [key, part] of Object.entries(value)) yield* leaves(part, `${path}.${key}`);
}

describe('catalogues', () => {
  test('have the same texts, none of them empty', () => {
    const [english, german] = [new Map(leaves(en)), new Map(leaves(de))];
    expect([...german.keys()]).toEqual([...english.keys()]);
    for (const [, word] of [...english, ...german]) expect(word).not.toBe('');
  });

  test.each([
    [['de-AT', 'en'], 'de'],
    [['fr-CA', 'de', 'en'], 'fr'],
    [['it', 'de', 'en'], 'de'],
    [['', 'en-GB'], 'en'],
    [['it'], 'en'],
    [['fil'], 'en'],
    [[], 'en'],
  ] as const)('%j is answered in %s', (wishes, language) => {
    expect(chooseLanguage(wishes)).toBe(language);
  });
});

describe('formats', () => {
  const formats = createFormats('en');

  test.each([
    [0, '0\u00a0B'],
    [999, '999\u00a0B'],
    [1_000, '1\u00a0kB'],
    [1_500_000, '1.5\u00a0MB'],
    [1_234_567_890, '1.23\u00a0GB'],
    [5e15, '5\u00a0PB'],
  ])('%d bytes are %s', (bytes, text) => {
    expect(formats.bytes(bytes)).toBe(text);
  });

  test.each([
    ['2026-03-01T10:00:00Z', 'this minute'],
    ['2026-03-01T09:48:00Z', '12 minutes ago'],
    ['2026-02-28T10:00:00Z', 'yesterday'],
    ['2025-03-01T10:00:00Z', 'last year'],
  ])('%s was %s', (time, text) => {
    expect(formats.ago(time, Date.parse('2026-03-01T10:00:00Z'))).toBe(text);
  });
});

test.each([
  [[], undefined],
  [[{ bytes: 0, bytes_new: 0 }], undefined],
  [[{ bytes: 100, bytes_new: 100 }], undefined],
  [
    [
      { bytes: 100, bytes_new: 100 },
      { bytes: 300, bytes_new: 0 },
    ],
    0.75,
  ],
])('computes for %j the saved part %s', (days, part) => {
  expect(savedPart(days)).toBe(part);
});

test.each([
  [0, 4, 1, [0, 1]],
  [10, 4, 1, [0, 5, 10]],
  [1_320_000, 4, 1_000_000, [0, 500_000, 1_000_000, 1_500_000]],
  [7, 4, 1, [0, 2, 4, 6, 8]],
])('divides an axis to %d into at most %d parts of unit %d as %j', (maximum, parts, unit, ticks) => {
  expect(roundTicks(maximum, parts, unit)).toEqual(ticks);
});

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox, Linux'],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/148.0 Safari/537.36 Edg/148.0',
    'Edge, Windows',
  ],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 14) AppleWebKit/605 Version/18 Safari/605', 'Safari, macOS'],
  ['holdfast/0.1.0', 'Holdfast'],
  ['curl/8.1', 'curl'],
  ['', undefined],
])('names %s as %s', (agent, name) => {
  expect(programName(agent)).toBe(name);
});

test.each([
  [new PortalFailure(401, 'code_invalid'), en.failures['code_invalid']],
  [new PortalFailure(422, 'unprocessable', 'too short'), 'The service refused: too short.'],
  [new PortalFailure(418, 'teapot'), 'The service refused (teapot).'],
  [new PortalFailure(429, 'too_many_requests', undefined, 15), 'Too many attempts. Try again in 15 seconds.'],
])('describes %s as %s', (failure, sentence) => {
  expect(failureSentence(failure, en)).toBe(sentence);
});
