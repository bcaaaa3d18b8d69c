import { createHash } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { CHUNK_RECORD_BYTES, writeChunkRecord } from '../../../src/format/chunks/chunk-list.ts';
import { DigestSet } from '../../../src/format/chunks/digest-set.ts';
import { transferChunks, UNKNOWN_SIZE } from '../../../src/copy/transfer-chunks.ts';
import { sealChunk } from '../../../src/format/crypto/blob.ts';
import { ChunkKeys } from '../../../src/format/crypto/chunk-keys.ts';
import type { BlobDownloader, BlobUploader } from '../../../src/remote/ports.ts';
import { WorkerPool } from '../../../src/workers/pool.ts';
import { InstantClock } from '../../unit/remote/instant-clock.ts';
import { epochKeys } from '../../helpers/epoch-keys.ts';

const CHUNK_SUB_KEYS = epochKeys(Buffer.alloc(32, 7));

const pool = new WorkerPool(1);
afterAll(() => pool.close());

function chunkOf(text: string) {
  const digest = createHash('sha256').update(text).digest();
  const blob = sealChunk(new ChunkKeys(CHUNK_SUB_KEYS).keyOf(digest), Buffer.from(text));
  return { digest, hash: `sha256:${digest.toString('hex')}`, size: text.length, blob };
}

/** Copies two chunks. @param change what the source has of the second one, and the size that the list states */
async function copy(change: { blob?: Buffer | undefined; size?: number } = {}) {
  const good = chunkOf('good');
  const other = { ...chunkOf('other'), ...change };
  const list = Buffer.alloc(2 * CHUNK_RECORD_BYTES);
  writeChunkRecord(list, 0, good.digest, good.size);
  writeChunkRecord(list, 1, other.digest, other.size);
  const blobs = new Map([good, other].map(({ hash, blob }) => [hash, blob]));
  const sent: string[] = [];
  const downloader: BlobDownloader = {
    concurrency: 1,
    download: (_session, hashes, onBlob) => {
      for (const hash of hashes) void onBlob(hash, blobs.get(hash));
      return Promise.resolve();
    },
  };
  const uploader: BlobUploader = {
    concurrency: 1,
    upload: (_session, uploaded) => {
      sent.push(...uploaded.map(({ hash }) => hash));
      return Promise.resolve({ blobs: uploaded.length, bytes: 0, plaintextBytes: 0 });
    },
  };
  const transfer = { lists: [list], pieces: new DigestSet(), restoreSession: 'from', session: 'to' };
  const clock = new InstantClock();
  const parts = { downloader, uploader, pool, chunkSubKeys: CHUNK_SUB_KEYS, form: 'packed' as const, clock };
  const lost = await transferChunks(transfer, { ...parts, onCopied: () => undefined, signal: undefined });
  return { lost: [...lost], sent, good: good.hash, other: other.hash };
}

describe('a chunk is copied', () => {
  test('as it is when it opens', async () => {
    const { lost, sent, good, other } = await copy();
    expect(lost).toEqual([]);
    expect(sent.sort()).toEqual([good, other].sort());
  });

  test('whatever size it has, if only a service states one', async () => {
    const { lost, sent, good, other } = await copy({ size: UNKNOWN_SIZE });
    expect(lost).toEqual([]);
    expect(sent.sort()).toEqual([good, other].sort());
  });

  test.each([
    ['it does not open', { blob: Buffer.alloc(60, 1) }, 'chunk_tampered'],
    ['it is another one', { blob: chunkOf('good').blob }, 'chunk_tampered'],
    ['it is missing', { blob: undefined }, 'chunk_missing'],
    ['it has another size than the list states', { size: 6 }, 'chunk_corrupt'],
  ])('not when %s', async (_name, change, reason) => {
    const { lost, sent, good, other } = await copy(change);
    expect(lost).toEqual([[other, reason]]);
    expect(sent).toEqual([good]);
  });
});
