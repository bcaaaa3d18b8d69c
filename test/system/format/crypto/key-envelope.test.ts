import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newDeviceKey } from '../../../../src/format/crypto/device-key.ts';
import {
  createEnvelope,
  encodeEnvelope,
  envelopeFits,
  isProvenBy,
  isSealedBy,
  readEnvelope,
  ringOf,
  type KeyEnvelope,
} from '../../../../src/format/crypto/key-envelope.ts';
import { openOneOf } from '../../../../src/format/crypto/open-envelope.ts';
import { deriveKeys, firstEpoch, newMasterKey, type KeyRing } from '../../../../src/format/crypto/keys.ts';
import { sealRing } from '../../../../src/format/crypto/rotation.ts';
import { HoldfastError } from '../../../../src/base/errors/errors.ts';
import {
  cheapSlot as cheapSlotOf,
  emptyBody as empty,
  encodedEnvelope,
} from '../../../unit/format/crypto/described-envelope.ts';

const MASTER = Buffer.alloc(32, 4);
const NEXT = Buffer.alloc(32, 5);
const KEY_ID = deriveKeys(MASTER).id;
const PASSPHRASE = 'Grüße an die Tür';

async function openEnvelope(envelope: KeyEnvelope, password: string, kind?: 'code'): Promise<Uint8Array> {
  return (await openOneOf([{ envelope }], password, kind)).master;
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'done';
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    return error.code;
  }
}

const cheapSlot = (passphrase: string, keyId: string, more: object = {}): Promise<object> =>
  cheapSlotOf(MASTER, passphrase, { keyId, more });
const encoded = (body: object, master: Uint8Array = MASTER): Buffer => encodedEnvelope(body, master);
const envelopeOf = (keyId: string, slots: readonly unknown[]): KeyEnvelope =>
  readEnvelope(encoded({ ...empty, key_id: keyId, slots }));

