import { createHash } from 'node:crypto';
import {
  existsSync,
  fstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sealChunk } from '../../../../src/format/crypto/blob.ts';
import { ChunkKeys } from '../../../../src/format/crypto/chunk-keys.ts';
import { nativeFileSystem } from '../../../../src/os/filesystem/native.ts';
import { packChunks } from '../../../../src/read/chunks/packed-chunks.ts';
import { identityOf, versionOf } from '../../../../src/os/filesystem/file-identity.ts';
import { writeFiles, type FileToWrite, type WriteOutcome } from '../../../../src/restore/write/write-files.ts';
import { replacedFs } from '../../../helpers/replaced-fs.ts';
import { epochKeys } from '../../../helpers/epoch-keys.ts';

const CHUNK_SUB_KEYS = epochKeys(Buffer.alloc(32, 7));
const METADATA = { mode: 0o640, seconds: 1_700_000_000, nanoseconds: 0, owner: null, xattrs: null };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-write-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Writes one file of one chunk called `file`. */
function write(data: Buffer, changes: Partial<FileToWrite> = {}): WriteOutcome | null {
  const digest = createHash('sha256').update(data).digest();
  const hash = `sha256:${digest.toString('hex')}`;
  const blob = sealChunk(new ChunkKeys(CHUNK_SUB_KEYS).keyOf(digest), data);
  const fetched = new Map([[hash, { input: blob, length: data.length, shared: false }]]);
  const { chunks } = packChunks([{ hash }], fetched);
  const naming = { folder: 0, partialName: 'partial', name: 'file', replace: false, metadata: METADATA };
  const file = { ...naming, size: data.length, sparse: false, chunks: [0], ...changes };
  const entries = JSON.stringify({ files: [file], links: [] });
  const folders = [{ path: folder, handle: undefined }];
  return writeFiles({ chunkSubKeys: CHUNK_SUB_KEYS, chunks, folders, entries, parts: [] }).value.files[0]!;
}

