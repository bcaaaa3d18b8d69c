import { createCipheriv, randomBytes } from 'node:crypto';
import { argon2id } from 'hash-wasm';
import { describe, expect, test } from 'vitest';
import {
  createEnvelope,
  envelopeFits,
  openEnvelope,
  readEnvelope,
  type KeyEnvelope,
} from '../../../src/engine/crypto/key-envelope.ts';
import { deriveKeys, newMasterKey } from '../../../src/engine/crypto/keys.ts';
import { HoldfastError } from '../../../src/base/errors.ts';

const MASTER = Buffer.alloc(32, 4);
const PASSPHRASE = 'Grüße an die Tür';

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'done';
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    return error.code;
  }
}

/** Creates a slot as the format describes it, without Holdfast's code and with a low cost, which is stored in the slot. */
async function cheapSlot(passphrase: string, keyId: string): Promise<Readonly<Record<string, unknown>>> {
  const salt = randomBytes(16);
  const cost = { memorySize: 64, iterations: 1, parallelism: 1, hashLength: 32 };
  const key = await argon2id({ ...cost, password: passphrase, salt, outputType: 'binary' });
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(`holdfast/v1/slot/${keyId}`));
  const sealed = Buffer.concat([iv, cipher.update(MASTER), cipher.final(), cipher.getAuthTag()]).toString('base64');
  const described = { kind: 'passphrase', kdf: 'argon2id', memory_kib: 64, iterations: 1, parallelism: 1 };
  return { ...described, salt: salt.toString('base64'), sealed };
}

const envelopeOf = (keyId: string, slots: readonly unknown[]): KeyEnvelope =>
  readEnvelope(Buffer.from(JSON.stringify({ version: 1, key_id: keyId, slots })));

describe('the key envelope', () => {
  test('has a slot that opens the master key when a passphrase was given', { timeout: 120_000 }, async () => {
    const bytes = await createEnvelope(MASTER, { passphrase: PASSPHRASE });
    expect(bytes.includes(MASTER)).toBe(false);
    const envelope = readEnvelope(bytes);
    expect(envelope.slots).toMatchObject([{ memoryKib: 262_144, iterations: 3, parallelism: 1 }]);
    // Another keyboard composes letters differently.
    expect(Buffer.from(await openEnvelope(envelope, PASSPHRASE.normalize('NFD'))).equals(MASTER)).toBe(true);
  });

  test('opens with the passphrase of any slot, and with no other', async () => {
    const keyId = deriveKeys(MASTER).id;
    const slots = [await cheapSlot('one', keyId), await cheapSlot('zwei', keyId)];
    const envelope = envelopeOf(keyId, slots);
    expect(Buffer.from(await openEnvelope(envelope, 'one')).equals(MASTER)).toBe(true);
    expect(Buffer.from(await openEnvelope(envelope, 'zwei')).equals(MASTER)).toBe(true);
    for (const wrong of ['', 'One', 'one ', 'drei']) {
      expect(await codeOf(openEnvelope(envelope, wrong))).toBe('passphrase_wrong');
    }
  });

  test("does not open with a slot of another key's envelope", async () => {
    const keyId = deriveKeys(newMasterKey()).id;
    const slots = [await cheapSlot('one', deriveKeys(MASTER).id)];
    expect(await codeOf(openEnvelope(envelopeOf(keyId, slots), 'one'))).toBe('passphrase_wrong');
    // Nor if it was sealed for that envelope, since it contains a different key from the one named.
    expect(await codeOf(openEnvelope(envelopeOf(keyId, [await cheapSlot('one', keyId)]), 'one'))).toBe(
      'passphrase_wrong',
    );
  });

  test('has the id of the key and no slot without a passphrase', async () => {
    const bytes = await createEnvelope(MASTER);
    expect(JSON.parse(bytes.toString('utf8'))).toEqual({ version: 1, key_id: deriveKeys(MASTER).id, slots: [] });
    expect(await codeOf(openEnvelope(readEnvelope(bytes), 'any'))).toBe('phrase_needed');
  });

  test('recognises the phrase of another account', async () => {
    const envelope = readEnvelope(await createEnvelope(MASTER));
    expect(envelopeFits(envelope, deriveKeys(MASTER))).toBe(true);
    expect(envelopeFits(envelope, deriveKeys(newMasterKey()))).toBe(false);
  });

  test('rejects an empty passphrase', async () => {
    expect(await codeOf(createEnvelope(MASTER, { passphrase: '' }))).toBe('usage');
  });

  const slot = {
    kind: 'passphrase',
    kdf: 'argon2id',
    memory_kib: 262_144,
    iterations: 3,
    parallelism: 1,
    salt: Buffer.alloc(16).toString('base64'),
    sealed: Buffer.alloc(60).toString('base64'),
  };
  const valid = { version: 1, key_id: '0'.repeat(32), slots: [slot] };

  test('skips slots of unknown kinds and unknown fields', () => {
    const more = {
      ...valid,
      later: true,
      slots: [
        { kind: 'security-key', data: 1 },
        { ...slot, note: 'x' },
      ],
    };
    expect(readEnvelope(Buffer.from(JSON.stringify(more))).slots).toHaveLength(1);
  });

  test.each<[string, unknown]>([
    ['no JSON', undefined],
    ['a list', []],
    ['another version', { ...valid, version: 2 }],
    ['no key id', { ...valid, key_id: 'x' }],
    ['no slots', { ...valid, slots: undefined }],
    ['an unknown derivation', { ...valid, slots: [{ ...slot, kdf: 'md5' }] }],
    ['all of the memory', { ...valid, slots: [{ ...slot, memory_kib: 2 ** 30 }] }],
    ['no memory', { ...valid, slots: [{ ...slot, memory_kib: 0 }] }],
    ['less memory than lanes need', { ...valid, slots: [{ ...slot, memory_kib: 8, parallelism: 2 }] }],
    ['all of the time', { ...valid, slots: [{ ...slot, iterations: 2 ** 20 }] }],
    ['a short salt', { ...valid, slots: [{ ...slot, salt: 'AAAA' }] }],
    ['a short key', { ...valid, slots: [{ ...slot, sealed: 'AAAA' }] }],
    ['no base64', { ...valid, slots: [{ ...slot, salt: '!' }] }],
    ['too many slots', { ...valid, slots: Array.from({ length: 65 }, () => slot) }],
  ])('is refused with %s', (_, value) => {
    const bytes = Buffer.from(value === undefined ? '{' : JSON.stringify(value));
    expect(() => readEnvelope(bytes)).toThrow('service_answer_suspicious: problem=key-envelope');
  });

  test('is rejected when it is very long', () => {
    const bytes = Buffer.from(JSON.stringify({ ...valid, padding: ' '.repeat(65_536) }));
    expect(() => readEnvelope(bytes)).toThrow('service_answer_suspicious: problem=key-envelope');
  });
});
