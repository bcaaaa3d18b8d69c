import { RETENTION_PERIODS, type RetentionPolicy, type RetentionRequest } from '../../protocol/retention.ts';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import { auditEntry } from '../audit/audit.ts';
import type { ServiceContext } from '../context.ts';
import type { AuditKind } from '../audit/audit-store.ts';
import type { StoredPoint } from './retention-facts.ts';
import type { RetentionStore } from './retention-store.ts';

type Details = Readonly<Record<string, string>>;

interface RetentionDecision {
  readonly kind: AuditKind;
  readonly userId: string | undefined;
  readonly details: Details | undefined;
  /** See `MetadataStore.audited`. */
  readonly isChange: ((result: unknown) => boolean) | undefined;
}

/**
 * Returns the store for one decision about a set, which is recorded in the audit log.
 */
export function auditedRetention(
  context: ServiceContext,
  accountId: string,
  { device_id: deviceId, backup_set: set }: Pick<RetentionRequest, 'device_id' | 'backup_set'>,
  { kind, userId, details, isChange }: RetentionDecision,
): RetentionStore {
  const entry = { accountId, userId, deviceId, kind, details: { backup_set: set, ...details } };
  return context.metadata.audited(auditEntry(context, entry), isChange).retention;
}

/** Describes what a policy keeps; empty if it keeps everything. */
export function describedPolicy(policy: RetentionPolicy | null): Details {
  if (!policy) return {};
  const counts = (['keep_all_days', ...RETENTION_PERIODS] as const).filter((name) => policy[name] > 0);
  return Object.fromEntries(counts.map((name) => [name, String(policy[name])]));
}

export function pointDetails({ restorePoint }: StoredPoint): Details {
  return { restore_point: formatTimestamp(restorePoint) };
}
