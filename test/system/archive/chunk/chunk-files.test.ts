import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { packedStat, hasSameSignature, unpackStat } from '../../../../src/os/filesystem/stat-record.ts';
import { chunkCount, hexDigestAt, sizeAt } from '../../../../src/format/chunks/chunk-list.ts';
import { CHANGED, chunkFiles, FAILED, GROWN, READ, UNFINISHED } from '../../../../src/archive/chunk/chunk-files.ts';
import { MAX_CHUNK, MIN_CHUNK } from '../../../../src/archive/chunk/cut/fastcdc.ts';
import { seededBytes } from '../../../helpers/seeded-bytes.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-chunk-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const WHOLE = Number.MAX_SAFE_INTEGER;

function file(name: string, content: Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  utimesSync(path, 1000, 1000);
  return path;
}

function listOf(output: ReturnType<typeof chunkFiles>['value']): { hash: string; size: number }[] {
  const list = Buffer.from(output.chunks);
  return Array.from({ length: chunkCount(list) }, (_, index) => ({
    hash: hexDigestAt(list, index),
    size: sizeAt(list, index),
  }));
}

describe('reading files', () => {
  test('returns chunks whose digests match sha256sum and whose sizes sum to the file size', () => {
    const path = file('large', seededBytes(11_000_000, 1));
    const { value } = chunkFiles({ paths: [path], offset: 0, limit: WHOLE });
    const chunks = listOf(value);
    expect(value.states[0]).toBe(READ);
    expect(chunks.reduce((sum, chunk) => sum + chunk.size, 0)).toBe(11_000_000);
    let offset = 0;
    for (const [index, chunk] of chunks.entries()) {
      if (index < chunks.length - 1) expect(chunk.size).toBeGreaterThanOrEqual(MIN_CHUNK);
      expect(chunk.size).toBeLessThanOrEqual(MAX_CHUNK);
      const cut = spawnSync('sh', ['-c', `tail -c +${offset + 1} "$0" | head -c ${chunk.size} | sha256sum`, path]);
      expect(cut.stdout.toString().slice(0, 64)).toBe(chunk.hash);
      offset += chunk.size;
    }
  });

  test('returns the same chunks in parts as in one task', () => {
    const path = file('large', seededBytes(20_000_000, 2));
    const whole = listOf(chunkFiles({ paths: [path], offset: 0, limit: WHOLE }).value);
    const parts: { hash: string; size: number }[] = [];
    let offset = 0;
    let stat: Uint8Array | undefined;
    let state = UNFINISHED;
    while (state === UNFINISHED) {
      const { value } = chunkFiles({ paths: [path], offset, limit: 3_000_000, ...(stat ? { stat } : {}) });
      state = value.states[0]!;
      stat = value.stats;
      parts.push(...listOf(value));
      offset = parts.reduce((sum, chunk) => sum + chunk.size, 0);
    }
    expect(state).toBe(READ);
    expect(parts).toEqual(whole);
  });

  test('reads many files at once, an empty one without chunks and a small one as one chunk', () => {
    const content = seededBytes(1000, 3);
    const paths = [
      file('empty', Buffer.alloc(0)),
      file('small', content),
      join(folder, 'missing'),
      file('other', content),
    ];
    const { value } = chunkFiles({ paths, offset: 0, limit: WHOLE });
    expect([...value.states]).toEqual([READ, READ, FAILED, READ]);
    expect([...value.counts]).toEqual([0, 1, 0, 1]);
    expect(value.failures).toEqual([[2, 'ENOENT']]);
    const hash = createHash('sha256').update(content).digest('hex');
    expect(listOf(value)).toEqual([
      { hash, size: 1000 },
      { hash, size: 1000 },
    ]);
  });

  test('opens neither symlinks nor FIFOs, even in the place of a file', () => {
    symlinkSync('/etc/passwd', join(folder, 'link'));
    spawnSync('mkfifo', [join(folder, 'pipe')]);
    const { value } = chunkFiles({ paths: [join(folder, 'link'), join(folder, 'pipe')], offset: 0, limit: WHOLE });
    expect(value.failures).toEqual([
      [0, 'ELOOP'],
      [1, 'ENOTREG'],
    ]);
  });

  test('reports a file that changed between two parts', () => {
    const path = file('large', seededBytes(9_000_000, 4));
    const first = chunkFiles({ paths: [path], offset: 0, limit: 2_000_000 }).value;
    expect(first.states[0]).toBe(UNFINISHED);
    appendFileSync(path, 'more');
    const offset = listOf(first).reduce((sum, chunk) => sum + chunk.size, 0);
    const second = chunkFiles({ paths: [path], offset, limit: WHOLE, stat: first.stats }).value;
    expect(second.states[0]).toBe(CHANGED);
  });

  test('reads a file that grew between two parts up to its first size when it may grow', () => {
    const content = seededBytes(9_000_000, 4);
    const path = file('large', content);
    const first = chunkFiles({ paths: [path], offset: 0, limit: 2_000_000 }).value;
    appendFileSync(path, 'more');
    const part = { paths: [path], limit: 2_000_000, stat: first.stats, mayGrow: true };
    const outputs = [first];
    const offset = (): number => outputs.flatMap(listOf).reduce((sum, chunk) => sum + chunk.size, 0);
    do outputs.push(chunkFiles({ ...part, offset: offset() }).value);
    while (outputs.at(-1)!.states[0] === UNFINISHED);
    expect(outputs.at(-1)!.states[0]).toBe(GROWN);
    expect(outputs.flatMap(listOf)).toEqual(
      listOf(chunkFiles({ paths: [file('copy', content)], offset: 0, limit: WHOLE }).value),
    );
    // The next run reads it again.
    const { stats } = outputs.at(-1)!;
    expect(unpackStat(Buffer.from(stats)).size).toBe(content.length);
    expect(hasSameSignature(stats, packedStat(lstatSync(path, { bigint: true })))).toBe(false);
  });

  test.each([
    ['became shorter', (path: string) => truncateSync(path, 8_000_000)],
    ['was written anew', (path: string) => writeFileSync(path, seededBytes(9_000_000, 5))],
    [
      'was replaced',
      (path: string) => {
        renameSync(path, `${path}-old`);
        writeFileSync(path, seededBytes(9_000_001, 4));
      },
    ],
  ])('reports a file that %s between two parts although it may grow', (_what, change) => {
    const path = file('large', seededBytes(9_000_000, 4));
    const first = chunkFiles({ paths: [path], offset: 0, limit: 2_000_000 }).value;
    const offset = listOf(first).reduce((sum, chunk) => sum + chunk.size, 0);
    change(path);
    const second = chunkFiles({ paths: [path], offset, limit: WHOLE, stat: first.stats, mayGrow: true }).value;
    expect(second.states[0]).toBe(CHANGED);
  });

  test('marks the stat of a file that was written just now as unreliable', () => {
    const path = join(folder, 'fresh');
    writeFileSync(path, 'fresh');
    // However long this process waits for a processor.
    const now = vi.spyOn(Date, 'now').mockReturnValue(Math.ceil(lstatSync(path).ctimeMs));
    onTestFinished(() => now.mockRestore());
    const { value } = chunkFiles({ paths: [path], offset: 0, limit: WHOLE });
    expect(hasSameSignature(value.stats, packedStat(lstatSync(path, { bigint: true })))).toBe(false);
    expect(unpackStat(Buffer.from(value.stats)).size).toBe(readFileSync(path).length);
  });
});
