import { createDecipheriv, hash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { WorkerPool } from '../../../src/workers/pool.ts';
import { ChunkKeys } from '../../../src/format/crypto/chunk-keys.ts';
import { entryPathOf } from '../../../src/os/filesystem/names/entry-path.ts';
import { loadedLibraries } from '../../helpers/loaded-libraries.ts';
import { epochKeys } from '../../helpers/epoch-keys.ts';

const SUB_KEYS = epochKeys(new Uint8Array(32).fill(7));
const CONTENT = Buffer.from('what is sealed');

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-pool-'));
  writeFileSync(join(folder, 'file'), CONTENT);
});
afterEach(() => rmSync(folder, { recursive: true }));

function sealing() {
  return {
    chunkSubKeys: SUB_KEYS,
    sources: [{ path: entryPathOf(join(folder, 'file')), offset: 0, size: CONTENT.length, kind: 'data' as const }],
    digests: new Uint8Array(hash('sha256', CONTENT, 'buffer')),
    compression: 'off' as const,
    memory: new SharedArrayBuffer(4096),
  };
}

/** IV (12), ciphertext, tag (16): docs/format.md. */
function opened(blob: Uint8Array): Buffer {
  const { key } = new ChunkKeys(SUB_KEYS).keyOf(hash('sha256', CONTENT, 'buffer'));
  const decipher = createDecipheriv('aes-256-gcm', key, blob.subarray(0, 12), { authTagLength: 16 });
  decipher.setAuthTag(blob.subarray(-16));
  return Buffer.concat([decipher.update(blob.subarray(12, -16)), decipher.final()]);
}

describe('WorkerPool.runSmall', () => {
  test('returns the same as a thread, before and after one was started', async () => {
    await using pool = new WorkerPool(1);
    const alone = await pool.runSmall('sealChunks', sealing());
    const inThread = await pool.run('sealChunks', sealing());
    const beside = await pool.runSmall('sealChunks', sealing());
    for (const { blobs, lengths, failures } of [alone, inThread, beside]) {
      expect(failures).toEqual([]);
      expect([...lengths]).toEqual([blobs.length]);
      expect(opened(blobs)).toEqual(CONTENT);
    }
  });

  test('fails like a thread', async () => {
    await using pool = new WorkerPool(1);
    const input = { ...sealing(), memory: new SharedArrayBuffer(4) };
    await expect(pool.runSmall('sealChunks', input)).rejects.toThrow('needs more room');
    await expect(pool.run('sealChunks', input)).rejects.toThrow('needs more room');
  });

  test('rejects when the pool is closed', async () => {
    const pool = new WorkerPool(1);
    await pool.close();
    await expect(pool.runSmall('sealChunks', sealing())).rejects.toThrow('closed');
  });
});

describe('the start of a thread', () => {
  test('loads no schemas', () => {
    const module = new URL('../../../src/workers/pool.ts', import.meta.url).href;
    const program = join(folder, 'program.mjs');
    writeFileSync(
      program,
      `import { WorkerPool } from '${module}';
       const pool = new WorkerPool(1);
       await pool.run('chunkFiles', { paths: [], offset: 0, limit: 1 });
       await pool.close();`,
    );
    expect(loadedLibraries([program], {})).not.toContain('zod');
  });
});

describe('the number of threads', () => {
  const started = vi.fn();
  beforeEach(() => void process.on('worker', started));
  afterEach(() => {
    process.off('worker', started);
    started.mockReset();
  });

  test('is one for two tasks, and all for more', async () => {
    await using pool = new WorkerPool(2);
    const seal = () => pool.run('sealChunks', sealing());
    await Promise.all([seal(), seal()]);
    expect(started).toHaveBeenCalledTimes(1);
    await Promise.all([seal(), seal(), seal()]);
    expect(started).toHaveBeenCalledTimes(2);
    await Promise.all(Array.from({ length: 9 }, seal));
    expect(started).toHaveBeenCalledTimes(2);
  });

  test('is one when the pool is started before its tasks', async () => {
    await using pool = new WorkerPool(2);
    pool.start();
    pool.start();
    await setImmediate();
    expect(started).toHaveBeenCalledTimes(1);
    await pool.run('sealChunks', sealing());
    expect(started).toHaveBeenCalledTimes(1);
  });
});
