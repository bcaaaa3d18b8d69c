import type { ServiceContext } from '../context.ts';
import { clearRemoved } from './clear-removed.ts';
import { collectChunks, isSearchDue } from './collect-chunks.ts';
import { applyPolicy } from './retention.ts';
import { DamagedMetadataError, requireStructure } from './sound-versions.ts';
import type { RetentionStore } from './retention-store.ts';
import { DAY } from '../../model/units.ts';

/** Milliseconds between two automatic applications of a policy. */
const APPLY_INTERVAL = DAY;

/**
 * Applies policies that are due, deletes the versions of removed restore points, and collects chunks, unless another process is
 * doing so. Removes nothing while the metadata is damaged. Works in small steps that let requests through; the next call continues
 * after an abort.
 */
export async function keepRetention(context: ServiceContext, signal: AbortSignal): Promise<void> {
  try {
    if (!(await hasWork(context))) return;
    const { metadata, objects, clock } = context;
    const { collection } = metadata;
    const retention = withOneCheck(metadata.retention);
    await metadata.exclusively('retention', async () => {
      for (const set of await retention.due(clock.now() - APPLY_INTERVAL)) {
        signal.throwIfAborted();
        await requireStructure(retention);
        await applyPolicy({ retention, clock }, set);
      }
      await clearRemoved({ retention, collection }, signal);
      const parts = { retention, collection, objects, clock };
      for (const account of await retention.accounts()) await collectChunks(parts, account, signal);
    });
  } catch (error) {
    // The service is closing.
    if (signal.aborted) return;
    if (!(error instanceof DamagedMetadataError)) throw error;
    context.log.error({ problem: error.message }, 'nothing is removed: the metadata is damaged');
  }
}

/** Checks the structure of the database once, since that reads all of it. */
function withOneCheck(retention: RetentionStore): RetentionStore {
  let checked: Promise<string | undefined> | undefined;
  return { ...retention, structureProblem: () => (checked ??= retention.structureProblem()) };
}

/** Checks cheaply whether there is anything to do, which is rare. */
async function hasWork({ metadata: { retention, collection }, clock }: ServiceContext): Promise<boolean> {
  const now = clock.now();
  if ((await retention.due(now - APPLY_INTERVAL)).length > 0 || (await retention.unclearedSets()).length > 0)
    return true;
  if ((await collection.state()).pending || (await collection.dropped(1)).length > 0) return true;
  for (const { id } of await retention.accounts()) {
    if (isSearchDue(await collection.collectedAt(id), now)) return true;
  }
  return false;
}
