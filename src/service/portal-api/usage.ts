import type { PortalBackupSet, PortalBackupSets, PortalUsage } from '../../protocol/portal/portal.ts';
import { PORTAL_ROWS, type PortalSetsQuery } from '../../protocol/portal/portal-devices.ts';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import type { ServiceContext } from '../context.ts';
import { ServiceProblem } from '../request/problem.ts';
import type { BackupSetSummary } from '../usage/usage-store.ts';
import { matcher } from '../request/matcher.ts';
import { DAY } from '../../model/units.ts';

/** Days shown in the charts. */
const SHOWN_DAYS = 90;

export async function accountUsage({ metadata, clock }: ServiceContext, accountId: string): Promise<PortalUsage> {
  const account = await metadata.accounts.findAccount(accountId);
  if (!account) throw new ServiceProblem('not_found');
  const plan = await metadata.plans.find(accountId);
  const days = await metadata.usage.days(accountId, clock.now() - SHOWN_DAYS * DAY);
  return {
    storage_used: account.storageUsed,
    plan: plan === undefined ? null : { name: plan.name, quota: plan.limit ?? null },
    days: days.map(({ day, runs, bytes, bytesNew, storageUsed }) => ({
      day: formatTimestamp(day * DAY).slice(0, 10),
      runs,
      bytes,
      bytes_new: bytesNew,
      storage_used: storageUsed,
    })),
  };
}

/** A page of the account's backup sets. */
export async function accountBackupSets(
  { metadata }: ServiceContext,
  accountId: string,
  { search, offset }: PortalSetsQuery,
): Promise<PortalBackupSets> {
  const matches = matcher(search);
  const all = await metadata.usage.sets(accountId);
  const found = all.filter(({ name, deviceName }) => matches(name, deviceName));
  const page = await metadata.usage.summaries(found.slice(offset, offset + PORTAL_ROWS));
  return { backup_sets: page.map(portalSet), total: found.length };
}

export function portalSet(set: BackupSetSummary): PortalBackupSet {
  return {
    device_id: set.deviceId,
    device_name: set.deviceName,
    name: set.name,
    restore_points: set.restorePoints,
    last_restore_point: set.lastRestorePoint === undefined ? null : formatTimestamp(set.lastRestorePoint),
    files: set.files,
    bytes: set.bytes,
  };
}