describe('the key envelope', () => {
  test('has a slot that opens the master key when a passphrase was given', { timeout: 120_000 }, async () => {
    const bytes = await createEnvelope(MASTER, { passphrase: PASSPHRASE });
    expect(bytes.includes(MASTER)).toBe(false);
    const envelope = readEnvelope(bytes);
    expect(envelope.slots).toMatchObject([{ cost: { memoryKib: 262_144, iterations: 3, parallelism: 1 } }]);
    // Another keyboard composes letters differently.
    expect(Buffer.from(await openEnvelope(envelope, PASSPHRASE.normalize('NFD'))).equals(MASTER)).toBe(true);
  });

  test('opens with the passphrase of any slot, and with no other', async () => {
    const slots = [await cheapSlot('one', KEY_ID), await cheapSlot('zwei', KEY_ID)];
    const envelope = envelopeOf(KEY_ID, slots);
    expect(Buffer.from(await openEnvelope(envelope, 'one')).equals(MASTER)).toBe(true);
    expect(Buffer.from(await openEnvelope(envelope, 'zwei')).equals(MASTER)).toBe(true);
    for (const wrong of ['', 'One', 'one ', 'drei']) {
      expect(await codeOf(openEnvelope(envelope, wrong))).toBe('passphrase_wrong');
    }
  });

  test('opens beside costly slots that somebody has added, which are not all tried', { timeout: 120_000 }, async () => {
    const own = await cheapSlot('one', KEY_ID);
    const costly = (cost: object) => ({ ...own, salt: randomBytes(16).toString('base64'), ...cost });
    // 512 attempts are as many as any cost allows.
    const many = Array.from({ length: 600 }, () => costly({ iterations: 1 }));
    const most = Array.from({ length: 400 }, () => costly({ memory_kib: 1_048_576, iterations: 4 }));
    const forged = envelopeOf(KEY_ID, [...most, own]);
    expect(Buffer.from(await openEnvelope(forged, 'one')).equals(MASTER)).toBe(true);
    // The bytes of the own slot with a lower cost do not stand for it.
    const lower = envelopeOf(KEY_ID, [{ ...own, memory_kib: 8 }, own]);
    expect(Buffer.from(await openEnvelope(lower, 'one')).equals(MASTER)).toBe(true);
    expect(await codeOf(openEnvelope(envelopeOf(KEY_ID, many), 'two'))).toBe('service_answer_suspicious');
    // What one envelope repeats of another is tried once.
    const repeating = {
      envelope: envelopeOf(
        KEY_ID,
        Array.from({ length: 400 }, () => own),
      ),
    };
    const repeated = [repeating, repeating, repeating];
    expect(await codeOf(openOneOf(repeated, 'two'))).toBe('passphrase_wrong');
  });

  test('opens with a one-time code only as a code', async () => {
    const code = await cheapSlot('a code', KEY_ID, { kind: 'code', expires: 1_767_225_600_000 });
    const envelope = envelopeOf(KEY_ID, [code]);
    expect(envelope.slots).toMatchObject([{ kind: 'code', expires: 1_767_225_600_000 }]);
    expect(Buffer.from(await openEnvelope(envelope, 'a code', 'code')).equals(MASTER)).toBe(true);
    expect(await codeOf(openEnvelope(envelope, 'a code'))).toBe('phrase_needed');
  });

  test("does not open with a slot of another key's envelope", async () => {
    const keyId = deriveKeys(newMasterKey()).id;
    const slots = [await cheapSlot('one', KEY_ID)];
    expect(await codeOf(openEnvelope(envelopeOf(keyId, slots), 'one'))).toBe('passphrase_wrong');
    // Nor if it was sealed for that envelope, since it contains a different key from the one named.
    expect(await codeOf(openEnvelope(envelopeOf(keyId, [await cheapSlot('one', keyId)]), 'one'))).toBe(
      'passphrase_wrong',
    );
  });

  test('does not open when somebody without the key has altered it', async () => {
    const body = { ...empty, key_id: KEY_ID, slots: [await cheapSlot('one', KEY_ID)] };
    const text = encoded(body).toString('utf8').replace('"since":0', '"since":1');
    expect(await codeOf(openEnvelope(readEnvelope(Buffer.from(text)), 'one'))).toBe('passphrase_wrong');
  });

  test('has the id of the key and no slot without a passphrase', async () => {
    const bytes = await createEnvelope(MASTER);
    expect(bytes.equals(encodedInOrder())).toBe(true);
    expect(await codeOf(openEnvelope(readEnvelope(bytes), 'any'))).toBe('phrase_needed');

    function encodedInOrder(): Buffer {
      const { version, epoch, ...others } = empty;
      const { since, after, author, ...lists } = others;
      return encoded({ version, epoch, key_id: KEY_ID, since, after, author, slots: [], ...lists });
    }
  });

  test('recognises the phrase of another account', async () => {
    const envelope = readEnvelope(await createEnvelope(MASTER));
    expect(envelopeFits(envelope, deriveKeys(MASTER))).toBe(true);
    expect(envelopeFits(envelope, deriveKeys([{ epoch: 2, master: NEXT }, ...firstEpoch(MASTER)]))).toBe(true);
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
  const code = { ...slot, kind: 'code', expires: 1 };
  const device = {
    kind: 'device',
    device: Buffer.alloc(32).toString('base64'),
    sealed: Buffer.alloc(92).toString('base64'),
  };
  const valid = { ...empty, key_id: '0'.repeat(32), slots: [slot] };

  test.each<[string, unknown]>([
    ['an unknown kind', { kind: 'security-key', data: 1 }],
    ['no kind', {}],
    ['no object', 7],
    ['an unknown derivation', { ...slot, kdf: 'md5' }],
    ['all of the memory', { ...slot, memory_kib: 2 ** 30 }],
    ['no memory', { ...slot, memory_kib: 0 }],
    ['less memory than lanes need', { ...slot, memory_kib: 8, parallelism: 2 }],
    ['all of the time', { ...slot, iterations: 2 ** 20 }],
    ['a minute', { ...slot, memory_kib: 1_048_576, iterations: 5 }],
    ['all lanes', { ...slot, parallelism: 17 }],
    ['a short salt', { ...slot, salt: 'AAAA' }],
    ['a long salt', { ...slot, salt: Buffer.alloc(65).toString('base64') }],
    ['a short key', { ...slot, sealed: 'AAAA' }],
    ['no base64', { ...slot, salt: '!' }],
    ['a passphrase that expires', { ...slot, expires: 1 }],
    ['a code that never expires', { ...code, expires: undefined }],
    ['a short public key', { ...device, device: 'AAAA' }],
    ['a short key for a device', { ...device, sealed: slot.sealed }],
  ])('leaves a slot out with %s', (_, bad) => {
    const { slots } = readEnvelope(encoded({ ...valid, slots: [bad, { ...slot, note: 'x' }, code, device] }));
    expect(slots.map(({ kind }) => kind)).toEqual(['passphrase', 'code', 'device']);
  });

  const earlier = { epoch: 1, key_id: '0'.repeat(32), since: 0, sealed: slot.sealed };
  const digest = '0'.repeat(64);
  test.each<[string, unknown]>([
    ['a list', []],
    ['another version', { ...valid, version: 2 }],
    ['no key id', { ...valid, key_id: 'x' }],
    ['no slots', { ...valid, slots: undefined }],
    ['too many slots', { ...valid, slots: Array.from({ length: 1025 }, () => ({})) }],
    ['epoch 0, which is that of public keys', { ...valid, epoch: 0 }],
    ['an epoch that blobs cannot state', { ...valid, epoch: 0x1_0000 }],
    ['a beginning that is no time', { ...valid, since: -1 }],
    ['a malformed id of the key before', { ...valid, after: 'x' }],
    ['a short author', { ...valid, author: 'AAAA' }],
    ['an earlier key of no epoch', { ...valid, earlier: [{ ...earlier, epoch: 0 }] }],
    ['a short earlier key', { ...valid, earlier: [{ ...earlier, sealed: 'AAAA' }] }],
    ['too many earlier keys', { ...valid, earlier: Array.from({ length: 1025 }, () => earlier) }],
    ['a short revoked key', { ...valid, revoked: ['AAAA'] }],
    ['too many revoked keys', { ...valid, revoked: Array.from({ length: 1025 }, () => device.device) }],
    ['a writer without an id', { ...valid, writers: { x: [1] } }],
    ['a writer of no epoch', { ...valid, writers: { ['0'.repeat(32)]: [0] } }],
    ['a writer with half an end', { ...valid, writers: { ['0'.repeat(32)]: [1, 7] } }],
    [
      'a writer with many checkpoints',
      { ...valid, writers: { ['0'.repeat(32)]: [1, 7, digest, Array(17).fill(digest)] } },
    ],
  ])('is refused with %s', (_, value) => {
    expect(() => readEnvelope(encoded(value as object))).toThrow('service_answer_suspicious: problem=key-envelope');
  });

  const text = encoded(valid).toString('utf8');
  test.each<[string, string]>([
    ['no JSON', '{'],
    ['nothing around it', JSON.stringify(valid)],
    ['a short MAC', text.replace(/"mac":"../, '"mac":"')],
    ['a MAC in capitals', text.replace(/"mac":".*"/, (mac) => mac.replace(/[0-9a-f]{64}/, 'A'.repeat(64)))],
    ['something after it', `${text}{}`],
    ['no UTF-8', `${text.slice(0, -1)}\ud800`],
  ])('is refused with %s', (_, given) => {
    const bytes = Buffer.from(given.replace('\ud800', ''), 'utf8');
    const all = given.includes('\ud800') ? Buffer.concat([bytes, Buffer.of(0xff)]) : bytes;
    expect(() => readEnvelope(all)).toThrow('service_answer_suspicious: problem=key-envelope');
  });

  test('is rejected when it is very long', () => {
    const bytes = encoded({ ...valid, padding: ' '.repeat(1_048_576) });
    expect(() => readEnvelope(bytes)).toThrow('service_answer_suspicious: problem=key-envelope');
  });
});

describe('the envelope of a later epoch', () => {
  const ring: KeyRing = [{ epoch: 2, master: NEXT }, ...firstEpoch(MASTER)];
  const author = newDeviceKey();
  const membership = { author, members: [], revoked: [], writers: new Map() };
  const bytes = sealRing(ring, undefined, membership, { since: 7 });
  const envelope = readEnvelope(bytes);

  test('opens the keys of all epochs with the newest one', () => {
    expect(isSealedBy(envelope, NEXT)).toBe(true);
    expect(ringOf(envelope, NEXT)).toEqual(ring);
    expect(bytes.includes(MASTER.toString('base64'))).toBe(false);
  });

  test('is proven by the key that it replaces, and by no other', () => {
    expect(envelope.after).toBe(KEY_ID);
    expect(isProvenBy(envelope, MASTER)).toBe(true);
    expect(isProvenBy(envelope, NEXT)).toBe(false);
    expect(isProvenBy({ ...envelope, proof: undefined }, MASTER)).toBe(false);
    expect(isProvenBy({ ...envelope, body: Buffer.from(`${envelope.body.toString()} `) }, MASTER)).toBe(false);
    // A key that was revoked proves nothing about another key's successor.
    const third: KeyRing = [{ epoch: 3, master: Buffer.alloc(32, 6) }, ...ring];
    const later = readEnvelope(sealRing(third, envelope, membership, { since: 8 }));
    expect([isProvenBy(later, NEXT), isProvenBy(later, MASTER)]).toEqual([true, false]);
  });

  test('leaves out an earlier key that does not open, and opens the others', () => {
    const other = { ...envelope.earlier[0]!, sealed: Buffer.alloc(60) };
    const elsewhere = { ...envelope.earlier[0]!, epoch: 2 };
    expect(ringOf({ ...envelope, earlier: [other, elsewhere, ...envelope.earlier] }, NEXT)).toEqual(ring);
  });

  test('remains the same when it is encoded again', () => {
    expect(encodeEnvelope(envelope, ring).equals(bytes)).toBe(true);
    expect(() => encodeEnvelope(envelope, firstEpoch(MASTER))).toThrow(RangeError);
  });
});
