import type { Device } from '../../protocol/devices.ts';
import { DEVICE_PERMISSIONS } from '../../protocol/auth.ts';
import type { PortalDevice } from '../../protocol/portal/portal-devices.ts';
import type { RegisterDeviceRequest, RegisterDeviceResponse } from '../../protocol/extensions.ts';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import { auditEntry } from '../audit/audit.ts';
import { deviceKeyHash, newDeviceKey } from '../auth/device-auth.ts';
import type { ServiceContext } from '../context.ts';
import { newIdentifier } from '../identifier.ts';
import { timeOrNull } from '../stored-time.ts';
import { deviceToRead, noSuchDevice } from './device-access.ts';
import type { DeviceActivity } from './device-activity-store.ts';
import type { StoredDevice } from './device-store.ts';
import { deviceStatus } from './status.ts';

/**
 * Registers a device, with all permissions unless fewer are requested. Its key is only in this response.
 *
 * @param by the id of the person who registers it
 */
export async function registerDevice(
  context: ServiceContext,
  accountId: string,
  request: RegisterDeviceRequest,
  by?: string,
): Promise<RegisterDeviceResponse> {
  const { metadata, clock } = context;
  const now = clock.now();
  const key = newDeviceKey();
  const permissions = DEVICE_PERMISSIONS.filter((one) => request.permissions?.includes(one) ?? true);
  const device: StoredDevice = {
    id: newIdentifier('dev'),
    accountId,
    name: request.name,
    os: request.os,
    agentVersion: request.agent_version,
    keyHash: deviceKeyHash(key),
    permissions,
    lastBackup: undefined,
    revokedAt: undefined,
  };
  const event = {
    event: 'device.registered',
    data: {
      device_id: device.id,
      device_name: device.name,
      os: device.os,
      agent_version: device.agentVersion,
      registered_at: formatTimestamp(now),
    },
  } as const;
  const entry = { accountId, userId: by, deviceId: device.id, kind: 'device.registered' } as const;
  await metadata.devices.register(device, now, event, { by, audit: auditEntry(context, entry) });
  return { device: { id: device.id, name: device.name, permissions }, device_key: key };
}

/** Lists devices in order of registration, including revoked ones: their backups stay readable. */
export async function listDevices(context: ServiceContext, accountId: string): Promise<Device[]> {
  const devices = await context.metadata.deviceActivity.list(accountId);
  return devices.map((device) => shownDevice(context, device));
}

/** A device as people see it. */
export function shownDevice({ clock, accountSettings }: ServiceContext, device: DeviceActivity): PortalDevice {
  return {
    id: device.id,
    name: device.name,
    os: device.os,
    agent_version: device.agentVersion,
    last_backup: timeOrNull(device.lastBackup),
    last_seen: formatTimestamp(device.lastSeen),
    status: deviceStatus(device, clock.now(), accountSettings.offlineAfter),
  };
}

/** Invalidates the device's key and tokens; its backups stay. */
export async function revokeDevice(context: ServiceContext, accountId: string, id: string, by?: string): Promise<void> {
  const { metadata, callers, clock } = context;
  await deviceToRead(context, { accountId }, id);
  const audit = auditEntry(context, { accountId, userId: by, deviceId: id, kind: 'device.revoked' });
  if (!(await metadata.devices.revoke(id, clock.now(), audit))) throw noSuchDevice();
  callers.forget(id);
}

export async function renameDevice(
  context: ServiceContext,
  { accountId, userId }: { readonly accountId: string; readonly userId: string },
  id: string,
  name: string,
): Promise<void> {
  const audit = auditEntry(context, { accountId, userId, deviceId: id, kind: 'device.renamed', details: { name } });
  if (!(await context.metadata.deviceActivity.rename(accountId, id, name, audit))) throw noSuchDevice();
}
