import type { AuditEntry } from '../../protocol/accounts.ts';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import type { ServiceContext } from '../context.ts';
import { currentRequest } from '../request/request-scope.ts';
import type { NewAuditEntry } from '../store/audit/audit.ts';

/** Lifetime of entries in milliseconds. */
export const AUDIT_MEMORY = 400 * 24 * 3_600_000;

const LARGEST_PAGE = 200;

/** Creates an entry for the current request. */
export function auditEntry(
  { clock }: Pick<ServiceContext, 'clock'>,
  entry: Omit<NewAuditEntry, 'occurredAt' | 'address'>,
): NewAuditEntry {
  return { ...entry, occurredAt: clock.now(), address: currentRequest()?.address };
}

/** Newest first. */
export async function listAudit(
  { metadata }: ServiceContext,
  accountId: string,
  page: { readonly before?: string | undefined; readonly limit: number },
): Promise<AuditEntry[]> {
  const limit = Math.min(page.limit, LARGEST_PAGE);
  const entries = await metadata.audit.list(accountId, { before: page.before, limit });
  return entries.map(({ id, occurredAt, kind, userId, deviceId, address, details }) => ({
    id,
    occurred_at: formatTimestamp(occurredAt),
    kind,
    user_id: userId ?? null,
    device_id: deviceId ?? null,
    address: address ?? null,
    details: { ...details },
  }));
}
