import { chmodSync, linkSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { STAT_RECORD_BYTES } from '../../../src/os/filesystem/stat-record.ts';
import type { ChunkFilesInput, ChunkFilesOutput } from '../../../src/archive/chunk/chunk-files.ts';
import { WorkerPool } from '../../../src/workers/pool.ts';
import { nativeFileSystem } from '../../../src/os/filesystem/native.ts';
import { replacedFs } from '../../helpers/replaced-fs.ts';
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

describe('a file system that allows no further link', () => {
  const refusing = (): Disposable =>
    replacedFs(() => ({
      linkSync: () => {
        throw Object.assign(new Error('EMLINK: too many links'), { code: 'EMLINK' });
      },
    }));

  test('gets a copy for each further name, which the report counts and names', async () => {
    pair('one', 'two', '0123456789');
    await world.backup();
    using _fs = refusing();
    const report = await world.restore();
    expect(report).toMatchObject({ filesRestored: 2, failures: [], bytesWritten: 20, notes: ['links-copied'] });
    expect(['one', 'two'].map((name) => readFileSync(restored(name), 'utf8'))).toEqual(['0123456789', '0123456789']);
    expect(lstatSync(restored('two')).ino).not.toBe(lstatSync(restored('one')).ino);
  });

  test('is not named where every link could be made', async () => {
    pair('one', 'two', '0123456789');
    await world.backup();
    const report = await world.restore();
    expect(report).toMatchObject({ filesRestored: 2, bytesWritten: 10, notes: [] });
    expect(lstatSync(restored('two')).ino).toBe(lstatSync(restored('one')).ino);
  });
});

describe('a further name of a file in its original place', () => {
  const own = (name: string): string => join(world.source, name);
  const request = { to: null, conflict: 'overwrite' } as const;

  beforeEach(async () => {
    pair('one', 'two', 'backed up');
    await world.backup();
    for (const name of ['one', 'two']) {
      rmSync(own(name));
      writeFileSync(own(name), `my ${name}`);
    }
  });

  test('replaces what has its name, which is kept', async () => {
    const report = await world.restore(request);
    expect(report).toMatchObject({ filesRestored: 2, failuresTotal: 0 });
    expect(lstatSync(own('two')).ino).toBe(lstatSync(own('one')).ino);
    expect(readFileSync(own('two'), 'utf8')).toBe('backed up');
    const kept = readdirSync(report.keptIn[0]!, { recursive: true, encoding: 'utf8' });
    expect(kept.filter((path) => path.endsWith('two'))).toHaveLength(1);
  });

  test('replaces what is read-only and has its name, and keeps it read-only', async () => {
    for (const name of ['one', 'two']) chmodSync(own(name), 0o444);
    const report = await world.restore(request);
    expect(report).toMatchObject({ filesRestored: 2, failures: [] });
    expect(['one', 'two'].map((name) => readFileSync(own(name), 'utf8'))).toEqual(['backed up', 'backed up']);
    const names = readdirSync(report.keptIn[0]!, { recursive: true, encoding: 'utf8' });
    const kept = names.map((name) => join(report.keptIn[0]!, name)).filter((path) => /[\\/](?:one|two)$/.test(path));
    expect(kept.map((path) => readFileSync(path, 'utf8')).toSorted()).toEqual(['my one', 'my two']);
    expect(kept.map((path) => lstatSync(path).mode & 0o222)).toEqual([0, 0]);
  });

  // With and without a call that exchanges two names.
  test.each([true, false])(
    'does not replace what an application saved meanwhile (exchange: %s)',
    async (canExchange) => {
      const native = nativeFileSystem();
      const before = native?.renameExchange;
      if (native && !canExchange) Object.assign(native, { renameExchange: undefined });
      writeFileSync(own('new'), 'saved');
      // Between keeping the version before and the new name.
      using _fs = replacedFs((original) => ({
        linkSync: (from, to) => {
          original.linkSync(from, to);
          if (String(to).includes('.holdfast-partial')) original.renameSync(own('new'), own('two'));
        },
      }));
      try {
        const report = await world.restore(request);
        expect(report.failures).toMatchObject([{ path: own('two'), reason: 'target_unwritable', detail: 'EBUSY' }]);
      } finally {
        if (native) Object.assign(native, { renameExchange: before });
      }
      expect(readFileSync(own('two'), 'utf8')).toBe('saved');
      expect(readdirSync(world.source).filter((name) => name.startsWith('.'))).toEqual([]);
    },
  );
});
