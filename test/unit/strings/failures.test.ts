import { describe, expect, test } from 'vitest';
import type { Failure } from '../../../src/base/errors/failure.ts';
import { reasonOfCode } from '../../../src/archive/scan/warning-reason.ts';
import { failureSentence, failureWords, reasonSentence, unknownWords } from '../../../src/strings/failure-sentence.ts';
import { languageOf } from '../../../src/strings/strings.ts';
import { CODES, examplesOf } from './failure-examples.ts';

const LANGUAGES = ['en', 'de', 'pseudo'] as const;
/** Failures that the compiler would reject. */
function untyped(code: string, details: object = {}): Failure {
  return { code, details } as Failure;
}

describe.each(LANGUAGES)('in %s', (code) => {
  const language = languageOf(code, []);

  test.each(CODES.flatMap(examplesOf))('%j has sentences', (failure) => {
    const words = failureWords(failure, language);
    expect(words).not.toEqual(unknownWords(failure.code, language.strings.failures.unknown));
    for (const text of [words.what, words.todo]) expect(text).toMatch(/^\S(.*\S)?$/);
    expect(failureSentence(failure, language)).not.toMatch(/undefined|NaN|\s{2}|“”|„“|\s[.,]/);
  });

  test('names a code without a sentence', () => {
    expect(failureSentence(untyped('constructor'), language)).toContain(
      code === 'pseudo' ? 'çöñšţŕüçţöŕ' : 'constructor',
    );
  });
});

/** The window's calls (agent/host, main) throw `usage` and `refused` with these problems. */
test.each([
  'usage:devices-without-service',
  'usage:run-unknown',
  'refused:listing-closed',
  'refused:phrase-confirmed',
  'refused:no-service',
  'refused:link',
  'refused:person',
])('%s has a separate sentence', (key) => {
  const [code = '', problem = ''] = key.split(':');
  for (const wish of ['en', 'de'] as const) {
    const language = languageOf(wish, []);
    expect(failureSentence(untyped(code, { problem }), language)).not.toBe(
      failureSentence(untyped(code, { message: 'That does not work like that.' }), language),
    );
  }
});

test.each([
  [
    { code: 'target_full', details: { target: '/mnt/x', needed: 3_100_000_000, free: 1_000_000 } },
    '/mnt/x has 1\u00a0MB free, but 3.1\u00a0GB are needed. Free up some space or choose another disk. The same restore resumes where it left off.',
    '/mnt/x hat 1\u00a0MB frei, gebraucht werden 3,1\u00a0GB. Gib Speicherplatz frei oder wähle ein anderes Laufwerk. Dieselbe Wiederherstellung wird dort fortgesetzt, wo sie aufgehört hat.',
  ],
  [
    { code: 'phrase_invalid', details: { problem: 'unknown-word', position: 3, word: 'abouve', suggestion: 'above' } },
    'Word 3, “abouve”, is not used in recovery phrases. Did you mean “above”?',
    'Wort 3, „abouve“, kommt in Wiederherstellungsphrasen nicht vor. Meinst du „above“?',
  ],
  [
    { code: 'permission_denied', details: { bucket: 's3://anna', detail: 'AccessDenied' } },
    's3://anna does not accept these keys. Check the access key, the endpoint and the region, and what the keys may do there.',
    's3://anna nimmt diese Schlüssel nicht an. Prüfe Zugangsschlüssel, Endpunkt und Region und was die Schlüssel dort dürfen.',
  ],
  [
    {
      code: 'home_damaged',
      details: { file: '/h/settings.json', problem: 'unreadable', kept: '/h/settings.json.kept' },
    },
    '/h/settings.json is damaged. An earlier copy is kept at /h/settings.json.kept. Your restore points are not affected.',
    '/h/settings.json ist beschädigt. Eine frühere Kopie liegt unter /h/settings.json.kept. Deine Wiederherstellungspunkte sind nicht betroffen.',
  ],
] as const)('%j is filled in', (failure, english, german) => {
  expect(failureSentence(failure, languageOf('en', []))).toBe(english);
  expect(failureSentence(failure, languageOf('de', []))).toBe(german);
});

describe('reasons of single files', () => {
  const english = languageOf('en', []);
  const { unknown } = english.strings.failures.reasons;
  const scanned = ['EACCES', 'EPERM', 'ENAMETOOLONG', 'E2BIG', 'EIO', 'ENOENT', 'ENOTREG', 'ELOOP', 'ENXIO', 'EMFILE'];

  test.each([
    ...scanned.map((code) => reasonOfCode(code)),
    'changed-while-reading',
    'growing',
    'unknown-run',
    'missing-run',
    'moved-run',
    'service-answer-malformed',
    'service-totals',
    'service-unknown-chunks',
    'clock-was-ahead',
    'clock-jumped',
    'other-file-system',
    'reserved-path',
    'no-tree',
    'service_answer_suspicious',
    'owner-not-restored',
    'mode-not-restored',
    'time-not-restored',
    'attribute-not-restored',
    'chunk_missing',
    'chunk_tampered',
    'chunk_corrupt',
    'file_size_mismatch',
    'tree_invalid',
    'target_full',
    'target_unwritable',
    'interrupted',
  ])('%s has a sentence', (reason) => {
    expect(reasonSentence(reason, english)).not.toBe(unknown(reason));
  });

  test('a known system code adds to the reason', () => {
    expect(reasonSentence('target_unwritable', english, 'EACCES')).toBe('You do not have permission to write there.');
    expect(reasonSentence('target_unwritable', english, 'EWHATEVER')).toBe('It could not be written.');
    expect(reasonSentence('toString', english)).toBe('Something was wrong with it (toString).');
  });
});
