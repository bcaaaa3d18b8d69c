import type { AuditEntry } from '../../protocol/accounts.ts';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import type { ServiceContext } from '../context.ts';
import { currentRequest } from '../request/request-scope.ts';
import type { User } from '../store/accounts/accounts.ts';
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

/** Newest first. Auditors read the origins of webhooks only: their paths may be secrets. */
export async function listAudit(
  { metadata }: ServiceContext,
  { accountId, role }: Pick<User, 'accountId' | 'role'>,
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
    details: role === 'auditor' ? withOrigin(details ?? {}) : { ...details },
  }));
}

function withOrigin({ url, ...details }: Readonly<Record<string, string>>): Record<string, string> {
  return url === undefined ? details : { ...details, url: URL.canParse(url) ? new URL(url).origin : '' };
}
