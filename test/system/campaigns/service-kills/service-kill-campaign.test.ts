import { expect, test } from 'vitest';
import { runServiceKillCampaign } from './service-kill-campaign.ts';

test('a service that is killed under backups of two computers loses nothing that it acknowledged', async () => {
  // `npm run campaign -- service-kills` kills it more often, and under restores, too.
  const { killed, failures } = await runServiceKillCampaign({ seed: 1, runs: 2, works: ['backup', 'backup'] });
  expect(failures).toEqual([]);
  expect(killed).toBeGreaterThan(0);
});
