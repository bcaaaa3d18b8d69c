import type { PortalBackupSets, PortalUsage } from '../../protocol/portal.ts';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import type { ServiceContext } from '../context.ts';
import { ServiceProblem } from '../request/problem.ts';

const DAY = 86_400_000;

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

export async function accountBackupSets({ metadata }: ServiceContext, accountId: string): Promise<PortalBackupSets> {
  const sets = await metadata.usage.sets(accountId);
  return {
    backup_sets: sets.map((set) => ({
      device_id: set.deviceId,
      device_name: set.deviceName,
      name: set.name,
      restore_points: set.restorePoints,
      last_restore_point: set.lastRestorePoint === undefined ? null : formatTimestamp(set.lastRestorePoint),
      files: set.files,
      bytes: set.bytes,
    })),
  };
}
