import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { zstdCompressSync } from 'node:zlib';
import { encode } from 'cborg';
import { DamagedFileError } from '../../../src/format/repository/damage.ts';
import { parseFact } from '../../../src/format/repository/facts.ts';
import { FolderStorage } from '../../../src/storage/folder/folder-storage.ts';
import { MemoryStorage } from '../../helpers/storage/memory-storage.ts';
import { testChunk, TestRepository } from '../../unit/repository/fixture.ts';
import { epochKeys } from '../../helpers/epoch-keys.ts';

const JUNK = new TextEncoder().encode('junk');

describe('names that anybody can write', () => {
  test('do not make a computer take itself for cloned', async () => {
    const storage = new MemoryStorage();
    using shared = await TestRepository.create(storage);
    const one = await shared.computer('one');
    await one.backup('documents', [testChunk()]);
    await storage.put(`ledger/${one.repository.writerKey.id}/000000000002-${'a'.repeat(64)}`, [JUNK]);
    const chunks = [testChunk()];
    await one.backup('documents', chunks);
    expect(await one.lost(chunks)).toEqual([]);
  });

  test('do not hide that newer segments are gone', async () => {
    const storage = new MemoryStorage();
    using shared = await TestRepository.create(storage);
    const one = await shared.computer('one');
    await one.backup('documents', [testChunk()]);
    const before = new Set(storage.files.keys());
    const chunks = [testChunk()];
    await one.backup('documents', chunks);
    for (const name of storage.files.keys()) if (!before.has(name)) storage.files.delete(name);
    await storage.put(`ledger/${one.repository.writerKey.id}/999999999999-${'a'.repeat(64)}`, [JUNK]);
    await one.backup('documents', chunks);
    const other = await shared.computer('other');
    await other.client.devices();
    expect(await other.lost(chunks)).toEqual([]);
  });
});

describe('a folder with something else in the place of files', () => {
  test('neither blocks on a pipe nor fails on a folder', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'holdfast-junk-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    await using storage = await FolderStorage.open(directory, { isNew: true });
    await storage.put('holdfast.json', [JUNK]);
    mkdirSync(join(directory, 'keys/folder'), { recursive: true });
    execFileSync('mkfifo', [join(directory, 'keys/pipe')]);
    expect(await storage.get('keys/pipe')).toBeUndefined();
    expect(await storage.get('keys/pipe', { offset: 0, length: 4 })).toBeUndefined();
    expect(await storage.get('keys/folder')).toBeUndefined();
    expect(await storage.get('keys/folder', { offset: 0, length: 4 })).toBeUndefined();
    renameSync(join(directory, 'holdfast.json'), join(directory, 'old'));
    execFileSync('mkfifo', [join(directory, 'holdfast.json')]);
    await expect(FolderStorage.open(directory)).rejects.toMatchObject({ code: 'destination_missing' });
    expect(readdirSync(directory)).toContain('old');
  });
});

describe('facts of a computer that lies', () => {
  test.each([8_640_000_000_000_001, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER])(
    'with the time %d are refused',
    (time) => {
      expect(parseFact({ kind: 'pin', point: new Uint8Array(16), time })).toBeUndefined();
    },
  );

  test('that grow a thousandfold are refused', async () => {
    const { encodeSegment, decodeSegment } = await import('../../../src/format/repository/segment.ts');
    const { newWriterKey } = await import('../../../src/format/repository/writer-key.ts');
    const { parseLedgerName } = await import('../../../src/format/repository/file-names.ts');
    const key = newWriterKey();
    const seal = { keys: epochKeys(new Uint8Array(32)), repository: '0'.repeat(32) };
    const bomb = { kind: 'later', bytes: new Uint8Array(64_000_000) } as never;
    expect(zstdCompressSync(encode([bomb])).length).toBeLessThan(100_000);
    const segment = { writer: key.id, number: 1, previous: undefined, time: 0, heads: new Map(), facts: [bomb] };
    const file = encodeSegment('ledger', segment, seal, key);
    const decode = () => decodeSegment(parseLedgerName(file.name)!, file.bytes, seal);
    expect(decode).toThrow(DamagedFileError);
    expect(decode).toThrow('content');
  });
});
