import { newIdentifier } from '../../identifier.ts';
import type { RestoreSession, RestoreStore } from '../metadata-store.ts';
import type { SqlDatabase } from '../database/sql-database.ts';

export function createSqlRestoreStore({ queries, transaction }: SqlDatabase): RestoreStore {
  const find: RestoreStore['find'] = async (id) => {
    const row = await queries
      .selectFrom('restore_session as r')
      .innerJoin('device as d', 'd.id', 'r.device_id')
      .innerJoin('backup_set as b', 'b.number', 'r.set_number')
      .innerJoin('session as s', 's.sequence', 'r.sequence')
      .selectAll('r')
      .select(['d.name as device_name', 'b.name as set_name', 's.restore_point'])
      .where('r.id', '=', id)
      .executeTakeFirst();
    if (!row) return undefined;
    const { files, bytes } = row;
    const session: RestoreSession = {
      id: row.id,
      accountId: row.account_id,
      deviceId: row.device_id,
      deviceName: row.device_name,
      setNumber: row.set_number,
      setName: row.set_name,
      sequence: row.sequence,
      restorePoint: row.restore_point!,
      path: row.path,
      recursive: row.recursive === 1,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      totals: files === null || bytes === null ? undefined : { files, bytes },
      completedAt: row.completed_at ?? undefined,
    };
    return session;
  };
  return {
    create: async (session) => {
      const id = newIdentifier('rst');
      await queries
        .insertInto('restore_session')
        .values({
          id,
          account_id: session.accountId,
          device_id: session.deviceId,
          set_number: session.setNumber,
          sequence: session.sequence,
          path: session.path,
          recursive: session.recursive ? 1 : 0,
          created_at: session.createdAt,
          expires_at: session.expiresAt,
        })
        .execute();
      return (await find(id))!;
    },
    find,
    started: (id, totals, event, now) =>
      transaction(async (inside) => {
        const { account_id: accountId } = await inside.queries
          .updateTable('restore_session')
          .set({ files: totals.files, bytes: totals.bytes })
          .where('id', '=', id)
          .returning('account_id')
          .executeTakeFirstOrThrow();
        await inside.emit({ accountId, occurredAt: now, event });
      }),
    completed: (id, event, now) =>
      transaction(async (inside) => {
        const completed = await inside.queries
          .updateTable('restore_session')
          .set({ completed_at: now })
          .where('id', '=', id)
          .where('completed_at', 'is', null)
          .returning('account_id')
          .executeTakeFirst();
        if (completed) await inside.emit({ accountId: completed.account_id, occurredAt: now, event });
      }),
    prolong: async (id, expiresAt) => {
      await queries
        .updateTable('restore_session')
        .set({ expires_at: expiresAt })
        .where('id', '=', id)
        .where('expires_at', '<', expiresAt)
        .execute();
    },
    prune: async (now) => {
      await queries.deleteFrom('restore_session').where('expires_at', '<', now).execute();
    },
  };
}
