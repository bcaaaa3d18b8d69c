import type { ServiceContext } from '../context.ts';
import { clearRemoved } from './clear-removed.ts';
import { collectChunks, mayLookThrough } from './collect-chunks.ts';
import { applyPolicy } from './retention.ts';

/** Milliseconds between two times at which a policy is applied by itself. */
const APPLY_INTERVAL = 24 * 3_600_000;

/**
 * Applies policies that are due, clears away what removed restore points leave, and collects chunks, unless another process is
 * doing that. In small steps, between which others get their turn; what is not done yet is done the next time.
 */
export async function keepRetention(context: ServiceContext, signal: AbortSignal): Promise<void> {
  try {
    if (!(await hasWork(context))) return;
    await context.metadata.sql.exclusively('retention', async () => {
      for (const set of await context.retention.due(context.clock.now() - APPLY_INTERVAL)) {
        signal.throwIfAborted();
        await applyPolicy(context, set);
      }
      await clearRemoved(context, signal);
      for (const account of await context.retention.accounts()) await collectChunks(context, account, signal);
    });
  } catch (error) {
    // The service is closing.
    if (!signal.aborted) throw error;
  }
}

/** Most of the times there is none, and this costs next to nothing. */
async function hasWork({ retention, collection, clock }: ServiceContext): Promise<boolean> {
  const now = clock.now();
  if ((await retention.due(now - APPLY_INTERVAL)).length > 0 || (await retention.unclearedSets()).length > 0)
    return true;
  if ((await collection.state()).pending || (await collection.dropped(1)).length > 0) return true;
  for (const { id } of await retention.accounts()) {
    if (mayLookThrough(await collection.collectedAt(id), now)) return true;
  }
  return false;
}