describe('a small file', () => {
  test('has its data on disk before its name when it has holes', () => {
    const synced: object[] = [];
    using _fs = replacedFs(({ fdatasyncSync }) => ({
      fdatasyncSync: (file) => {
        synced.push({ size: fstatSync(file).size, isNamed: existsSync(join(folder, 'file')) });
        fdatasyncSync(file);
      },
    }));
    expect(write(Buffer.alloc(100_000), { sparse: true })).toBeNull();
    expect(synced).toEqual([{ size: 100_000, isNamed: false }]);
    expect(readFileSync(join(folder, 'file'))).toEqual(Buffer.alloc(100_000));
  });

  test('has its data on disk before its name when the whole file system cannot be synced', () => {
    const synced: boolean[] = [];
    const native = nativeFileSystem();
    const { syncFileSystem } = native ?? {};
    if (native) Object.assign(native, { syncFileSystem: undefined });
    using _fs = replacedFs(({ fsyncSync }) => ({
      fsyncSync: (file) => {
        synced.push(existsSync(join(folder, 'file')));
        fsyncSync(file);
      },
    }));
    try {
      expect(write(Buffer.from('data'))).toBeNull();
    } finally {
      if (native) Object.assign(native, { syncFileSystem });
    }
    expect(synced).toEqual([false]);
  });

  test('replaces only what was kept', () => {
    writeFileSync(join(folder, 'file'), 'kept');
    const replaced = identityOf(statSync(join(folder, 'file')));
    // As an application saves.
    writeFileSync(join(folder, 'new'), 'saved since then');
    renameSync(join(folder, 'new'), join(folder, 'file'));
    const outcome = write(Buffer.from('restored'), { replace: true, replaced });
    expect(outcome?.failure).toEqual({ reason: 'target_unwritable', detail: 'EBUSY' });
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('saved since then');
    const now = identityOf(statSync(join(folder, 'file')));
    expect(write(Buffer.from('restored'), { replace: true, replaced: now })).toBeNull();
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('restored');
  });

  test.runIf(process.platform === 'linux')('keeps what an application saves at the last moment', () => {
    const path = join(folder, 'file');
    writeFileSync(path, 'kept');
    const replaced = identityOf(statSync(path));
    writeFileSync(join(folder, 'new'), 'saved at the last moment');
    const save = (): void => {
      if (existsSync(join(folder, 'new'))) renameSync(join(folder, 'new'), path);
    };
    // Right after the last look at it, or right before the names are exchanged.
    using _fs = replacedFs(({ lstatSync }) => ({
      lstatSync: ((...args: Parameters<typeof lstatSync>) => {
        const stat = lstatSync(...args);
        if (String(args[0]) === path) save();
        return stat;
      }) as typeof lstatSync,
    }));
    const native = nativeFileSystem();
    const exchange = native?.renameExchange;
    const exchangeLate: typeof exchange = (from, to) => {
      save();
      return exchange!(from, to);
    };
    if (native && exchange) Object.assign(native, { renameExchange: exchangeLate });
    using _native = { [Symbol.dispose]: () => native && Object.assign(native, { renameExchange: exchange }) };
    const outcome = write(Buffer.from('restored'), { replace: true, replaced });
    expect(outcome?.failure).toEqual({ reason: 'target_unwritable', detail: 'EBUSY' });
    expect(readFileSync(path, 'utf8')).toBe('saved at the last moment');
    expect(readdirSync(folder)).toEqual(['file']);
  });

  test.runIf(process.platform === 'linux').each([
    { name: 'file', beside: 'file saved during restore' },
    // The longest name that a file may have.
    { name: 'n'.repeat(255), beside: 'Saved during restore' },
  ])('keeps what an application saves before and after the names are exchanged', ({ name, beside }) => {
    const path = join(folder, name);
    writeFileSync(path, 'kept');
    // Of an earlier restore.
    writeFileSync(join(folder, beside), 'earlier');
    const replaced = identityOf(statSync(path));
    const native = nativeFileSystem();
    const exchange = native?.renameExchange;
    let saves = 0;
    const exchangeLate: typeof exchange = (from, to) => {
      saves += 1;
      writeFileSync(join(folder, 'new'), `save ${saves}`);
      renameSync(join(folder, 'new'), path);
      return exchange!(from, to);
    };
    if (native && exchange) Object.assign(native, { renameExchange: exchangeLate });
    using _native = { [Symbol.dispose]: () => native && Object.assign(native, { renameExchange: exchange }) };
    const outcome = write(Buffer.from('restored'), { name, replace: true, replaced });
    expect(outcome?.failure).toEqual({ reason: 'target_unwritable', detail: 'EBUSY' });
    const contents = readdirSync(folder).map((each) => [each, readFileSync(join(folder, each), 'utf8')]);
    expect(Object.fromEntries(contents)).toEqual({
      [name]: 'save 1',
      [beside]: 'earlier',
      [`${beside} 2`]: 'save 2',
    });
  });

  test('replaces what was copied only if nothing was written to it since', () => {
    const path = join(folder, 'file');
    writeFileSync(path, 'kept');
    const versionNow = (): string => versionOf(statSync(path, { bigint: true }));
    const replaced = versionNow();
    // As an application that writes in place.
    writeFileSync(path, 'saved since then');
    const outcome = write(Buffer.from('restored'), { replace: true, replaced });
    expect(outcome?.failure).toEqual({ reason: 'target_unwritable', detail: 'EBUSY' });
    expect(readFileSync(path, 'utf8')).toBe('saved since then');
    expect(readdirSync(folder)).toEqual(['file']);
    expect(write(Buffer.from('restored'), { replace: true, replaced: versionNow() })).toBeNull();
    expect(readFileSync(path, 'utf8')).toBe('restored');
  });

  test('does not replace what got its name since the look', () => {
    writeFileSync(join(folder, 'file'), 'written by a person');
    const outcome = write(Buffer.from('restored'));
    expect(outcome?.failure).toEqual({ reason: 'target_unwritable', detail: 'EEXIST' });
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('written by a person');
    expect(readdirSync(folder)).toEqual(['file']);
  });

  test('replaces what has its name when that was chosen', () => {
    writeFileSync(join(folder, 'file'), 'old');
    expect(write(Buffer.from('restored'), { replace: true })).toBeNull();
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('restored');
  });

  test('is not put in place when its chunks have another size', () => {
    expect(write(Buffer.from('data'), { size: 5 })?.failure).toEqual({ reason: 'file_size_mismatch' });
    expect(readdirSync(folder)).toEqual([]);
  });
});
