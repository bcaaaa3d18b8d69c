import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { HoldfastError } from '../../../src/base/errors/errors.ts';
import { createEnvelope } from '../../../src/format/crypto/key-envelope.ts';
import { deriveKeys, newMasterKey } from '../../../src/format/crypto/keys.ts';
import { abandonRepository, createRepository, findRepository } from '../../../src/repository/create-repository.ts';
import { FaultyStorage } from '../../helpers/storage/faulty-storage.ts';
import { MemoryStorage } from '../../helpers/storage/memory-storage.ts';
import { TestClock } from './fixture.ts';

const clock = new TestClock();
const full = new HoldfastError('destination_full', { directory: 'memory:' });

async function newKey() {
  const masterKey = newMasterKey();
  return { masterKey, keyId: deriveKeys(masterKey).id, keyEnvelope: await createEnvelope(masterKey), clock };
}

function nameOf(envelope: Uint8Array): string {
  return `keys/${createHash('sha256').update(envelope).digest('hex')}`;
}

describe('creating a repository', () => {
  test('stores its description and the envelope of its key', async () => {
    const storage = new MemoryStorage();
    const key = await newKey();
    expect(await findRepository(storage)).toBeUndefined();
    const created = await createRepository(storage, key);
    expect(created).toMatchObject({ isNew: true, description: { keyId: key.keyId } });
    expect([...storage.files.keys()].toSorted()).toEqual([
      'holdfast-copy.json',
      'holdfast.json',
      nameOf(key.keyEnvelope),
    ]);
    const { isNew: _, ...found } = created;
    expect(await findRepository(storage)).toEqual(found);
    expect(found.envelopes.map((bytes) => Buffer.from(bytes))).toEqual([Buffer.from(key.keyEnvelope)]);
  });

  test.each([
    ['the envelope', 1],
    ['the description', 2],
  ])('leaves nothing when %s cannot be stored', async (_, call) => {
    for (const kind of ['fail-before', 'fail-after'] as const) {
      const inner = new MemoryStorage();
      const storage = new FaultyStorage(inner);
      storage.plan('put', call, { kind, error: full });
      await expect(createRepository(storage, await newKey())).rejects.toBe(full);
      expect(storage.unfired).toEqual([]);
      expect([...inner.files.keys()]).toEqual([]);
    }
  });

  test.each([0, 1, 2])('can be repeated when the computer was lost after %i files', async (files) => {
    const inner = new MemoryStorage();
    const storage = new FaultyStorage(inner);
    storage.dieAfter(files, full);
    await expect(createRepository(storage, await newKey())).rejects.toBe(full);
    expect(inner.files.size).toBe(files);
    const key = await newKey();
    const { description, isNew } = await createRepository(inner, key);
    // With both files it was complete.
    expect(isNew).toBe(files < 2);
    expect(description.keyId === key.keyId).toBe(files < 2);
  });

  test('finds the repository of a computer that was faster, and leaves nothing of its own there', async () => {
    const storage = new MemoryStorage();
    const first = await createRepository(storage, await newKey());
    const names = [...storage.files.keys()];
    const second = await createRepository(storage, await newKey());
    expect(second).toEqual({ ...first, isNew: false });
    expect([...storage.files.keys()]).toEqual(names);
  });

  test('adds an envelope of the same key to the repository of a computer that was faster', async () => {
    const storage = new MemoryStorage();
    const masterKey = newMasterKey();
    const envelopes = [
      await createEnvelope(masterKey),
      await createEnvelope(masterKey, { passphrase: 'a passphrase' }),
    ];
    await createRepository(storage, { masterKey, keyEnvelope: envelopes[0]!, clock });
    const second = await createRepository(storage, { masterKey, keyEnvelope: envelopes[1]!, clock });
    expect(second.isNew).toBe(false);
    expect(second.envelopes).toHaveLength(2);
  });
});

test('a description that is damaged so that it looks newer is read from its copy', async () => {
  const storage = new MemoryStorage();
  const { description } = await createRepository(storage, await newKey());
  const { bytes } = storage.files.get('holdfast.json')!;
  const newer = Buffer.from(Buffer.from(bytes).toString().replace('"version": 1', '"version": 3'));
  storage.files.set('holdfast.json', { bytes: newer, created: 1 });
  expect(await findRepository(storage)).toMatchObject({ description });
  storage.files.set('holdfast-copy.json', { bytes: newer, created: 1 });
  await expect(findRepository(storage)).rejects.toMatchObject({ details: { problem: 'destination-newer' } });
});

describe('a description with another id', () => {
  /** What somebody without the key can write. */
  function forged(bytes: Uint8Array): Buffer {
    const json = JSON.parse(Buffer.from(bytes).toString()) as Record<string, string | number>;
    json['id'] = '0123456789abcdef'.repeat(2);
    const text = ['format', 'version', 'id', 'key_id', 'created', 'parity'].map((key) => json[key]).join('\n');
    json['check'] = createHash('sha256').update(text).digest('hex').slice(0, 32);
    return Buffer.from(`${JSON.stringify(json, undefined, 2)}\n`);
  }

  function forge(storage: MemoryStorage, ...names: readonly string[]): void {
    for (const name of names) {
      const { bytes, created } = storage.files.get(name)!;
      storage.files.set(name, { bytes: forged(bytes), created });
    }
  }

  test('does not count when the copy is right', async () => {
    const storage = new MemoryStorage();
    const key = await newKey();
    const { description } = await createRepository(storage, key);
    forge(storage, 'holdfast.json');
    expect(await findRepository(storage, undefined, key.masterKey)).toMatchObject({ description });
  });

  test('is named when the copy has it, too', async () => {
    const storage = new MemoryStorage();
    const key = await newKey();
    await createRepository(storage, key);
    forge(storage, 'holdfast.json', 'holdfast-copy.json');
    await expect(findRepository(storage, undefined, key.masterKey)).rejects.toMatchObject({
      code: 'destination_missing',
      details: { directory: storage.address, problem: 'forged' },
    });
    // Without the key nobody can tell, and another key's is of that key.
    const other = await newKey();
    expect(await findRepository(storage, undefined, other.masterKey)).toMatchObject({
      description: { keyId: key.keyId },
    });
  });
});

describe('a repository that is abandoned', () => {
  test('is removed while nobody has backed up to it', async () => {
    const storage = new MemoryStorage();
    await abandonRepository(storage, await createRepository(storage, await newKey()));
    expect([...storage.files.keys()]).toEqual([]);
  });

  test('stays when somebody has backed up to it', async () => {
    const storage = new MemoryStorage();
    const created = await createRepository(storage, await newKey());
    await storage.put(`ledger/${'0'.repeat(32)}/000000000001-${'0'.repeat(64)}`, [Buffer.from('segment')]);
    await abandonRepository(storage, created);
    expect(await findRepository(storage)).toMatchObject({ description: created.description });
    expect(storage.files.size).toBe(4);
  });

  test('stays when it is that of another computer', async () => {
    const storage = new MemoryStorage();
    const masterKey = newMasterKey();
    const key = { masterKey, keyEnvelope: await createEnvelope(masterKey), clock };
    const theirs = await createRepository(storage, key);
    const names = [...storage.files.keys()];
    await abandonRepository(storage, { ...theirs, description: { ...theirs.description, id: '0'.repeat(32) } });
    expect([...storage.files.keys()]).toEqual(names);
  });
});
