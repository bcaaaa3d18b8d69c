import type { ServiceContext } from '../context.ts';
import { isDead } from './visibility.ts';
import { scanVersions } from './version-scan.ts';

type Parts = Pick<ServiceContext, 'retention' | 'collection'>;

/**
 * Deletes the versions of files that only removed restore points had. The others keep the intervals that they have: the run of
 * a removed restore point still orders them, so that sessions under way, which refer to versions by the run that brought
 * them, need not know of it.
 */
export async function clearRemoved({ retention, collection }: Parts, signal: AbortSignal): Promise<void> {
  for (const { accountId, setNumber } of await retention.unclearedSets()) {
    if (await retention.isHeld(accountId)) continue;
    await retention.settle(setNumber);
    const removed = await retention.uncleared(setNumber);
    if (removed.length === 0) continue;
    for await (const page of scanVersions(retention, setNumber, signal)) {
      // Asked after the page was read: a version that has an end in it is in no tree that comes later.
      const sequences = await retention.sequences(setNumber);
      await retention.deleteVersions(
        setNumber,
        page.filter((version) => isDead(version, sequences)),
      );
    }
    await retention.cleared(removed);
    // What they referred to is looked for from now on.
    await collection.collected(accountId, 0);
  }
}
