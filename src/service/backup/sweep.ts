import type { ServiceContext } from '../context.ts';

/**
 * Clears away what ended sessions leave behind, in small steps between which others get their turn.
 *
 * @param signal ends it early; the rest is done the next time
 */
export async function sweepSessions(context: ServiceContext, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const abandoned = await context.metadata.sessions.sweep();
    if (!abandoned) return;
    await context.objects.delete(
      abandoned.map(({ accountId, id, digest }) => ({ accountId, chunkId: id, digest, size: 0 })),
    );
    await new Promise(setImmediate);
  }
}
