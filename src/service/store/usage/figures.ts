import { sql } from 'kysely';
import type { SqlDatabase } from '../database/sql-database.ts';

/** What a service holds at a moment. Times are milliseconds since the epoch. */
export interface ServiceFigures {
  readonly accounts: number;
  /** Those that are not revoked. */
  readonly devices: number;
  /** Backup sessions under way, by state. */
  readonly sessions: Readonly<Record<string, number>>;
  readonly restorePoints: number;
  readonly newestRestorePoint: number | undefined;
  /** Bytes of all accounts' blobs. */
  readonly storageUsed: number;
  readonly webhooks: {
    readonly waiting: number;
    /** When the oldest one that waits was recorded. */
    readonly oldestWaiting: number | undefined;
  };
}

/** Whole figures of all accounts together, for those who run a service. */
export interface FiguresStore {
  figures(): Promise<ServiceFigures>;
}

/** In the order in which a session goes through them. */
const STATES_UNDER_WAY = ['waiting', 'receiving', 'open'] as const;

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
      .where('state', 'in', STATES_UNDER_WAY)
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
        sessions: Object.fromEntries(STATES_UNDER_WAY.map((state) => [state, counted.get(state) ?? 0])),
        restorePoints: point.count,
        newestRestorePoint: point.newest ?? undefined,
        storageUsed: account.storage,
        webhooks: { waiting: delivery.count, oldestWaiting: delivery.oldest ?? undefined },
      };
    },
  };
}
