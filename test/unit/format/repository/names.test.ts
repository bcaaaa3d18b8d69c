import { deriveKeys } from '../../../../src/format/crypto/keys.ts';
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { DamagedFileError } from '../../../../src/format/repository/damage.ts';
import { newDescription, parseDescription } from '../../../../src/format/repository/description.ts';
import {
  keyHashIn,
  keyName,
  ledgerFileName,
  packHashIn,
  packName,
  parseLedgerName,
} from '../../../../src/format/repository/file-names.ts';
import { newWriterKey, parseWriterKey, writerIdOf } from '../../../../src/format/repository/writer-key.ts';
import { Random } from '../../../helpers/random.ts';
import { mutated } from './mutated.ts';

const hash = randomBytes(32).toString('hex');
const writer = randomBytes(16).toString('hex');

describe('names of files', () => {
  test('return what they were made of', () => {
    expect(packHashIn(packName(hash))).toBe(hash);
    expect(keyHashIn(keyName(hash))).toBe(hash);
    for (const folder of ['ledger', 'checkpoints'] as const) {
      for (const number of [1, 999_999_999_999]) {
        const name = ledgerFileName(folder, { writer, number }, hash);
        expect(parseLedgerName(name)).toEqual({ name, folder, writer, number, hash });
      }
    }
  });

  test('have the order of their numbers', () => {
    const names = [1, 2, 9, 10, 99, 100, 1_000_000].map((number) => ledgerFileName('ledger', { writer, number }, hash));
    expect(names.toSorted()).toEqual(names);
  });

  test.each([
    `packs/zz/${hash}`,
    `packs/${hash.startsWith('00') ? '11' : '00'}/${hash}`,
    `packs/${hash.slice(0, 2)}/${hash.toUpperCase()}x`,
    `packs/${hash.slice(0, 2)}/${hash}\n`,
    `ledger/${writer}/000000000000-${hash}`,
    `ledger/${writer}/1-${hash}`,
    `ledger/${writer}/000000000001-${hash.slice(1)}`,
    `ledger/${writer.slice(1)}/000000000001-${hash}`,
    `other/${writer}/000000000001-${hash}`,
    `ledger/${writer}/000000000001-${hash}/x`,
    `keys/${hash}0`,
  ])('are ignored if they are foreign: %s', (name) => {
    expect([packHashIn(name), parseLedgerName(name), keyHashIn(name)]).toEqual([undefined, undefined, undefined]);
  });
});

const MASTER = Buffer.alloc(32, 7);

describe('the description', () => {
  const description = newDescription(MASTER, { parity: 10, created: 0 });

  test('returns what was written', () => {
    expect(parseDescription(description.bytes)).toEqual({
      id: description.id,
      keyId: deriveKeys(MASTER).id,
      parity: 10,
    });
  });

  test('is refused as damaged, or newer, and in no other way', () => {
    const random = new Random(4);
    for (let round = 0; round < 2_000; round += 1) {
      try {
        parseDescription(mutated(description.bytes, random));
      } catch (error) {
        if (!(error instanceof DamagedFileError)) throw error;
        expect(['content', 'hash', 'newer-version']).toContain(error.problem);
      }
    }
    const newer = Buffer.from('{"format":"holdfast-repository","version":2}');
    expect(() => parseDescription(newer)).toThrow(expect.objectContaining({ problem: 'newer-version' }));
  });
});

describe("a writer's key", () => {
  test('returns from its text', () => {
    const key = newWriterKey();
    const parsed = parseWriterKey(key.text);
    expect(parsed.id).toBe(key.id);
    expect(writerIdOf(parsed.publicKey)).toBe(key.id);
  });

  test('is refused with another length', () => {
    expect(() => parseWriterKey(randomBytes(31).toString('base64url'))).toThrow(RangeError);
  });
});
