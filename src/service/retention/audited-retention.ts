import { RETENTION_PERIODS } from '../../protocol/retention.ts';
import type { RetentionPolicy, RetentionRequest } from '../../protocol/retention.ts';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import { auditEntry } from '../auth/audit.ts';
import type { ServiceContext } from '../context.ts';
import type { AuditKind } from '../store/audit/audit-store.ts';
import type { RetentionStore, StoredPoint } from '../store/retention/retention-store.ts';
import { auditedDatabase } from '../store/audit/audited-database.ts';
import { createSqlRetentionStore } from '../store/retention/retention.ts';

type Details = Readonly<Record<string, string>>;

/**
 * The store for one decision about a set, which is kept together with the audit entry that tells it.
 *
 * @param isChange as in `auditedDatabase`
 */
export function notedRetention(
  context: ServiceContext,
  accountId: string,
  { device_id: deviceId, backup_set: set }: Pick<RetentionRequest, 'device_id' | 'backup_set'>,
  { kind, userId, details }: { readonly kind: AuditKind; userId: string | undefined; details: Details | undefined },
  isChange?: (result: unknown) => boolean,
): RetentionStore {
  const entry = { accountId, userId, deviceId, kind, details: { backup_set: set, ...details } };
  return createSqlRetentionStore(auditedDatabase(context.metadata.sql, auditEntry(context, entry), isChange));
}

/** What a policy keeps; nothing where it keeps everything. */
export function describedPolicy(policy: RetentionPolicy | null): Details {
  if (!policy) return {};
  const counts = (['keep_all_days', ...RETENTION_PERIODS] as const).filter((name) => policy[name] > 0);
  return Object.fromEntries(counts.map((name) => [name, String(policy[name])]));
}

export function pointDetails({ restorePoint }: StoredPoint): Details {
  return { restore_point: formatTimestamp(restorePoint) };
}
