import { describe, expect, test } from 'vitest';
import { runCampaign } from './campaign.ts';

/** `npm run campaign -- repository` runs longer ones. */
describe('ten computers at one repository', () => {
  test.each([1, 2])('lose nothing and agree in the end (seed %i)', async (seed) => {
    const { backups } = await runCampaign({ seed, runs: 25 });
    expect(backups).toBeGreaterThanOrEqual(25);
  });

  test('lose nothing in a real folder', async () => {
    const { backups } = await runCampaign({ seed: 3, runs: 15, computers: 4, isFolder: true });
    expect(backups).toBeGreaterThanOrEqual(15);
  });
});
