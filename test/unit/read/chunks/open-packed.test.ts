import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ChunkKeys } from '../../../../src/format/crypto/chunk-keys.ts';
import { openPackedChunk, PlaintextMemory, type OpenedChunk } from '../../../../src/read/chunks/open-packed.ts';
import { epochKeys } from '../../../helpers/epoch-keys.ts';

const CHUNK = Buffer.from('a chunk that the restore wrote');
const OFFSET = 7;

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-packed-'));
  path = join(folder, 'file');
  writeFileSync(path, Buffer.concat([Buffer.alloc(OFFSET), CHUNK, Buffer.from('rest')]));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function readBack(): OpenedChunk {
  const digest = createHash('sha256').update(CHUNK).digest();
  const memory = new PlaintextMemory();
  memory.reset(CHUNK.length);
  const written = { path, offset: OFFSET, length: CHUNK.length };
  return openPackedChunk(written, digest, new ChunkKeys(epochKeys(Buffer.alloc(32, 7))), memory);
}

describe('a chunk that is read back from the target', () => {
  test('is used when it is what was written', () => {
    expect(readBack()).toEqual(CHUNK);
  });

  test('counts as corrupt when somebody has changed the file', () => {
    writeFileSync(path, Buffer.alloc(OFFSET + CHUNK.length, 'x'));
    expect(readBack()).toBe('chunk_corrupt');
  });

  test('counts as corrupt when the file has become shorter', () => {
    writeFileSync(path, CHUNK);
    expect(readBack()).toBe('chunk_corrupt');
  });

  test('counts as corrupt when the file is gone', () => {
    rmSync(path);
    expect(readBack()).toBe('chunk_corrupt');
  });

  test('is not read through a link that took the place of the file', () => {
    const elsewhere = join(folder, 'elsewhere');
    writeFileSync(elsewhere, Buffer.concat([Buffer.alloc(OFFSET), CHUNK]));
    rmSync(path);
    symlinkSync(elsewhere, path);
    expect(readBack()).toBe('chunk_corrupt');
  });
});
