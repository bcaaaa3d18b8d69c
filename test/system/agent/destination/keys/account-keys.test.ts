import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fetchEnvelope } from '../../../../../src/agent/destination/keys/account-keys.ts';
import { WorkerPool } from '../../../../../src/workers/pool.ts';
import { DEVICE, RestoreWorld, SET } from '../../../../helpers/memory-service/restore-world.ts';

const pool = new WorkerPool(1);
let world: RestoreWorld;
beforeEach(() => {
  world = new RestoreWorld(pool);
});
afterEach(() => world[Symbol.dispose]());
afterAll(() => pool.close());

describe('the key envelope of a set', () => {
  // Otherwise the key of another account would be accepted, since there is nothing to check it against.
  test('is found after the clock was wrong and was set back', async () => {
    const { service } = world;
    service.offered = new Set(['restore_points']);
    const now = service.time;
    service.time = Date.parse('2035-01-01T00:00:00.000Z');
    writeFileSync(join(world.source, 'file'), 'content');
    await world.backup();
    service.now = () => now;
    const stored = await fetchEnvelope(
      { service, downloader: world.dependencies.downloader },
      { deviceId: DEVICE, backupSet: SET },
    );
    expect(stored?.envelope).toBeDefined();
  });
});
