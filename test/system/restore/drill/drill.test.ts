import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runDrill, type DrillOptions } from '../../../../src/restore/drill/drill.ts';
import type { DrillReport } from '../../../../src/restore/types.ts';
import { WorkerPool } from '../../../../src/workers/pool.ts';
import { DEVICE, RestoreWorld, SET } from '../../../helpers/memory-service/restore-world.ts';
import { DESTINATION } from '../../../helpers/catalog.ts';

const pool = new WorkerPool(2);
let world: RestoreWorld;
beforeEach(() => {
  world = new RestoreWorld(pool);
});
afterEach(() => world[Symbol.dispose]());
afterAll(() => pool.close());

function put(name: string, data: string | Uint8Array, seconds?: number): string {
  const path = join(world.source, name);
  writeFileSync(path, data);
  if (seconds !== undefined) utimesSync(path, seconds, seconds);
  return path;
}

function drill(options: Partial<DrillOptions> = {}): Promise<DrillReport> {
  const source = { deviceId: DEVICE, backupSet: SET, at: 'latest' } as const;
  return runDrill({ source, isHere: true, ...options }, world.dependencies);
}

function sha256(data: string): string {
  return createHash('sha256').update(data).digest('hex');
}

describe('a drill', () => {
  test('restores every file of a small set, and compares it with the backup and with the disk', async () => {
    mkdirSync(join(world.source, 'sub'));
    put('one', 'one');
    put('sub/two', 'two');
    await world.backup();
    put('one', 'changed since');
    const report = await drill();
    const files = [
      { path: join(world.source, 'one'), bytes: 3, sha256: sha256('one') },
      { path: join(world.source, 'sub/two'), bytes: 3, sha256: sha256('two') },
    ];
    expect(report).toMatchObject({
      pointFiles: 2,
      pointBytes: 6,
      filesRestored: 2,
      bytesWritten: 6,
      filesCompared: 2,
      filesSameOnDisk: 1,
      failuresTotal: 0,
      warnings: [],
      sample: files,
      digest: sha256(files.map((file) => `${file.sha256}  ${file.path}\n`).join('')),
    });
    expect(report.bytesDownloaded).toBeGreaterThan(0);
  });

  test('takes the newest files and random ones, and no more bytes than it may', async () => {
    for (let number = 0; number < 40; number += 1)
      put(`f${String(number).padStart(2, '0')}`, 'x'.repeat(100), 1000 + number);
    put('large', 'y'.repeat(5000), 9000);
    await world.backup();
    const report = await drill({ limits: { bytes: 2000, newest: 4, random: 100 } });
    expect(report).toMatchObject({ newestFiles: 4, randomFiles: 16, bytesWritten: 2000, filesCompared: 20 });
    const names = report.sample.map(({ path }) => path.slice(-3));
    expect(names).toEqual(expect.arrayContaining(['f36', 'f37', 'f38', 'f39']));
    expect(names).not.toContain('rge');
  });

  test('takes the smallest file if all are larger than it may restore', async () => {
    put('a', 'x'.repeat(500));
    put('b', 'y'.repeat(400));
    await world.backup();
    const report = await drill({ limits: { bytes: 100, newest: 10, random: 10 } });
    expect(report.sample).toMatchObject([{ bytes: 400 }]);
  });

  test('fails if a file cannot be restored, and the job with it', async () => {
    put('good', 'good');
    const bad = put('bad', 'the damaged one');
    await world.backup();
    const hash = `sha256:${sha256('the damaged one')}`;
    world.service.tamper = (name, bytes) => (name === hash ? undefined : bytes);
    const report = await drill();
    expect(report).toMatchObject({
      failuresTotal: 1,
      failures: [{ path: bad, reason: 'chunk_missing' }],
      filesCompared: 1,
    });
    const end = world.catalog.at(DESTINATION).journal.newestEnd(SET, 'drill');
    expect(end?.state).toBe('failed');
  });

  test('warns of a file on the disk whose content has changed without its size and time', async () => {
    const path = put('rots', 'right', 1_700_000_000);
    await world.backup();
    put('rots', 'wrong', 1_700_000_000);
    expect(await drill()).toMatchObject({ failuresTotal: 0, warnings: [{ path, reason: 'differs-on-disk' }] });
    expect(await drill({ isHere: false })).toMatchObject({ warnings: [], filesSameOnDisk: 0 });
  });

  test('leaves nothing behind, also of one that was killed, and although a folder forbids to remove from it', async () => {
    mkdirSync(join(world.source, 'locked'));
    put('locked/file', 'x');
    chmodSync(join(world.source, 'locked'), 0o500);
    await world.backup();
    const scratch = join(world.folder, 'scratch');
    mkdirSync(join(scratch, 'drill-killed', 'locked'), { recursive: true });
    writeFileSync(join(scratch, 'drill-killed', 'locked', 'file'), 'x');
    chmodSync(join(scratch, 'drill-killed', 'locked'), 0o500);
    expect(await drill()).toMatchObject({ filesCompared: 1 });
    expect(readdirSync(scratch)).toEqual([]);
    expect(statSync(join(world.source, 'locked')).mode & 0o777).toBe(0o500);
    chmodSync(join(world.source, 'locked'), 0o700);
  });

  test('tells the service of no restore', async () => {
    put('one', 'one');
    await world.backup();
    const reported: string[] = [];
    Object.assign(world.service, { restoreReport: (_session: string, state: string) => void reported.push(state) });
    await drill();
    expect(reported).toEqual([]);
    await world.restore();
    expect(reported).toEqual(['started', 'completed']);
  });
});
