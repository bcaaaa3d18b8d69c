import { afterAll, expect, test } from 'vitest';
import { WorkerPool } from '../../../../src/workers/pool.ts';
import { runBitsCampaign } from './bits-campaign.ts';

const pool = new WorkerPool(1);
afterAll(() => pool.close());

test('altered bytes of what is stored are refused, or have no effect', async () => {
  // `npm run campaign -- bits` alters more of them.
  const { bits, bytes, failures } = await runBitsCampaign(pool, { seed: 1, runs: 30, blobs: 2 });
  expect(failures).toEqual([]);
  expect(bits).toBeGreaterThan(10_000);
  expect(bytes).toBe(30);
});
