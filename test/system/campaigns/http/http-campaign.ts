import { RUN_RETRY_POLICY } from '../../../../src/remote/http/retrier.ts';
import type { WorkerPool } from '../../../../src/workers/pool.ts';
import { CopyWorld } from '../../copy/copy-world.ts';
import { impatientClock } from '../../../helpers/impatient-clock.ts';
import { Random } from '../../../helpers/random.ts';
import { LineCampaign, type LineCampaignResult } from '../line-campaign.ts';
import { faultsIn, FaultyHttp, nameOf } from './faulty-http.ts';

/**
 * Backs up to a service and restores from it, with a fault in one call of each run, or from one call on.
 *
 * @param every the share of the faults that is tried: 1 for all, 10 for a tenth
 */
export async function runHttpCampaign(
  pool: WorkerPool,
  { seed, every }: { readonly seed: number; readonly every: number },
): Promise<LineCampaignResult> {
  await using world = new CopyWorld(pool);
  const random = new Random(seed);
  let http: FaultyHttp | undefined;
  const place = await world.service('service', {
    clock: impatientClock,
    policy: RUN_RETRY_POLICY,
    wrap: (inner) => (http = new FaultyHttp(inner)),
  });
  const line = http!;
  const chosen = (calls: number) => {
    const all = random.shuffled(faultsIn(calls));
    return all.slice(0, Math.ceil(all.length / every));
  };
  return await new LineCampaign({ world, place, line, random, faultsIn: chosen, nameOf }).run();
}
