import { expect, test } from 'vitest';
import { HAS_S3 } from '../../../helpers/s3/s3-server.ts';
import { runServiceFaultCampaign } from './service-fault-campaign.ts';
import { orThorough } from '../../../helpers/thorough.ts';

test.skipIf(!HAS_S3)(
  'two processes lose nothing and go on when PostgreSQL restarts, or the object store is killed or frozen',
  async () => {
    // `npm run campaign -- service-faults` has more faults, and more devices.
    const results = await runServiceFaultCampaign({
      devices: 4,
      only: orThorough(
        ['PostgreSQL is restarted (immediate)', 'the object store is killed'],
        ['PostgreSQL is restarted', 'object store'],
      ),
    });
    expect(results.map(({ fault }) => fault)).toEqual([
      ...orThorough([], ['PostgreSQL is restarted (fast)']),
      'PostgreSQL is restarted (immediate)',
      'the object store is killed',
      ...orThorough([], ['the object store is frozen']),
    ]);
    for (const result of results) {
      expect(result).toMatchObject({ lost: [], unexpected: [], alive: 2 });
      expect(result.acknowledged).toBe(result.begun);
    }
  },
);
