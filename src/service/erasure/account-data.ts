import type { AuditEntry } from '../../protocol/portal/audit.ts';
import { listAudit } from '../audit/audit.ts';
import { listInvitations, listMembers } from '../auth/members.ts';
import type { ServiceContext } from '../context.ts';
import { listDevices } from '../devices/devices.ts';
import { portalSet } from '../portal-api/usage.ts';
import type { User } from '../auth/account-store.ts';
import type { PortalBackupSet } from '../../protocol/portal/portal.ts';
import { listErasures } from './account-erasures.ts';

const AUDIT_PAGE = 200;

/** What the service has about an account besides its files, which only a restore decrypts. */
export interface AccountData {
  readonly account_id: string;
  readonly members: Awaited<ReturnType<typeof listMembers>>;
  readonly invitations: Awaited<ReturnType<typeof listInvitations>>;
  readonly devices: Awaited<ReturnType<typeof listDevices>>;
  readonly backup_sets: readonly PortalBackupSet[];
  readonly erasures: Awaited<ReturnType<typeof listErasures>>;
  readonly audit: readonly AuditEntry[];
}

/** @param by who reads it */
export async function accountData(context: ServiceContext, by: User): Promise<AccountData> {
  const { accountId } = by;
  const { usage } = context.metadata;
  const sets = await usage.summaries(await usage.sets(accountId));
  return {
    account_id: accountId,
    members: await listMembers(context, accountId),
    invitations: await listInvitations(context, accountId),
    devices: await listDevices(context, accountId),
    backup_sets: sets.map(portalSet),
    erasures: await listErasures(context, accountId),
    audit: await wholeAudit(context, by),
  };
}

async function wholeAudit(context: ServiceContext, by: User): Promise<AccountData['audit']> {
  const entries: AuditEntry[] = [];
  let before: string | undefined;
  do {
    const page = await listAudit(context, by, { before, limit: AUDIT_PAGE });
    entries.push(...page.entries);
    before = page.next ?? undefined;
  } while (before !== undefined);
  return entries;
}
