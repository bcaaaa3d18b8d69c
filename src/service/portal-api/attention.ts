import type { AttentionItem, PortalAttention } from '../../protocol/portal/portal-devices.ts';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import type { ServiceContext } from '../context.ts';
import { DEVICE_TROUBLES, deviceTrouble, type DeviceTrouble } from '../devices/status.ts';
import { ServiceProblem } from '../request/problem.ts';
import type { DeviceActivity } from '../devices/device-activity-store.ts';
import type { User } from '../auth/account-store.ts';
import { FAILING_LIMIT } from '../webhooks/outbox.ts';
import { LIMIT_THRESHOLD_PERCENT } from '../billing/plan-store.ts';
import { timeOrNull } from '../stored-time.ts';
import { shownDevice } from '../devices/devices.ts';
import { countsOf } from './devices.ts';
import { DAY } from '../../model/units.ts';

/** Maximum number of alarms, and of devices, that are listed. */
const SHOWN_ALARMS = 10;
const SHOWN_DEVICES = 6;

/** Time in milliseconds for which a webhook may fail before somebody is told. */
const FAILING_NOTICE = DAY;

/** Everything in an account that needs somebody, with the facts that its sentence names. */
export async function accountAttention(context: ServiceContext, user: User): Promise<PortalAttention> {
  const { accountId } = user;
  const { metadata, clock, accountSettings } = context;
  const devices = await metadata.deviceActivity.list(accountId);
  const troubled = devices
    .map((device) => ({ device, trouble: deviceTrouble(device, clock.now(), accountSettings.offlineAfter) }))
    // Each alarm is an item of its own.
    .filter((one): one is Troubled => one.trouble !== undefined && one.trouble !== 'alarm')
    .toSorted((a, b) => DEVICE_TROUBLES.indexOf(a.trouble) - DEVICE_TROUBLES.indexOf(b.trouble));
  const shown = troubled.slice(0, SHOWN_DEVICES);
  const lastBackup = devices.reduce((last, { lastBackup: time }) => Math.max(last, time ?? 0), 0);
  return {
    items: [
      ...mutedItems(context, user),
      ...(await alarmItems(context, accountId)),
      ...(await accountItems(context, accountId)),
      ...(user.role === 'member' ? [] : await webhookItems(context, accountId)),
      ...(await Promise.all(shown.map((one) => deviceItem(context, one)))),
    ],
    more_devices: troubled.length - shown.length,
    counts: countsOf(devices.map((device) => shownDevice(context, device))),
    last_backup: timeOrNull(lastBackup === 0 ? undefined : lastBackup),
  };
}

function mutedItems({ copyState }: ServiceContext, { role }: User): AttentionItem[] {
  return copyState?.isMuted === true && (role === 'owner' || role === 'admin') ? [{ kind: 'muted' }] : [];
}

async function alarmItems({ metadata }: ServiceContext, accountId: string): Promise<AttentionItem[]> {
  const alarms = await metadata.alarms.open(accountId, SHOWN_ALARMS);
  if (alarms.length === 0) {
    const since = await metadata.retention.heldSince(accountId);
    return since === undefined ? [] : [{ kind: 'held', since: formatTimestamp(since) }];
  }
  return alarms.map((alarm) => ({
    kind: 'alarm',
    device_id: alarm.deviceId,
    device_name: alarm.deviceName,
    backup_set: alarm.setName,
    raised: formatTimestamp(alarm.raisedAt),
    restore_point: timeOrNull(alarm.restorePoint),
    last_good: timeOrNull(alarm.lastGood),
    reasons: [...alarm.reasons],
  }));
}

async function accountItems({ metadata }: ServiceContext, accountId: string): Promise<AttentionItem[]> {
  const account = await metadata.accounts.findAccount(accountId);
  if (!account) throw new ServiceProblem('not_found');
  const items: AttentionItem[] = [];
  const { length: chunks } = await metadata.chunks.lost(account.number);
  if (chunks > 0) items.push({ kind: 'lost', chunks });
  const plan = await metadata.plans.find(accountId);
  const { storageUsed: used } = account;
  if (plan?.limit !== undefined && used * 100 >= plan.limit * LIMIT_THRESHOLD_PERCENT) {
    items.push({ kind: 'limit', storage_used: used, limit_bytes: plan.limit });
  }
  if (plan?.paymentFailedAt !== undefined) {
    items.push({ kind: 'payment', failed: formatTimestamp(plan.paymentFailedAt) });
  }
  return items;
}

/** Before an endpoint is switched off, somebody has four days to mend it. */
async function webhookItems({ metadata, clock }: ServiceContext, accountId: string): Promise<AttentionItem[]> {
  const now = clock.now();
  const endpoints = await metadata.webhooks.list(accountId, now);
  return endpoints
    .filter(({ disabledAt, disabledBecause, failingSince }) =>
      disabledAt === undefined
        ? failingSince !== undefined && now - failingSince >= FAILING_NOTICE
        : disabledBecause !== undefined,
    )
    .map(({ id, url, disabledAt, failingSince }) => ({
      kind: 'webhook',
      webhook_id: id,
      url,
      failing_since: timeOrNull(failingSince),
      switched_off: timeOrNull(disabledAt),
      switches_off: disabledAt === undefined ? timeOrNull(failingSince! + FAILING_LIMIT) : null,
    }));
}

interface Troubled {
  readonly device: DeviceActivity;
  readonly trouble: Exclude<DeviceTrouble, 'alarm'>;
}

async function deviceItem({ metadata }: ServiceContext, { device, trouble }: Troubled): Promise<AttentionItem> {
  const named = { device_id: device.id, device_name: device.name };
  const lastSeen = formatTimestamp(device.lastSeen);
  const lastBackup = timeOrNull(device.lastBackup);
  switch (trouble) {
    case 'offline':
    case 'late':
      return { kind: trouble, ...named, last_seen: lastSeen, last_backup: lastBackup };
    case 'failed': {
      const run = await metadata.deviceRuns.lastFailure(device.id);
      return {
        kind: 'failed',
        ...named,
        backup_set: run?.setName ?? '',
        ended: formatTimestamp(run?.endedAt ?? device.lastFailure ?? device.lastSeen),
        failure: run?.failure ?? null,
        last_backup: lastBackup,
      };
    }
    case 'new':
      return { kind: 'new', ...named, registered: formatTimestamp(device.registeredAt) };
  }
}
