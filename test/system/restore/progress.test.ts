import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RestoreProgress } from '../../../src/jobs/progress.ts';
import { WorkerPool } from '../../../src/workers/pool.ts';
import { RestoreWorld, SET } from '../../helpers/memory-service/restore-world.ts';

const pool = new WorkerPool(2);
let world: RestoreWorld;
beforeEach(async () => {
  world = new RestoreWorld(pool);
  for (let index = 0; index < 30; index += 1)
    writeFileSync(join(world.source, `file ${index}`), Buffer.alloc(400_000, index));
  await world.backup();
});
afterEach(() => world[Symbol.dispose]());
afterAll(() => pool.close());

describe('restore progress', () => {
  test('enters each phase once, never decreases and ends with everything done', async () => {
    const seen: RestoreProgress[] = [];
    world.service.beforeDownload = () => world.clock.advance(4000);
    const report = await world.restore({}, { onProgress: (progress) => seen.push(progress) });
    expect([...new Set(seen.map((progress) => progress.phase))]).toEqual(['planning', 'downloading', 'finishing']);
    for (const field of ['filesDone', 'bytesDone', 'bytesDownloaded'] as const) {
      const values = seen.map((progress) => progress[field]);
      expect(values).toEqual(values.toSorted((a, b) => a - b));
    }
    expect(seen.at(-1)).toMatchObject({
      filesDone: 30,
      filesTotal: 30,
      bytesDone: 12_000_000,
      bytesTotal: 12_000_000,
      bytesDownloaded: report.bytesDownloaded,
      etaSeconds: undefined,
    });
  });

  test('is recorded in the journal with the outcome', async () => {
    await world.restore();
    await expect(world.restore()).rejects.toMatchObject({ code: 'target_conflict' });
    await world.verify();
    const jobs = world.catalog.journal.recent(SET, 10);
    expect(jobs.map(({ kind, state }) => `${kind} ${state}`)).toEqual([
      'verify succeeded',
      'restore failed',
      'restore succeeded',
      'backup succeeded',
    ]);
    const states = world.catalog.journal.transitions(jobs[2]!.id).map((transition) => transition.state);
    expect(states).toEqual(['queued', 'planning', 'downloading', 'finishing', 'succeeded']);
  });
});
