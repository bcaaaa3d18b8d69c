import { expect, test } from 'vitest';
import { runDiskFaultCampaign } from './disk-fault-campaign.ts';

test('a full or failing disk is named, and nothing that was backed up is lost', async () => {
  // A backup, a restore and a retention; `npm run campaign -- disk-faults` tries the other commands, too, and more faults.
  const { runs, failures } = await runDiskFaultCampaign({ seed: 1, runs: 3 });
  expect(failures).toEqual([]);
  expect(runs).toBe(3);
});
