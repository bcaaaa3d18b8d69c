import { requireRole } from '../auth/members.ts';
import { requirePermission } from '../auth/permissions.ts';
import type { Caller } from '../caller.ts';
import type { ServiceContext } from '../context.ts';
import { ServiceProblem } from '../request/problem.ts';
import type { StoredDevice } from './device-store.ts';

/** Returns the device of a backup, which the caller may write to. @throws ServiceProblem 403 or 404 */
export async function deviceToBackUp(context: ServiceContext, caller: Caller, deviceId: string): Promise<StoredDevice> {
  if (caller.kind === 'device') requireItself(caller, deviceId);
  const device = await deviceToRead(context, caller, deviceId);
  await requireOwnDevice(context, caller, device.id);
  if (device.revokedAt !== undefined) {
    throw new ServiceProblem('permission_denied', { detail: 'the device is revoked' });
  }
  return device;
}

/**
 * Requires that the caller may write to a device's backups: a device to its own, members to those of the devices that they registered,
 * owners and admins to all of the account.
 */
export async function requireOwnDevice(context: ServiceContext, caller: Caller, deviceId: string): Promise<void> {
  if (caller.kind === 'device') return requireItself(caller, deviceId);
  if ((await context.metadata.deviceActivity.registeredBy(deviceId)) === caller.userId) return;
  await requireRole(context, caller, 'admin');
}

function requireItself(caller: Extract<Caller, { kind: 'device' }>, deviceId: string): void {
  if (caller.deviceId === deviceId) return;
  throw new ServiceProblem('permission_denied', { detail: 'a device backs up itself only' });
}

/** Members manage the devices that they registered; owners and admins manage all. */
export async function requireDeviceOwner(context: ServiceContext, caller: Caller, deviceId: string): Promise<void> {
  await deviceToRead(context, caller, deviceId);
  if (caller.kind !== 'user')
    throw new ServiceProblem('permission_denied', { detail: 'only people look after devices' });
  requirePermission(caller, 'backup');
  await requireOwnDevice(context, caller, deviceId);
}

/** Returns a device of the caller's account, even a revoked one: its backups stay readable. */
export async function deviceToRead(
  context: ServiceContext,
  caller: Pick<Caller, 'accountId'>,
  deviceId: string,
): Promise<StoredDevice> {
  const device = await context.metadata.devices.find(deviceId);
  if (device?.accountId === caller.accountId) return device;
  throw noSuchDevice();
}

export function noSuchDevice(): ServiceProblem {
  return new ServiceProblem('not_found', { detail: 'no such device in this account' });
}
