import { expect, test } from 'vitest';
import { runKillCampaign } from './kill-campaign.ts';

test('a program that is killed in any command goes on when it is run again, and nothing is lost', async () => {
  // A backup, a restore and a retention; `npm run campaign -- kills` kills the others, too, and more often.
  const { runs, failures } = await runKillCampaign({ seed: 1, runs: 3 });
  expect(failures).toEqual([]);
  expect(runs).toBe(3);
});
