import { sql } from 'kysely';
import { UNFINISHED } from '../backup/session-store.ts';
import type { SqlDatabase } from '../database/sql-database.ts';

/** Totals over all accounts at one moment. Times are milliseconds since the epoch. */
export interface ServiceFigures {
  readonly accounts: number;
  /** Without revoked ones. */
  readonly devices: number;
  /** Unfinished backup sessions by state. */
  readonly sessions: Readonly<Record<string, number>>;
  readonly restorePoints: number;
  readonly newestRestorePoint: number | undefined;
  /** Bytes of all accounts' blobs. */
  readonly storageUsed: number;
  readonly webhooks: {
    readonly waiting: number;
    /** When the oldest waiting one was recorded. */
    readonly oldestWaiting: number | undefined;
  };
}

/** Figures for the operator of a service. */
export interface FiguresStore {
  figures(): Promise<ServiceFigures>;
}

export function createFiguresStore({ queries }: SqlDatabase): FiguresStore {
  const count = sql<number>`count(*)`;
  const accounts = () =>
    queries
      .selectFrom('account')
      .select([count.as('count'), sql<number>`coalesce(sum(storage_used), 0)`.as('storage')])
      .executeTakeFirstOrThrow();
  const devices = () =>
    queries.selectFrom('device').select(count.as('count')).where('revoked_at', 'is', null).executeTakeFirstOrThrow();
  const sessions = () =>
    queries
      .selectFrom('session')
      .select(['state', count.as('count')])
      .where('swept', '=', 0)
      .where('state', 'in', UNFINISHED)
      .groupBy('state')
      .execute();
  const points = () =>
    queries
      .selectFrom('session')
      .select([count.as('count'), sql<number | null>`max(restore_point)`.as('newest')])
      .where('sequence', 'is not', null)
      .executeTakeFirstOrThrow();
  const deliveries = () =>
    queries
      .selectFrom('webhook_delivery')
      .select([count.as('count'), sql<number | null>`min(created_at)`.as('oldest')])
      .where('next_attempt_at', 'is not', null)
      .executeTakeFirstOrThrow();
  return {
    async figures() {
      const account = await accounts();
      const device = await devices();
      const counted = new Map((await sessions()).map(({ state, count: open }) => [state, open]));
      const point = await points();
      const delivery = await deliveries();
      return {
        accounts: account.count,
        devices: device.count,
        sessions: Object.fromEntries(UNFINISHED.map((state) => [state, counted.get(state) ?? 0])),
        restorePoints: point.count,
        newestRestorePoint: point.newest ?? undefined,
        storageUsed: account.storage,
        webhooks: { waiting: delivery.count, oldestWaiting: delivery.oldest ?? undefined },
      };
    },
  };
}
