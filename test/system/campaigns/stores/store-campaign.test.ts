import { afterAll, describe, expect, test } from 'vitest';
import { WorkerPool } from '../../../../src/workers/pool.ts';
import { HAS_S3 } from '../../../helpers/s3/s3-server.ts';
import { HAS_SSHD } from '../../../helpers/sftp/sftp-server.ts';
import { runBucketCampaign, runSftpCampaign } from './store-campaign.ts';

const pool = new WorkerPool(1);
afterAll(() => pool.close());

const STORES = [
  ['a bucket', HAS_S3, runBucketCampaign],
  ['an SSH server', HAS_SSHD, runSftpCampaign],
] as const;

describe.each(STORES)('at %s (scripts/install-test-tools.sh)', (_name, isHere, run) => {
  test.skipIf(!isHere)('a line that breaks costs no file, and no run says that it is done when it is not', async () => {
    // `npm run campaign -- stores` tries more of them.
    const { runs, failures } = await run(pool, { seed: 1, runs: 6 });
    expect(failures).toEqual([]);
    expect(runs).toBe(12);
  });
});
