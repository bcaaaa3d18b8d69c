import type { MetadataStore } from '../metadata-store.ts';
import { treeBytesOf } from '../backup/store/tree-store.ts';
import { isDead } from '../backup/store/version-span.ts';
import { requireStructure, soundVersions } from './sound-versions.ts';
import { scanVersions } from '../backup/store/version-scan.ts';

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
    const trees = await retention.removedTrees(setNumber);
    const left = new Map(trees.map(({ session }) => [session, 0]));
    for await (const page of scanVersions(retention, setNumber, signal)) {
      // Read after the page: a version that has an end in it is in no later tree.
      const sequences = await retention.sequences(setNumber);
      const dead = new Set(page.filter((version) => isDead(version, sequences)));
      await retention.deleteVersions(setNumber, [...dead]);
      for (const version of page) {
        const bytes = left.get(version.validFrom);
        if (bytes !== undefined && !dead.has(version)) left.set(version.validFrom, bytes + treeBytesOf(version));
      }
    }
    for (const { session, treeBytes } of trees) {
      const bytes = left.get(session)!;
      if (bytes !== treeBytes) await retention.setTreeBytes(session, bytes);
    }
    await retention.cleared(removed);
    // Their chunks may be unreferenced now.
    await collection.collected(accountId, 0);
  }
}
