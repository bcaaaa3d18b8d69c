import { newIdentifier } from '../identifier.ts';
import { diskFailureOf } from '../disk/disk-failure.ts';
import type { RestoreSession, RestoreStore } from './restore-store.ts';

/**
 * Wraps a restore store so that restores work even if the disk is full: a session that cannot be written is kept in memory. It ends with
 * the process, and emits no events.
 */
export function withUnwrittenRestores(store: RestoreStore): RestoreStore {
  const unwritten = new Map<string, RestoreSession>();
  return {
    async create(session) {
      try {
        return await store.create(session);
      } catch (error) {
        if (diskFailureOf(error) === undefined) throw error;
        const kept = { ...session, id: newIdentifier('rst'), totals: undefined, completedAt: undefined };
        unwritten.set(kept.id, kept);
        return kept;
      }
    },
    find: async (id) => unwritten.get(id) ?? store.find(id),
    started: (id, ...facts) => whereWritable(id, () => store.started(id, ...facts)),
    completed: (id, ...facts) => whereWritable(id, () => store.completed(id, ...facts)),
    reported: (id, ...facts) => whereWritable(id, () => store.reported(id, ...facts)),
    extend: (id, expiresAt) => whereWritable(id, () => store.extend(id, expiresAt)),
    async prune(now) {
      for (const [id, { expiresAt }] of unwritten) if (expiresAt < now) unwritten.delete(id);
      await store.prune(now);
    },
  };

  /** Ignores a full disk, since a restore must not fail because of its records. */
  async function whereWritable(id: string, write: () => Promise<void>): Promise<void> {
    if (unwritten.has(id)) return;
    try {
      await write();
    } catch (error) {
      if (diskFailureOf(error) === undefined) throw error;
    }
  }
}
