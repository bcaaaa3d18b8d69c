import { expect, test } from 'vitest';
import { canTrace } from '../../repository/power-loss/place.ts';
import { runCallKillCampaign } from './call-kill-campaign.ts';
import { orThorough } from '../../../helpers/thorough.ts';

test.skipIf(!canTrace())('a program that is killed at a system call goes on when it is run again', async () => {
  // One call of each command; `npm run campaign -- call-kills` kills at each call.
  const { killed, failures } = await runCallKillCampaign({ seed: 1, runs: orThorough(3, 6) });
  expect(failures).toEqual([]);
  expect(killed).toBeGreaterThan(0);
});
