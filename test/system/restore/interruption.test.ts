import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HoldfastError } from '../../../src/base/errors/errors.ts';
import type { RestoreProgress } from '../../../src/jobs/progress.ts';
import type { LocalRestoreRequest } from '../../../src/restore/types.ts';
import { WorkerPool } from '../../../src/workers/pool.ts';
import { killAtDownload, startRestore } from '../../helpers/memory-service/child-process.ts';
import { RestoreWorld } from '../../helpers/memory-service/restore-world.ts';
import { InstantClock } from '../../unit/remote/instant-clock.ts';
import { compareTrees } from '../../helpers/tree/compare.ts';

const FOLDERS = 12;
const FILES_IN_EACH = 100;

const pool = new WorkerPool(2);
let world: RestoreWorld;

/** A few batches of small files, and a large file in the middle. */
beforeEach(async () => {
  world = new RestoreWorld(pool);
  for (let folder = 0; folder < FOLDERS; folder += 1) {
    const path = join(world.source, `folder ${String(folder).padStart(2, '0')}`);
    mkdirSync(path);
    for (let file = 0; file < FILES_IN_EACH; file += 1) writeFileSync(join(path, `file ${file}`), `${folder} ${file}`);
    chmodSync(path, folder % 2 === 0 ? 0o555 : 0o750);
  }
  writeFileSync(join(world.source, 'folder 05.large'), Buffer.alloc(12 * 2 ** 20, 'large '));
  await world.backup();
});
afterEach(() => world[Symbol.dispose]());
afterAll(() => pool.close());

