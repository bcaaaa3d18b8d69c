import { newIdentifier } from '../identifier.ts';
import type { EmittedEvent } from '../../protocol/webhooks.ts';
import type { SqlDatabase } from '../database/sql-database.ts';
import { DAY, HOUR } from '../../model/units.ts';

export interface RestoreSession {
  readonly id: string;
  readonly accountId: string;
  readonly deviceId: string;
  readonly setNumber: number;
  readonly setName: string;
  readonly deviceName: string;
  readonly sequence: number;
  readonly restorePoint: number;
  readonly path: string;
  readonly recursive: boolean;
  /** True if the agent reports what it does with the session. Nothing else emits its events then. */
  readonly isReported: boolean;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Set once the manifest has been sent completely. */
  readonly totals: { readonly files: number; readonly bytes: number } | undefined;
  readonly completedAt: number | undefined;
}

export type NewRestoreSession = Omit<RestoreSession, 'id' | 'totals' | 'completedAt'>;

/** The time in which a restore session can fetch chunks after its last request, in milliseconds. */
export const RESTORE_LIFETIME = 7 * DAY;

/** The end of a restore session is updated only if it moves by at least this many milliseconds. */
export const RESTORE_EXTENSION = HOUR;

export type RestoreStore = ReturnType<typeof createRestoreStore>;

export function createRestoreStore({ queries, transaction }: SqlDatabase) {
  const find = async (id: string): Promise<RestoreSession | undefined> => {
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
      isReported: row.reported === 1,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      totals: files === null || bytes === null ? undefined : { files, bytes },
      completedAt: row.completed_at ?? undefined,
    };
    return session;
  };
  return {
    create: async (session: NewRestoreSession): Promise<RestoreSession> => {
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
          reported: session.isReported ? 1 : 0,
          created_at: session.createdAt,
          expires_at: session.expiresAt,
        })
        .execute();
      return (await find(id))!;
    },
    find,
    /** Records that the manifest has been sent completely. */
    started: (
      id: string,
      totals: { files: number; bytes: number },
      event: EmittedEvent | undefined,
      now: number,
    ): Promise<void> =>
      transaction(async (inside) => {
        const { account_id: accountId } = await inside.queries
          .updateTable('restore_session')
          .set({ files: totals.files, bytes: totals.bytes })
          .where('id', '=', id)
          .returning('account_id')
          .executeTakeFirstOrThrow();
        if (event) await inside.emit({ accountId, occurredAt: now, event });
      }),
    /** Records that every chunk has been handed out; does nothing the second time. */
    completed: (id: string, event: EmittedEvent | undefined, now: number): Promise<void> =>
      transaction(async (inside) => {
        const completed = await inside.queries
          .updateTable('restore_session')
          .set({ completed_at: now })
          .where('id', '=', id)
          .where('completed_at', 'is', null)
          .returning('account_id')
          .executeTakeFirst();
        if (completed && event) await inside.emit({ accountId: completed.account_id, occurredAt: now, event });
      }),
    /** Records what an agent reports; does nothing the second time. */
    reported: (id: string, state: 'started' | 'completed', event: EmittedEvent, now: number): Promise<void> =>
      transaction(async (inside) => {
        const column = state === 'started' ? 'start_reported_at' : 'end_reported_at';
        const reported = await inside.queries
          .updateTable('restore_session')
          .set({ [column]: now })
          .where('id', '=', id)
          .where(column, 'is', null)
          .returning('account_id')
          .executeTakeFirst();
        if (reported) await inside.emit({ accountId: reported.account_id, occurredAt: now, event });
      }),
    extend: async (id: string, expiresAt: number): Promise<void> => {
      await queries
        .updateTable('restore_session')
        .set({ expires_at: expiresAt })
        .where('id', '=', id)
        .where('expires_at', '<', expiresAt)
        .execute();
    },
    /** Deletes expired sessions. */
    prune: async (now: number): Promise<void> => {
      await queries.deleteFrom('restore_session').where('expires_at', '<', now).execute();
    },
  };
}
