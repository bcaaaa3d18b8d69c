import { hash } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import { formatChunkHash } from '../../../src/protocol/chunk-hash.ts';
import { KEYS_PATH, TREE_PATH } from '../../../src/protocol/path.ts';
import { comparePaths } from '../../../src/model/entry-path.ts';
import type { RestoreFileEntry } from '../../../src/protocol/restore.ts';
import { formatTimestamp, millisecondsOf } from '../../../src/protocol/timestamp.ts';
import { sealChunk } from '../../../src/format/crypto/blob.ts';
import { ChunkKeys, ENVELOPE_CHUNK_KEY } from '../../../src/format/crypto/chunk-keys.ts';
import { CHUNK_RECORD_BYTES, writeChunkRecord } from '../../../src/format/chunks/chunk-list.ts';
import { createEnvelope } from '../../../src/format/crypto/key-envelope.ts';
import { deriveKeys, keyRingOf, type KeyRing, type MasterKey } from '../../../src/format/crypto/keys.ts';
import { newDeviceKey } from '../../../src/format/crypto/device-key.ts';
import { sealRing } from '../../../src/format/crypto/rotation.ts';
import { PathNames } from '../../../src/format/crypto/path-names.ts';
import type { TreeFooter, TreeRecord } from '../../../src/format/tree/record.ts';
import { TreeWriter } from '../../../src/format/tree/tree-writer.ts';

/** A record, which has no chunks yet, with the content of its file. */
export interface SampleEntry {
  readonly record: TreeRecord;
  readonly content?: Uint8Array;
}

export interface SealedSet {
  /** In the order of a restore manifest: the files, then the reserved entries. */
  readonly files: readonly RestoreFileEntry[];
  /** Sealed blobs by the hex digest of their chunk. */
  readonly blobs: ReadonlyMap<string, Buffer>;
  readonly treeHash: string;
  /** The records as they are in the tree. */
  readonly records: readonly TreeRecord[];
}

const CHUNK_BYTES = 64 * 1024;

/** Seals a whole backup set in memory, without a service and without the backup pipeline. */
export async function sealSet(
  key: MasterKey | KeyRing,
  entries: readonly SampleEntry[],
  footer: TreeFooter,
  passphrase?: string,
): Promise<SealedSet> {
  const ring = keyRingOf(key);
  const keys = deriveKeys(ring);
  const chunkKeys = new ChunkKeys(keys.chunk);
  const pathNames = new PathNames(keys.path);
  const blobs = new Map<string, Buffer>();
  const seal = (plaintext: Uint8Array, own?: Uint8Array, frame?: Uint8Array): string => {
    const digest = hash('sha256', plaintext, 'buffer');
    blobs.set(digest.toString('hex'), sealChunk(own ?? chunkKeys.keyOf(digest), plaintext, undefined, frame));
    return formatChunkHash(digest.toString('hex'));
  };

  const files: RestoreFileEntry[] = [];
  const records = entries.map(({ record, content }) => {
    if (record.type !== 'file' || !content) return record;
    const path = footer.privateNames ? pathNames.sealPath(record.path) : record.path;
    const modified = formatTimestamp(millisecondsOf(record.mtimeNs));
    const parts = cut(content);
    files.push({
      path,
      size: content.length,
      modified,
      chunks: parts.map((part) => seal(part, undefined, frameOf(part))),
    });
    return { ...record, chunks: chunkListOf(parts) };
  });
  const chunks: Buffer[] = [];
  const writer = new TreeWriter(keys.tree, { onChunk: (chunk) => chunks.push(chunk.plaintext) });
  for (const record of records) writer.write(record);
  const { treeHash } = writer.finish(footer);
  files.sort((a, b) => comparePaths(a.path, b.path));
  const envelope = ring.length === 1 ? await createEnvelope(ring[0].master, { passphrase }) : rotatedEnvelope(ring);
  files.push(
    reservedEntry(KEYS_PATH, [envelope], (chunk) => seal(chunk, ENVELOPE_CHUNK_KEY)),
    reservedEntry(TREE_PATH, chunks, seal),
  );
  return { files, blobs, treeHash, records };
}

/** The envelope of a key that replaced others, for one device. */
function rotatedEnvelope(ring: KeyRing): Buffer {
  const membership = { author: newDeviceKey(), members: [], revoked: [], writers: new Map() };
  return sealRing(ring, undefined, membership, { since: 1_767_225_600_000 });
}

function reservedEntry(path: string, chunks: readonly Buffer[], seal: (chunk: Uint8Array) => string): RestoreFileEntry {
  const size = chunks.reduce((total, chunk) => total + chunk.length, 0);
  return { path, size, modified: '2026-01-01T00:00:00.000Z', chunks: chunks.map((chunk) => seal(chunk)) };
}

/** The chunk list of a file with these chunks. */
export function chunkListOf(parts: readonly Uint8Array[]): Buffer {
  const list = Buffer.alloc(parts.length * CHUNK_RECORD_BYTES);
  for (const [index, part] of parts.entries())
    writeChunkRecord(list, index, hash('sha256', part, 'buffer'), part.length);
  return list;
}

function cut(content: Uint8Array): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let start = 0; start < content.length; start += CHUNK_BYTES) {
    chunks.push(content.subarray(start, start + CHUNK_BYTES));
  }
  return chunks;
}

/** A frame if that is smaller, as chunks of files may be sealed. */
function frameOf(chunk: Uint8Array): Uint8Array | undefined {
  const frame = zstdCompressSync(chunk);
  return frame.length < chunk.length ? frame : undefined;
}