function partials(): string[] {
  return readdirSync(world.target, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.holdfast-'));
}

async function expectRestored(): Promise<void> {
  expect(await compareTrees(world.source, join(world.target, 'source'))).toEqual([]);
  expect(partials()).toEqual([]);
  expect(readdirSync(join(world.folder, 'scratch')).filter((name) => name.startsWith('restore-'))).toEqual([]);
}

/** Runs a restore that is aborted when some of its files are done. */
async function interrupted(request: Partial<LocalRestoreRequest> = {}): Promise<void> {
  const controller = new AbortController();
  // The clock advances with each reading, so that all progress is reported.
  let time = world.clock.now();
  const clock = new InstantClock(() => (time += 200));
  const onProgress = (progress: RestoreProgress): void => {
    if (progress.filesDone > 0) controller.abort(new Error('Ctrl-C'));
  };
  const options = { signal: controller.signal, onProgress, dependencies: { clock } };
  await expect(world.restore(request, options)).rejects.toMatchObject({ code: 'interrupted' });
}

describe('an interrupted restore', () => {
  test('leaves no incomplete file and resumes after Ctrl-C', async () => {
    await interrupted();
    expect(partials()).toEqual([]);
    const again = await world.restore();
    expect(again).toMatchObject({ failures: [], conflicts: [], filesRestored: FOLDERS * FILES_IN_EACH + 1 });
    expect(again.filesResumed).toBeGreaterThan(0);
    await expectRestored();
  });

  test('resumes without downloading anything twice after a service failure', async () => {
    let calls = 0;
    world.service.beforeDownload = () => {
      calls += 1;
      if (calls === 4) throw new HoldfastError('service_unreachable', { address: 'test' }, { retryable: true });
    };
    await expect(world.restore()).rejects.toMatchObject({ code: 'service_unreachable' });
    const done = readdirSync(join(world.target, 'source'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      statSync(join(world.target, 'source', name)).isFile(),
    );
    world.service.beforeDownload = undefined;
    world.service.downloads.splice(0);
    const again = await world.restore();
    expect(again).toMatchObject({ filesResumed: done.length, failures: [] });
    const tree = world.service.points[0]!.files.find((file) => file.path === '/.holdfast/tree')!.chunks.length;
    const left = new Set(
      world.service.points[0]!.files.filter((file) => file.path.startsWith(world.source))
        .filter((file) => !done.includes(file.path.slice(world.source.length + 1)))
        .flatMap((file) => file.chunks),
    );
    expect(world.service.downloads).toHaveLength(tree + left.size);
    await expectRestored();
  });

  test.each([
    ['EIO', 'target_unwritable'],
    ['ENOSPC', 'target_full'],
  ])('fails and resumes when the disk cannot be synced (%s)', async (word, code) => {
    const asked: string[] = [];
    const failing = Object.create(pool) as WorkerPool;
    failing.run = ((name: 'syncTarget', input: { path: string }, transfer?: readonly ArrayBuffer[]) => {
      if (name !== 'syncTarget') return pool.run(name, input as never, transfer);
      asked.push(input.path);
      return Promise.resolve(word);
    }) as WorkerPool['run'];
    await expect(world.restore({}, { dependencies: { pool: failing } })).rejects.toMatchObject({ code });
    expect(asked).toEqual([world.target]);
    const again = await world.restore();
    expect(again).toMatchObject({ failures: [], filesResumed: FOLDERS * FILES_IN_EACH + 1 });
    await expectRestored();
  });

  test('replaces its incomplete files when its journal is lost', async () => {
    await interrupted();
    const scratch = join(world.folder, 'scratch');
    const journal = readdirSync(scratch).find((name) => name.endsWith('.sqlite'))!;
    const id = /^restore-\d+-(.*)\.sqlite$/.exec(journal)![1]!;
    rmSync(join(scratch, journal));
    // As a run leaves them that was killed.
    for (let entry = 0; entry < 2 * FOLDERS * FILES_IN_EACH; entry += 1) {
      writeFileSync(join(world.target, 'source', `.holdfast-partial-${id}-${entry}`), 'incomplete');
    }
    rmSync(join(world.target, 'source', 'folder 05.large'), { force: true });
    expect(await world.restore({ conflict: 'overwrite' })).toMatchObject({ failures: [] });
    await expectRestored();
  });

  test('does not count files as its own that existed before or were changed since', async () => {
    mkdirSync(join(world.target, 'source', 'folder 00'), { recursive: true });
    const before = join(world.target, 'source', 'folder 00', 'file 0');
    writeFileSync(before, 'was here');
    await interrupted({ conflict: 'skip' });
    world.service.beforeDownload = undefined;
    const changed = join(world.target, 'source', 'folder 00', 'file 1');
    writeFileSync(changed, 'changed by a person');
    await expect(world.restore()).rejects.toMatchObject({
      code: 'target_conflict',
      details: { conflicts: [before, changed] },
    });
    const again = await world.restore({ conflict: 'skip' });
    expect(again).toMatchObject({ filesSkipped: 2, failures: [] });
    expect(readFileSync(before, 'utf8')).toBe('was here');
    expect(readFileSync(changed, 'utf8')).toBe('changed by a person');
  });

  test('is what a restore with failed files counts as, so that the next one continues it', async () => {
    const path = join(world.source, 'folder 03', 'file 7');
    const [lost] = world.service.points[0]!.files.find((file) => file.path === path)!.chunks;
    world.service.tamper = (hash, bytes) => (hash === lost ? undefined : bytes);
    expect(await world.restore()).toMatchObject({ failures: [{ path }] });
    world.service.tamper = undefined;
    const again = await world.restore();
    expect(again).toMatchObject({ failures: [], conflicts: [], filesResumed: FOLDERS * FILES_IN_EACH });
    await expectRestored();
  });

  test('reuses the second names of its first run', async () => {
    for (let file = 0; file < FILES_IN_EACH; file += 1) {
      mkdirSync(join(world.target, 'source', 'folder 00'), { recursive: true });
      writeFileSync(join(world.target, 'source', 'folder 00', `file ${file}`), 'mine');
    }
    await interrupted({ conflict: 'keep-both' });
    world.service.beforeDownload = undefined;
    world.clock.advance(60_000);
    await world.restore({ conflict: 'keep-both' });
    expect(readdirSync(join(world.target, 'source', 'folder 00'))).toHaveLength(2 * FILES_IN_EACH);
  });

  test('is reported as done by the next run when it was killed before reporting', async () => {
    world.service.beforeDownload = undefined;
    await world.restore({}, { untilReported: new DisposableStack() });
    using untilReported = new DisposableStack();
    const again = await world.restore({}, { untilReported });
    const files = FOLDERS * FILES_IN_EACH + 1;
    expect(again).toMatchObject({ failures: [], filesRestored: files, filesResumed: files, bytesWritten: 0 });
    untilReported.dispose();
    await expect(world.restore()).rejects.toMatchObject({ code: 'target_conflict' });
    await expectRestored();
  });

  test('is completed by one clean run after kill -9 at many moments', async () => {
    const stored = join(world.folder, 'stored');
    const scratch = join(world.folder, 'scratch');
    mkdirSync(stored);
    world.service.save(stored);
    for (const moment of [2, 4, 6]) {
      const killed = await killAtDownload(startRestore([stored, scratch, world.target]), moment);
      if (!killed) break;
    }
    for (const name of readdirSync(scratch)) if (name.startsWith('catalog')) rmSync(join(scratch, name));
    const last = await world.restore();
    expect(last).toMatchObject({ failures: [], filesRestored: FOLDERS * FILES_IN_EACH + 1 });
    await expectRestored();
    expect(await world.verify()).toMatchObject({ failures: [] });
  });
});
