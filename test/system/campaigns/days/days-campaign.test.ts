import { afterAll, expect, test } from 'vitest';
import { WorkerPool } from '../../../../src/workers/pool.ts';
import { CAN_MOUNT } from '../../../helpers/mount.ts';
import { runDaysCampaign } from './days-campaign.ts';
import { orThorough } from '../../../helpers/thorough.ts';

const pool = new WorkerPool(1);
afterAll(() => pool.close());

test.each(['repository', 'service'] as const)(
  'days of three computers at a %s come back as a model says',
  async (destination) => {
    // `npm run campaign -- days` simulates a year of five.
    const { backups, restores, withoutDisk } = await runDaysCampaign(pool, {
      seed: 1,
      days: orThorough(8, 16),
      devices: 3,
      destination,
    });
    expect(backups).toBeGreaterThan(14);
    expect(restores).toBeGreaterThan(4);
    if (CAN_MOUNT) expect(withoutDisk).toBeGreaterThan(2);
  },
);
