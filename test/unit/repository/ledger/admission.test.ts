import { describe, expect, test } from 'vitest';
import type { WriterLimit } from '../../../../src/format/crypto/key-envelope.ts';
import { parseLedgerName } from '../../../../src/format/repository/file-names.ts';
import { admissionOf } from '../../../../src/repository/ledger/admission.ts';

const KNOWN = '11'.repeat(16);
const REMOVED = '22'.repeat(16);
const LATER = '33'.repeat(16);
const hash = (text: string): string => text.repeat(32);
const file = (folder: string, writer: string, number: number, name: string) =>
  parseLedgerName(`${folder}/${writer}/${String(number).padStart(12, '0')}-${hash(name)}`)!;

const writers = new Map<string, WriterLimit>([
  [KNOWN, { epoch: 1 }],
  [REMOVED, { epoch: 1, end: { number: 5, hash: hash('aa'), checkpoints: [hash('cc')] } }],
  [LATER, { epoch: 2 }],
]);

describe('a segment after the key was changed', () => {
  const admits = admissionOf({ epoch: 3, writers });

  test.each<[string, string, string, number, string, number, boolean]>([
    ['of a known writer under an earlier key', 'ledger', KNOWN, 9, 'aa', 1, true],
    ['of a known writer under the current key', 'ledger', KNOWN, 9, 'aa', 3, true],
    ['of a writer before the epoch in which it began', 'ledger', LATER, 1, 'aa', 1, false],
    ['of a writer in the epoch in which it began', 'ledger', LATER, 1, 'aa', 2, true],
    ['of an unknown writer under an earlier key', 'ledger', '44'.repeat(16), 1, 'aa', 2, false],
    ['of an unknown writer under the current key', 'ledger', '44'.repeat(16), 1, 'aa', 3, true],
    ['of a removed writer before its end', 'ledger', REMOVED, 4, 'bb', 1, true],
    ['of a removed writer at its end', 'ledger', REMOVED, 5, 'aa', 1, true],
    ['of a removed writer in the place of its end', 'ledger', REMOVED, 5, 'bb', 1, false],
    ['of a removed writer after its end', 'ledger', REMOVED, 6, 'aa', 1, false],
    ['of a removed writer after its end under the current key', 'ledger', REMOVED, 6, 'aa', 3, false],
    ['that is a checkpoint of a known writer', 'checkpoints', KNOWN, 4, 'dd', 1, true],
    ['that is a listed checkpoint of a removed writer', 'checkpoints', REMOVED, 5, 'cc', 1, true],
    ['that is another checkpoint of a removed writer', 'checkpoints', REMOVED, 5, 'dd', 1, false],
    ['that is an earlier checkpoint of a removed writer', 'checkpoints', REMOVED, 4, 'dd', 1, false],
  ])('counts or not: %s', (_, folder, writer, number, name, epoch, isAdmitted) => {
    expect(admits(file(folder, writer, number, name), epoch)).toBe(isAdmitted);
  });

  test('counts whoever wrote it while nobody changed the key', () => {
    for (const state of [undefined, { epoch: 1, writers: new Map<string, WriterLimit>() }]) {
      expect(admissionOf(state)(file('ledger', '44'.repeat(16), 1, 'aa'), 1)).toBe(true);
    }
  });
});
