import { describe, expect, test } from 'vitest';
import { HAS_S3, newBucket } from '../../../helpers/s3/s3-server.ts';
import { runCampaign } from './campaign.ts';
import { orThorough } from '../../../helpers/thorough.ts';

/** `npm run campaign -- repository` runs longer ones. */
describe('ten computers at one repository', () => {
  test('lose nothing and agree in the end', async () => {
    const { backups } = await runCampaign({ seed: 1, runs: orThorough(10, 20) });
    expect(backups).toBeGreaterThanOrEqual(10);
  });

  test('lose nothing with parity, by which damage of every pack is made good', async () => {
    const { backups, mendedPacks } = await runCampaign({ seed: 2, runs: 20, parity: 20 });
    expect(backups).toBeGreaterThanOrEqual(20);
    expect(mendedPacks).toBeGreaterThan(0);
  });

  test('lose nothing in a real folder', async () => {
    const { backups } = await runCampaign({ seed: 3, runs: 10, computers: 3, store: 'folder' });
    expect(backups).toBeGreaterThanOrEqual(10);
  });

  test.skipIf(!HAS_S3)('lose nothing in a bucket (scripts/install-test-tools.sh)', { timeout: 240_000 }, async () => {
    const { backups } = await runCampaign({ seed: 4, runs: orThorough(6, 20), store: await newBucket() });
    expect(backups).toBeGreaterThanOrEqual(6);
  });
});
