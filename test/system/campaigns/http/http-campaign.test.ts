import { afterAll, expect, test } from 'vitest';
import { WorkerPool } from '../../../../src/workers/pool.ts';
import { runHttpCampaign } from './http-campaign.ts';
import { orThorough } from '../../../helpers/thorough.ts';

const pool = new WorkerPool(1);
afterAll(() => pool.close());

test('calls that fail, come twice, break off or are answered wrongly cost no file, and no run says that it is done when it is not', async () => {
  // `npm run campaign -- http` tries all of them.
  const { runs, succeeded, failed, failures } = await runHttpCampaign(pool, { seed: 1, every: orThorough(20, 10) });
  expect(failures).toEqual([]);
  expect(runs).toBeGreaterThan(10);
  expect(succeeded).toBeGreaterThan(0);
  expect(failed).toBeGreaterThan(0);
});
