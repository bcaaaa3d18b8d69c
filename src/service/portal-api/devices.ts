import {
  LISTED_STATUSES,
  PORTAL_ROWS,
  type DeviceCounts,
  type PortalDevice,
  type PortalDeviceDetails,
  type PortalDevices,
  type PortalDevicesQuery,
  type PortalRun,
} from '../../protocol/portal/portal-devices.ts';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import type { ServiceContext } from '../context.ts';
import { noSuchDevice } from '../devices/device-access.ts';
import { shownDevice } from '../devices/devices.ts';
import type { User } from '../auth/account-store.ts';
import type { DeviceActivity } from '../devices/device-activity-store.ts';
import type { DeviceRun } from '../usage/device-run-store.ts';
import { timeOrNull } from '../stored-time.ts';
import { matcher } from '../request/matcher.ts';
import { portalSet } from './usage.ts';
import { DAY } from '../../model/units.ts';

/** Days of the health of a device. */
const SHOWN_DAYS = 90;
const SHOWN_RUNS = 20;

/** A page of the account's devices: those that need somebody first, then by name. */
export async function accountDevices(
  context: ServiceContext,
  accountId: string,
  { search, status, offset }: PortalDevicesQuery,
): Promise<PortalDevices> {
  const matches = matcher(search);
  const all = (await context.metadata.deviceActivity.list(accountId)).map((device) => shownDevice(context, device));
  const found = all
    .filter((device) => status === undefined || device.status === status)
    .filter(({ name, os, id }) => matches(name, os, id))
    .toSorted((a, b) => rankOf(a) - rankOf(b) || a.name.localeCompare(b.name, 'en') || (a.id < b.id ? -1 : 1));
  return { devices: found.slice(offset, offset + PORTAL_ROWS), total: found.length, counts: countsOf(all) };
}

/** A device with its runs. @throws ServiceProblem `not_found` */
export async function deviceDetails(context: ServiceContext, user: User, id: string): Promise<PortalDeviceDetails> {
  const { metadata, clock } = context;
  const activity = await metadata.deviceActivity.find(user.accountId, id);
  if (!activity) throw noSuchDevice();
  const named = await metadata.usage.sets(user.accountId, id);
  const sets = await metadata.usage.summaries(named.slice(0, PORTAL_ROWS));
  const runs = await metadata.deviceRuns.runs(id, SHOWN_RUNS);
  const days = await metadata.deviceRuns.days(id, clock.now() - SHOWN_DAYS * DAY);
  return {
    device: {
      ...shownDevice(context, activity),
      registered: formatTimestamp(activity.registeredAt),
      owner: await ownerOf(context, user, activity),
    },
    backup_sets: sets.map(portalSet),
    more_sets: named.length - sets.length,
    runs: runs.map(portalRun),
    days: days.map(({ day, completed, failed }) => ({
      day: formatTimestamp(day * DAY).slice(0, 10),
      completed,
      failed,
    })),
  };
}

export function countsOf(devices: readonly Pick<PortalDevice, 'status'>[]): DeviceCounts {
  const count = (status: PortalDevice['status']): number => devices.filter((device) => device.status === status).length;
  return Object.fromEntries(LISTED_STATUSES.map((status) => [status, count(status)])) as DeviceCounts;
}

/** Members see the addresses of others nowhere. */
async function ownerOf(
  { metadata }: ServiceContext,
  user: User,
  { registeredBy }: DeviceActivity,
): Promise<string | null> {
  if (registeredBy === undefined || (user.role === 'member' && registeredBy !== user.id)) return null;
  const owner = await metadata.accounts.user(registeredBy);
  return owner?.accountId === user.accountId ? owner.email : null;
}

function portalRun(run: DeviceRun): PortalRun {
  return {
    id: run.sessionId,
    backup_set: run.setName,
    state: run.state,
    started: formatTimestamp(run.startedAt),
    ended: timeOrNull(run.endedAt),
    failure: run.failure ?? null,
    files: run.files,
    bytes: run.bytes,
    bytes_new: run.bytesNew,
    warnings: run.warnings,
    suspicious: run.isSuspicious,
  };
}

function rankOf({ status }: PortalDevice): number {
  return LISTED_STATUSES.indexOf(status);
}
