import { afterAll, expect, test } from 'vitest';
import { WorkerPool } from '../../../../src/workers/pool.ts';
import { runLieCampaign } from './lie-campaign.ts';
import { orThorough } from '../../../helpers/thorough.ts';

const pool = new WorkerPool(1);
afterAll(() => pool.close());

test('a lying service restores no wrong byte, and is noticed', async () => {
  // `npm run campaign -- lies` tells all of them.
  const { lies, noticed, failures } = await runLieCampaign(pool, { seed: 1, every: orThorough(40, 16) });
  expect(failures).toEqual([]);
  expect(lies).toBeGreaterThan(4);
  expect(noticed).toBeGreaterThan(2);
});

test.each([
  // Read as far as the limit of an answer, which takes half a minute.
  ...orThorough<readonly string[]>([], ['files without end']),
  'it needs chunks without end',
  'a backup that failed',
  'a backup of the year 2000',
  'a backup is acknowledged and not stored',
  'a backup is complete before it is sent',
])('a lie that went unnoticed once: %s', async (only) => {
  const { lies, noticed, failures } = await runLieCampaign(pool, { seed: 1, every: 1, only });
  expect(failures).toEqual([]);
  expect(noticed).toBe(lies);
});
