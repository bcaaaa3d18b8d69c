import { describe, expect, test } from 'vitest';
import { runCampaign } from './campaign.ts';

/** `npm run campaign -- repository` runs longer ones. */
describe('ten computers at one repository', () => {
  test('lose nothing and agree in the end', async () => {
    const { backups } = await runCampaign({ seed: 1, runs: 20 });
    expect(backups).toBeGreaterThanOrEqual(20);
  });

  test('lose nothing with parity, by which damage of every pack is made good', async () => {
    const { backups, mendedPacks } = await runCampaign({ seed: 2, runs: 20, parity: 20 });
    expect(backups).toBeGreaterThanOrEqual(20);
    expect(mendedPacks).toBeGreaterThan(0);
  });

  test('lose nothing in a real folder', async () => {
    const { backups } = await runCampaign({ seed: 3, runs: 10, computers: 3, isFolder: true });
    expect(backups).toBeGreaterThanOrEqual(10);
  });
});
