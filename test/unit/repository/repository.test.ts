import { join } from 'node:path';
import { createEnvelope } from '../../../src/format/crypto/key-envelope.ts';
import { createRepository } from '../../../src/repository/create-repository.ts';
import { describe, expect, test } from 'vitest';
import { MemoryStorage } from '../../helpers/storage/memory-storage.ts';
import { repairRepository } from '../../../src/repository/repair/repair-repository.ts';
import { newWriterKey } from '../../../src/format/repository/writer-key.ts';
import { testChunk, TestRepository } from './fixture.ts';

describe('a repository', () => {
  test('returns on another computer what one backed up', async () => {
    using shared = await TestRepository.create(new MemoryStorage());
    const one = await shared.computer('one');
    const chunks = Array.from({ length: 50 }, () => testChunk());
    const run = await one.backup('documents', chunks);
    const other = await shared.computer('other');
    const points = await other.client.restorePoints(one.id, 'documents');
    expect(points).toMatchObject([{ backup_id: run.backup_id, restore_point: run.restore_point, files: 50 }]);
    expect(await other.lost(chunks)).toEqual([]);
  });

  test('stores a chunk once when two computers have it', async () => {
    using shared = await TestRepository.create(new MemoryStorage());
    const one = await shared.computer('one');
    const other = await shared.computer('other');
    const chunks = [testChunk(), testChunk()];
    await one.backup('documents', chunks);
    const { needed } = await other.begin('documents', chunks);
    expect(needed.size).toBe(0);
  });

  test('loses nothing when two computers back up at the same time', async () => {
    using shared = await TestRepository.create(new MemoryStorage());
    const computers = await Promise.all(['a', 'b', 'c'].map((name) => shared.computer(name)));
    const common = testChunk();
    const sets = computers.map(() => [common, testChunk(), testChunk()]);
    await Promise.all(computers.map((computer, index) => computer.backup('set', sets[index]!)));
    const reader = await shared.computer('reader');
    for (const chunks of sets) expect(await reader.lost(chunks)).toEqual([]);
    expect((await reader.client.devices()).length).toBe(4);
  });

  test('calls a computer new until it has backed up', async () => {
    using shared = await TestRepository.create(new MemoryStorage());
    const one = await shared.computer('one');
    const statusOf = async (): Promise<unknown> => (await one.client.devices()).map(({ status }) => status);
    expect(await statusOf()).toEqual(['new']);
    await one.backup('documents', [testChunk()]);
    expect(await statusOf()).toEqual(['healthy']);
  });

  test('counts the packs of a run that was killed', async () => {
    using shared = await TestRepository.create(new MemoryStorage());
    const writerKey = newWriterKey();
    const before = await shared.computer('one', { writerKey });
    const chunks = Array.from({ length: 5 }, () => testChunk(4_000_000));
    const { sessionId } = await before.begin('set', chunks);
    await before.upload(sessionId, chunks);
    await expect.poll(() => before.repository.projection.packs.unreported().length).toBe(1);
    before.repository[Symbol.dispose]();
    const after = await shared.computer('one', { writerKey });
    const { needed } = await after.begin('set', chunks);
    // The last pack was not full.
    expect(needed.size).toBeLessThan(3);
  });

  test('is refused in the place of another one that a computer has used', async () => {
    using shared = await TestRepository.create(new MemoryStorage());
    const writerKey = newWriterKey();
    const one = await shared.computer('one', { writerKey });
    await one.backup('set', [testChunk()]);
    // Another repository of the same key, whose description is proven, too.
    const elsewhere = new MemoryStorage();
    const { masterKey, clock } = shared;
    await createRepository(elsewhere, { masterKey, keyEnvelope: await createEnvelope(masterKey), clock });
    await expect(shared.computer('one', { writerKey, storage: elsewhere })).rejects.toMatchObject({
      code: 'destination_missing',
      details: { problem: 'exchanged' },
    });
    await expect(shared.computer('one', { writerKey })).resolves.toBeDefined();
  });

  test('refuses a copy of a computer that continues its ledger', async () => {
    using shared = await TestRepository.create(new MemoryStorage());
    const writerKey = newWriterKey();
    const original = await shared.computer('original', { writerKey });
    await original.backup('set', [testChunk()]);
    const copy = await shared.computer('copy', { writerKey });
    await expect(copy.backup('set', [testChunk()])).rejects.toMatchObject({ code: 'device_cloned' });
  });

  test('refuses to complete while a chunk is missing', async () => {
    using shared = await TestRepository.create(new MemoryStorage());
    const one = await shared.computer('one');
    const chunks = [testChunk(), testChunk()];
    const { sessionId, all } = await one.begin('set', chunks);
    await one.upload(sessionId, all.slice(0, 2));
    await expect(one.complete(sessionId, chunks)).rejects.toMatchObject({
      code: 'chunk_missing',
      details: { chunks: [chunks[1]!.hash] },
    });
  });

  test('stores chunks again after an older copy of it was put in its place', async () => {
    const storage = new MemoryStorage();
    using shared = await TestRepository.create(storage);
    const one = await shared.computer('one');
    await one.backup('documents', [testChunk()]);
    const copy = new Map(storage.files);
    const chunks = [testChunk(), testChunk()];
    await one.backup('documents', chunks);
    storage.files.clear();
    for (const [name, file] of copy) storage.files.set(name, file);

    await one.backup('documents', chunks);
    const other = await shared.computer('other');
    await other.client.devices();
    expect(await other.lost(chunks)).toEqual([]);
    expect(one.repository.projection.ledgers.damage()).toHaveLength(1);
  });

  test('gives up nothing when all of its packs are out of sight', async () => {
    const storage = new MemoryStorage();
    using shared = await TestRepository.create(storage);
    const one = await shared.computer('one');
    const chunks = [testChunk(), testChunk()];
    await one.backup('documents', chunks.slice(0, 1));
    await one.backup('documents', chunks);
    const packs = [...storage.files].filter(([name]) => name.startsWith('packs/'));
    for (const [name] of packs) storage.files.delete(name);
    const options = { scratch: join(one.folder, 'scratch.sqlite'), keyEnvelope: new Uint8Array(0) };
    await expect(repairRepository(one.repository, options)).rejects.toMatchObject({
      code: 'destination_missing',
    });
    for (const [name, file] of packs) storage.files.set(name, file);
    expect(await one.lost(chunks)).toEqual([]);
    expect(await one.client.restorePoints(one.id, 'documents')).toHaveLength(2);
  });
});
