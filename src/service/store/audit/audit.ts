import type { Kysely } from 'kysely';
import { newIdentifier } from '../../identifier.ts';
import type { AuditKind, AuditStore, NewAuditEntry, StoredAuditEntry } from './audit-store.ts';
import type { AuditEntryTable } from '../database/tables.ts';
import type { SqlDatabase } from '../database/sql-database.ts';
import type { Tables } from '../database/tables.ts';

export function createAuditStore({ queries }: Pick<SqlDatabase, 'queries'>): AuditStore {
  return {
    record: (entry) => addAuditEntry(queries, entry),
    list: async (accountId, { before, limit }) => {
      let page = queries.selectFrom('audit_entry').selectAll().where('account_id', '=', accountId);
      if (before !== undefined) {
        const last = queries.selectFrom('audit_entry').where('id', '=', before).where('account_id', '=', accountId);
        page = page.where((check) =>
          check.or([
            check('occurred_at', '<', last.select('occurred_at')),
            check.and([check('occurred_at', '=', last.select('occurred_at')), check('id', '<', before)]),
          ]),
        );
      }
      const rows = await page.orderBy('occurred_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
      return rows.map(entryOf);
    },
    prune: async (before) => void (await queries.deleteFrom('audit_entry').where('occurred_at', '<', before).execute()),
  };
}

/** Inside a transaction it is kept with the fact that it tells, or not at all. */
export async function addAuditEntry(queries: Kysely<Tables>, entry: NewAuditEntry): Promise<void> {
  await queries
    .insertInto('audit_entry')
    .values({
      id: auditId(entry.occurredAt),
      account_id: entry.accountId,
      occurred_at: entry.occurredAt,
      kind: entry.kind,
      user_id: entry.userId ?? null,
      device_id: entry.deviceId ?? null,
      address: entry.address ?? null,
      details_json: JSON.stringify(entry.details ?? {}),
    })
    .execute();
}

let order = 0;

/** Entries of one process and millisecond keep their order. */
function auditId(now: number): string {
  order = (order + 1) % 0x1_00_00_00;
  const [prefix, random] = newIdentifier('aud').split(/_(.*)/s) as [string, string];
  return `${prefix}_${now.toString(16).padStart(12, '0')}${order.toString(16).padStart(6, '0')}${random.slice(0, 8)}`;
}

function entryOf(row: AuditEntryTable): StoredAuditEntry {
  return {
    id: row.id,
    accountId: row.account_id,
    occurredAt: row.occurred_at,
    kind: row.kind as AuditKind,
    userId: row.user_id ?? undefined,
    deviceId: row.device_id ?? undefined,
    address: row.address ?? undefined,
    details: JSON.parse(row.details_json) as Record<string, string>,
  };
}
