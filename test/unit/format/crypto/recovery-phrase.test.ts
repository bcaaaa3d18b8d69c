import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { masterKeyOf, phraseOf } from '../../../../src/format/crypto/recovery-phrase.ts';
import { HoldfastError } from '../../../../src/base/errors/errors.ts';
import bip39 from '../../../fixtures/vectors/bip39.json' with { type: 'json' };

const bytesOf = (hex: string): Buffer => Buffer.from(hex, 'hex');

const { entropy: ENTROPY, phrase: PHRASE } = bip39.tests.at(-1)!;
const WORDS = PHRASE.split(' ');

function detailsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    masterKeyOf(text);
    return { problem: 'none' };
  } catch (error) {
    if (!(error instanceof HoldfastError) || error.code !== 'phrase_invalid') throw error;
    return error.details;
  }
}

describe('recovery phrases', () => {
  test.each(bip39.tests)('are BIP39: $phrase', ({ entropy, phrase }) => {
    expect(phraseOf(bytesOf(entropy))).toBe(phrase);
    expect(Buffer.from(masterKeyOf(phrase)).toString('hex')).toBe(entropy);
  });

  test('decode to any master key', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (master) => {
        expect(Buffer.from(masterKeyOf(phraseOf(master))).equals(master)).toBe(true);
      }),
    );
  });

  test.each([
    ['upper case', PHRASE.toUpperCase()],
    ['capitals', WORDS.map((word) => word[0]!.toUpperCase() + word.slice(1)).join(' ')],
    ['white space of every kind', `\n\t ${WORDS.join(' \t\r\n\u00a0 ')}\n`],
    ['a byte order mark', `\uFEFF${PHRASE}`],
    ['commas', WORDS.join(', ')],
    ['numbered lines', WORDS.map((word, index) => `${index + 1}. ${word}`).join('\n')],
    ['numbers with brackets', WORDS.map((word, index) => `${index + 1}) ${word}`).join('\n')],
    [
      'padded numbers without a space',
      WORDS.map((word, index) => `${String(index + 1).padStart(2, '0')}.${word}`).join('  '),
    ],
    ['bare numbers', WORDS.map((word, index) => `${index + 1} ${word}`).join('\n')],
    ['columns', WORDS.map((word, index) => `${index + 1}: ${word.padEnd(10)}${index % 4 === 3 ? '\n' : ''}`).join('')],
  ])('are read with %s', (_, text) => {
    expect(Buffer.from(masterKeyOf(text)).toString('hex')).toBe(ENTROPY);
  });

  test.each([
    ['nothing', '', 0],
    ['numbers only', '1. 2. 3.', 0],
    ['a word too few', WORDS.slice(1).join(' '), 23],
    ['a word too many', `${PHRASE} night`, 25],
    ['12 words', WORDS.slice(12).join(' '), 12],
  ])('%s: the number of words', (_, text, count) => {
    expect(detailsOf(text)).toMatchObject({ problem: 'words', count, expected: 24 });
  });

  test.each([
    ['tomatoe', 'tomato'],
    ['tomaot', 'tomato'],
    ['omato', 'tomato'],
    ['tomat', 'tomato'],
    ['xyzzyxyzzy', undefined],
    ['tömato', 'tomato'],
    // As close to "cat" as to "car", "bat" and others: no suggestion is better than a wrong one.
    ['cet', undefined],
  ])('a word that is not in the list: %s', (word, suggestion) => {
    const details = detailsOf(WORDS.with(1, word).join(' '));
    expect(details).toMatchObject({ problem: 'unknown-word', position: 2, suggestion });
    expect(String(details['word']).normalize('NFC')).toBe(word);
  });

  test('swapped words fail the checksum, without a word in the error', () => {
    const swapped = WORDS.with(0, WORDS[1]!).with(1, WORDS[0]!);
    expect(detailsOf(swapped.join(' '))).toEqual({ problem: 'checksum' });
  });

  test('a phrase that fails the checksum is in no part of the error', () => {
    const swapped = WORDS.with(0, WORDS[1]!).with(1, WORDS[0]!);
    const rejected = expect.objectContaining({ cause: undefined, message: expect.not.stringContaining(WORDS[0]!) });
    expect(() => masterKeyOf(swapped.join(' '))).toThrow(rejected);
  });

  test.each([16, 31, 33])('a key of %i bytes is rejected', (length) => {
    expect(() => phraseOf(new Uint8Array(length))).toThrow(RangeError);
  });
});
