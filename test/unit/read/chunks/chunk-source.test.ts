import { describe, expect, test } from 'vitest';
import { ChunkSource, type ChunkLocation } from '../../../../src/read/chunks/chunk-source.ts';
import type { WantedChunk } from '../../../../src/read/chunks/wanted-chunks.ts';
import { BlobArena } from '../../../../src/remote/blobs/blob-arena.ts';
import type { BlobDownloader } from '../../../../src/remote/ports.ts';

const HASH = `sha256:${'0'.repeat(64)}`;
const CHUNK: WantedChunk = { hash: HASH, mark: 0, size: 3, session: 's' };
const BLOB = Buffer.alloc(31);

interface Opened {
  readonly source: ChunkSource;
  readonly downloads: string[][];
}

function open(places: Map<string, ChunkLocation>): Opened {
  const downloads: string[][] = [];
  const downloader = {
    download: (_session, hashes, onBlob) => {
      downloads.push([...hashes]);
      for (const hash of hashes) void onBlob(hash, BLOB);
      return Promise.resolve();
    },
  } as Partial<BlobDownloader> as BlobDownloader;
  const local = { find: (hash: string) => places.get(hash), forget: (hash: string) => void places.delete(hash) };
  const source = new ChunkSource(downloader, new Set(), ({ target, ...at }) => ({ path: target, ...at }), local);
  return { source, downloads };
}

describe('a chunk of a file that existed before', () => {
  test('is read from the file, and fetched once the file turned out not to have it', async () => {
    const { source, downloads } = open(new Map([[HASH, { target: 'docs/a', offset: 7, length: 3 }]]));
    const arena = new BlobArena(1024);
    const first = await source.fetch([CHUNK], arena);
    expect(first.get(HASH)).toMatchObject({ input: { path: 'docs/a', offset: 7, length: 3 }, from: 'docs/a' });
    expect(downloads).toEqual([]);
    source.forgetUnopened([CHUNK], new Map([[HASH, 0]]), first);
    const second = await source.fetch([CHUNK], arena);
    expect(second.get(HASH)).toMatchObject({ input: BLOB });
    expect(downloads).toEqual([[HASH]]);
  });
});
