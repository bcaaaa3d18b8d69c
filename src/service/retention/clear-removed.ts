import type { MetadataStore } from '../store/metadata-store.ts';
import { isDead } from './visibility.ts';
import { requireStructure, soundVersions } from './sound-versions.ts';
import { scanVersions } from './version-scan.ts';

type Parts = Pick<MetadataStore, 'retention' | 'collection'>;

/**
 * Deletes the versions of files that only removed restore points contained. The others keep their intervals: the run of a removed
 * restore point still orders them, so that unfinished sessions, which refer to versions by the run that brought them, are not
 * affected.
 *
 * @throws DamagedMetadataError before a version of the damaged set is deleted
 */
export async function clearRemoved({ retention, collection }: Parts, signal: AbortSignal): Promise<void> {
  for (const { accountId, setNumber } of await retention.unclearedSets()) {
    if (await retention.isHeld(accountId)) continue;
    await retention.settle(setNumber);
    const removed = await retention.uncleared(setNumber);
    if (removed.length === 0) continue;
    await requireStructure(retention);
    for await (const _page of soundVersions(retention, setNumber, signal));
    for await (const page of scanVersions(retention, setNumber, signal)) {
      // Read after the page: a version that has an end in it is in no later tree.
      const sequences = await retention.sequences(setNumber);
      await retention.deleteVersions(
        setNumber,
        page.filter((version) => isDead(version, sequences)),
      );
    }
    await retention.cleared(removed);
    // Their chunks may be unreferenced now.
    await collection.collected(accountId, 0);
  }
}
