import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { chunkCount, hexDigestAt } from '../../../src/format/chunks/chunk-list.ts';
import { openBlob } from '../../../src/format/crypto/blob.ts';
import { ChunkKeys, ENVELOPE_CHUNK_KEY } from '../../../src/format/crypto/chunk-keys.ts';
import { envelopeFits, isSealedBy, readEnvelope, ringOf } from '../../../src/format/crypto/key-envelope.ts';
import { openOneOf } from '../../../src/format/crypto/open-envelope.ts';
import { deriveKeys, type KeyRing } from '../../../src/format/crypto/keys.ts';
import { PathNames } from '../../../src/format/crypto/path-names.ts';
import { masterKeyOf } from '../../../src/format/crypto/recovery-phrase.ts';
import { readFooter } from '../../../src/format/tree/footer.ts';
import type { FileRecord, TreeRecord } from '../../../src/format/tree/record.ts';
import { TreeReader } from '../../../src/format/tree/tree-reader.ts';
import { formatChunkHash, hexDigestOf } from '../../../src/protocol/chunk-hash.ts';
import { isReservedPath, KEYS_PATH, TREE_PATH } from '../../../src/protocol/path.ts';
import { restoreFileEntry, type RestoreFileEntry } from '../../../src/protocol/restore.ts';
import { SAMPLE_ENTRIES } from './sample-set.ts';

const FOLDER = path.join(import.meta.dirname, '../../fixtures/format-1');

const textOf = (name: string): string => readFileSync(path.join(FOLDER, name), 'utf8').trimEnd();
const firstMaster = masterKeyOf(textOf('first-phrase'));
const keys = deriveKeys(ringOfSample());
const chunkKeys = new ChunkKeys(keys.chunk);

/** The newest phrase and envelope open the keys of all epochs. */
function ringOfSample(): KeyRing {
  const { envelope } = manifest('manifest-private.json');
  const read = readEnvelope(Buffer.concat(envelope.chunks.map((hash) => publicChunk(hash))));
  const master = masterKeyOf(textOf('phrase'));
  expect(isSealedBy(read, master)).toBe(true);
  return ringOf(read, master);
}

/** A key envelope, before any key is known. */
function publicChunk(hash: string): Buffer {
  const blob = readFileSync(path.join(FOLDER, 'blobs', hexDigestOf(hash)));
  return openBlob(ENVELOPE_CHUNK_KEY, blob, Buffer.from(hexDigestOf(hash), 'hex'));
}

function chunk(hash: string): Buffer {
  const blob = readFileSync(path.join(FOLDER, 'blobs', hexDigestOf(hash)));
  return chunkKeys.open(blob, Buffer.from(hexDigestOf(hash), 'hex'));
}

function manifest(name: string): { files: RestoreFileEntry[]; tree: RestoreFileEntry; envelope: RestoreFileEntry } {
  const all = (JSON.parse(textOf(name)) as { files: unknown[] }).files.map((entry) => restoreFileEntry.parse(entry));
  const find = (wanted: string): RestoreFileEntry => all.find((entry) => entry.path === wanted)!;
  return {
    files: all.filter((entry) => !isReservedPath(entry.path)),
    tree: find(TREE_PATH),
    envelope: find(KEYS_PATH),
  };
}

describe.each([
  ['manifest.json', false],
  ['manifest-private.json', true],
])('the frozen sample of format 1 (%s)', (name, privateNames) => {
  const { files, tree, envelope } = manifest(name);

  const footer = readFooter(chunk(tree.chunks.at(-1)!), keys.tree);
  const reader = new TreeReader(footer);
  const hashesOf = (list: Buffer): string[] =>
    Array.from({ length: chunkCount(list) }, (_, index) => formatChunkHash(hexDigestAt(list, index)));
  const records: readonly TreeRecord[] = footer.pieces.flatMap(({ chunks }, index) => {
    const { records: some, refused } = reader.read(
      index,
      hashesOf(chunks).map((hash) => chunk(hash)),
    );
    expect(refused).toEqual([]);
    return some;
  });

  test('has a tree with the original records', () => {
    expect(footer.pieces.flatMap(({ chunks }) => hashesOf(chunks))).toEqual(tree.chunks.slice(0, -1));
    expect(plain(records)).toEqual(plain(SAMPLE_ENTRIES.map((entry) => entry.record)));
    expect(footer).toMatchObject({
      created: 1_767_225_600_000,
      roots: ['/home/anna'],
      warnings: [{ path: '/home/anna/socket', reason: 'special-file' }],
      warningsTotal: 1,
      epoch: privateNames ? 2 : 1,
      deviceId: 'device-1',
      backupSet: 'sample',
      privateNames,
      sequence: privateNames ? 2 : 1,
      previousTree: privateNames ? 'ab'.repeat(32) : undefined,
    });
  });

  test('has the chunks of each file in its record', () => {
    const isFile = (record: TreeRecord): record is FileRecord => record.type === 'file';
    const listed = new Map(records.filter(isFile).map((file) => [file.path, hashesOf(file.chunks)]));
    const names = new PathNames(keys.path);
    const sent = new Map(
      files.map((file) => [privateNames ? names.openPath(file.path) : file.path, file.chunks] as const),
    );
    expect(listed).toEqual(sent);
  });

  test('has files with the original contents', () => {
    const names = new PathNames(keys.path);
    const contents = files.map((file) => {
      const clear = privateNames ? names.openPath(file.path) : file.path;
      return [clear, Buffer.concat(file.chunks.map((hash) => chunk(hash))).toString('hex')] as const;
    });
    const expected = SAMPLE_ENTRIES.flatMap(({ record, content }) =>
      content ? [[record.path, Buffer.from(content).toString('hex')] as const] : [],
    );
    expect(new Map(contents)).toEqual(new Map(expected));
  });

  test('has the key envelope of its account', () => {
    const read = readEnvelope(Buffer.concat(envelope.chunks.map((hash) => publicChunk(hash))));
    expect(envelopeFits(read, keys)).toBe(true);
  });
});

test('the key envelope of the frozen sample opens with its passphrase', { timeout: 120_000 }, async () => {
  const { envelope } = manifest('manifest.json');
  const read = readEnvelope(Buffer.concat(envelope.chunks.map((hash) => publicChunk(hash))));
  const { master } = await openOneOf([{ envelope: read }], textOf('passphrase'));
  expect(Buffer.from(master).equals(firstMaster)).toBe(true);
});

/** Replaces byte arrays of either class by hex, for comparisons, and leaves out chunks. */
function plain(records: readonly TreeRecord[]): unknown[] {
  return records.map((record) => ({
    ...record,
    chunks: undefined,
    xattrs:
      record.xattrs &&
      Object.fromEntries(
        Object.entries(record.xattrs).map(([name, value]) => [name, Buffer.from(value).toString('hex')]),
      ),
  }));
}
