import type { Kysely } from 'kysely';
import { newIdentifier } from '../identifier.ts';
import type { SqlDatabase } from '../database/sql-database.ts';
import type { AuditEntryTable, Tables } from '../database/tables.ts';

/** Security events. Their `details` never contain a secret, and name users by their ids. */
export const AUDIT_KINDS = [
  'account.created',
  'sign_in.succeeded',
  'sign_in.password_refused',
  'sign_in.code_refused',
  'sign_in.passkey_refused',
  'sign_in.recovery_code_used',
  'sign_in.provider_linked',
  'session.ended',
  'session.reuse_detected',
  'password.changed',
  'password.reset_requested',
  'password.reset',
  'factor.added',
  'factor.removed',
  'factor.reset',
  'passkey.added',
  'passkey.removed',
  'recovery_codes.replaced',
  'member.invited',
  'member.invitation_withdrawn',
  'member.joined',
  'member.role_changed',
  'member.removed',
  'member.quota_changed',
  'device.registered',
  'device.renamed',
  'device.revoked',
  'webhook.added',
  'webhook.changed',
  'webhook.secret_changed',
  'webhook.enabled',
  'webhook.disabled',
  'webhook.removed',
  'plan.changed',
  'payment.failed',
  'payment.received',
  'retention.changed',
  'retention.applied',
  'retention.locked',
  'retention.released',
  'restore_point.pinned',
  'restore_point.unpinned',
  'restore_point.removed',
  'erasure.requested',
  'erasure.cancelled',
  'erasure.done',
] as const;
export type AuditKind = (typeof AUDIT_KINDS)[number];

export interface NewAuditEntry {
  readonly accountId: string;
  /** Milliseconds since the epoch. */
  readonly occurredAt: number;
  readonly kind: AuditKind;
  readonly userId?: string | undefined;
  readonly deviceId?: string | undefined;
  /** The client's address, as the connection or a trusted proxy reports it. */
  readonly address?: string | undefined;
  /** What was changed has its earlier value, if there was one, by `previousDetails`. */
  readonly details?: AuditDetails;
}

export type AuditDetails = Readonly<Record<string, string>>;

/** Returns details of the state before a change, whose names begin with `previous_`. */
export function previousDetails(before: AuditDetails): AuditDetails {
  return Object.fromEntries(Object.entries(before).map(([name, value]) => [`previous_${name}`, value]));
}

/** Part of an audit log. Every field that is given has to match. */
export interface AuditFilter {
  /** One of these. */
  readonly kinds?: readonly AuditKind[] | undefined;
  readonly userId?: string | undefined;
  readonly deviceId?: string | undefined;
  /** Milliseconds since the epoch, inclusive. */
  readonly from?: number | undefined;
  /** Milliseconds since the epoch, exclusive. */
  readonly to?: number | undefined;
}

export interface AuditListing extends AuditFilter {
  /** The id of an entry; older ones are listed. */
  readonly before?: string | undefined;
  readonly limit: number;
}

export interface StoredAuditEntry extends NewAuditEntry {
  readonly id: string;
}

/** Entries are added and pruned. Only an erasure changes them: it takes names and addresses out. */
export function createAuditStore({ queries }: Pick<SqlDatabase, 'queries'>) {
  return {
    record: (entry: NewAuditEntry): Promise<void> => addAuditEntry(queries, entry),
    /** Newest first. */
    list: async (
      accountId: string,
      { before, limit, kinds, userId, deviceId, from, to }: AuditListing,
    ): Promise<readonly StoredAuditEntry[]> => {
      if (kinds?.length === 0) return [];
      let page = queries.selectFrom('audit_entry').selectAll().where('account_id', '=', accountId);
      if (kinds !== undefined) page = page.where('kind', 'in', kinds);
      if (userId !== undefined) page = page.where('user_id', '=', userId);
      if (deviceId !== undefined) page = page.where('device_id', '=', deviceId);
      if (from !== undefined) page = page.where('occurred_at', '>=', from);
      if (to !== undefined) page = page.where('occurred_at', '<', to);
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
    /** Deletes entries of events before `before`. */
    prune: async (before: number): Promise<void> =>
      void (await queries.deleteFrom('audit_entry').where('occurred_at', '<', before).execute()),
  };
}

/** Inside a transaction the entry is committed together with the fact that it records. */
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

/** Preserves the order of entries that one process records in the same millisecond. */
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
