import { linkSync, lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { STAT_RECORD_BYTES } from '../../../src/engine/filesystem/stat-record.ts';
import type { ChunkFilesInput, ChunkFilesOutput } from '../../../src/engine/chunk/chunk-files.ts';
import { WorkerPool } from '../../../src/engine/workers/pool.ts';
import { RestoreWorld } from '../../helpers/memory-service/restore-world.ts';

const INODE = 3 * 8;
const DEVICE = 10 * 8;

/** A pool whose threads see the inode numbers of another file for certain names. */
class ConfusedPool extends WorkerPool {
  readonly #confused: (path: string) => { readonly inode: bigint; readonly device: bigint } | undefined;

  constructor(confused: (path: string) => { readonly inode: bigint; readonly device: bigint } | undefined) {
    super(1);
    this.#confused = confused;
  }

  override async run(...[name, input, transfer]: Parameters<WorkerPool['run']>): Promise<never> {
    const output = await super.run(name, input, transfer);
    if (name !== 'chunkFiles') return output as never;
    const stats = Buffer.from((output as ChunkFilesOutput).stats);
    for (const [index, path] of (input as ChunkFilesInput).paths.entries()) {
      const number = this.#confused(path);
      if (!number) continue;
      stats.writeBigInt64LE(number.inode, index * STAT_RECORD_BYTES + INODE);
      stats.writeBigInt64LE(number.device, index * STAT_RECORD_BYTES + DEVICE);
    }
    return { ...(output as ChunkFilesOutput), stats } as never;
  }
}

const plain = new WorkerPool(1);
let world: RestoreWorld;
beforeEach(() => {
  world = new RestoreWorld(plain);
});
afterEach(() => world[Symbol.dispose]());
afterAll(() => plain.close());

function pair(first: string, second: string, content: string): void {
  writeFileSync(join(world.source, first), content);
  linkSync(join(world.source, first), join(world.source, second));
}

const restored = (name: string): string => join(world.target, 'source', name);

/**
 * Device numbers are reassigned at boot, and unchanged entries keep those of an earlier scan. So files of two disks may
 * share their numbers in one backup.
 */
describe('restore of different files with equal inode numbers', () => {
  test('restores each with its own content and its own names', async () => {
    pair('a', 'b', 'of the first disk');
    pair('c', 'd', 'on the second one');
    const { ino: inode, dev: device } = lstatSync(join(world.source, 'a'), { bigint: true });
    await using pool = new ConfusedPool((path) => (/[cd]$/.test(path) ? { inode, device } : undefined));
    await world.backup({}, { pool });
    const report = await world.restore();
    expect(report).toMatchObject({ filesRestored: 4, failures: [] });
    const contents = ['a', 'b', 'c', 'd'].map((name) => readFileSync(restored(name), 'utf8'));
    expect(contents).toEqual(['of the first disk', 'of the first disk', 'on the second one', 'on the second one']);
    const inodes = ['a', 'b', 'c', 'd'].map((name) => lstatSync(restored(name)).ino);
    expect([inodes[0] === inodes[1], inodes[2] === inodes[3], inodes[0] === inodes[2]]).toEqual([true, true, false]);
  });
});
