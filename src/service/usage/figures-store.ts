import { sql } from 'kysely';
import { UNFINISHED } from '../backup/store/session.ts';
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

/** A device that is not revoked. Times are milliseconds since the epoch. */
export interface DeviceFigures {
  readonly id: string;
  readonly name: string;
  readonly lastSeen: number;
  /** Its registration, if it has no backup yet. */
  readonly successSince: number;
  readonly lastBackup: number | undefined;
  /** True if a run of it looked like ransomware, and removals are held since. */
  readonly hasAlarm: boolean;
  readonly sets: readonly SetFigures[];
}

export interface SetFigures {
  readonly name: string;
  readonly lastSuccess: number | undefined;
  /** Plaintext bytes of the newest run. */
  readonly bytes: number;
  readonly hasAlarm: boolean;
}

export type FiguresStore = ReturnType<typeof createFiguresStore>;

/** Figures for the operator of a service. */
export function createFiguresStore({ queries }: SqlDatabase) {
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
  const alarmed = sql<number>`EXISTS (SELECT 1 FROM alarm a JOIN retention_account r ON r.account_id = a.account_id
    WHERE a.account_id = d.account_id AND a.raised_at >= r.held_at AND a.device_id = d.id)`;
  const setAlarmed = sql<number>`EXISTS (SELECT 1 FROM alarm a JOIN retention_account r ON r.account_id = a.account_id
    WHERE a.account_id = b.account_id AND a.raised_at >= r.held_at AND a.set_number = b.number)`;
  const newestOf = (column: 'restore_point' | 'bytes') =>
    sql<number | null>`(SELECT s.${sql.ref(column)} FROM session s WHERE s.set_number = b.number
      AND s.sequence IS NOT NULL ORDER BY s.restore_point DESC LIMIT 1)`;
  return {
    /**
     * Returns at most `limit` devices with at most `limit` sets. Devices with a backup come first, those of each account in turn, the
     * ones whose last backup is oldest before others; and of the sets the first of each device before others. So neither empty devices
     * nor one account nor one device hide the rest.
     */
    async devices(limit: number): Promise<readonly DeviceFigures[]> {
      const success = sql<number>`coalesce(d.last_backup, d.created_at)`;
      const isEmpty = sql<number>`CASE WHEN d.last_backup IS NULL THEN 1 ELSE 0 END`;
      const inAccount = sql<number>`row_number() OVER (PARTITION BY d.account_id ORDER BY ${isEmpty}, ${success}, d.id)`;
      const found = await queries
        .selectFrom('device as d')
        .leftJoin('device_activity as x', 'x.device_id', 'd.id')
        .select(['d.id', 'd.name', 'd.created_at', 'd.last_backup', 'x.last_seen', alarmed.as('alarm')])
        .where('d.revoked_at', 'is', null)
        .orderBy(isEmpty)
        .orderBy(inAccount)
        .orderBy(success)
        .orderBy('d.id')
        .limit(limit)
        .execute();
      if (found.length === 0) return [];
      const inDevice = sql<number>`row_number() OVER (PARTITION BY b.device_id ORDER BY b.name)`;
      const ids = found.map(({ id }) => id);
      const sets = await queries
        .selectFrom('backup_set as b')
        .select([
          'b.device_id',
          'b.name',
          newestOf('restore_point').as('newest'),
          newestOf('bytes').as('bytes'),
          setAlarmed.as('alarm'),
        ])
        .where('b.device_id', 'in', ids)
        .orderBy(inDevice)
        .orderBy('b.number')
        .limit(limit)
        .execute();
      const setsOf = Map.groupBy(sets, (row) => row.device_id);
      return found.map((row) => ({
        id: row.id,
        name: row.name,
        lastSeen: Math.max(row.last_seen ?? row.created_at, row.last_backup ?? 0),
        successSince: row.last_backup ?? row.created_at,
        lastBackup: row.last_backup ?? undefined,
        hasAlarm: Boolean(row.alarm),
        sets: (setsOf.get(row.id) ?? []).map(({ name, newest, bytes, alarm }) => ({
          name,
          lastSuccess: newest ?? undefined,
          bytes: bytes ?? 0,
          hasAlarm: Boolean(alarm),
        })),
      }));
    },
    async figures(): Promise<ServiceFigures> {
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
