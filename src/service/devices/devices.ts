import type { Device } from '../../protocol/devices.ts';
import { DEVICE_PERMISSIONS } from '../../protocol/auth.ts';
import type { RegisterDeviceRequest, RegisterDeviceResponse } from '../../protocol/extensions.ts';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import { deviceKeyHash, newDeviceKey } from '../auth/device-auth.ts';
import type { ServiceContext } from '../context.ts';
import { newIdentifier } from '../identifier.ts';
import { ServiceProblem } from '../problem.ts';
import type { StoredDevice } from '../store/metadata-store.ts';

/** Registers a device with all permissions. Its key is in this answer and nowhere else. */
export async function registerDevice(
  { metadata, clock }: ServiceContext,
  accountId: string,
  request: RegisterDeviceRequest,
): Promise<RegisterDeviceResponse> {
  const now = clock.now();
  const key = newDeviceKey();
  const device: StoredDevice = {
    id: newIdentifier('dev'),
    accountId,
    name: request.name,
    os: request.os,
    agentVersion: request.agent_version,
    keyHash: deviceKeyHash(key),
    permissions: DEVICE_PERMISSIONS,
    lastBackup: undefined,
    revokedAt: undefined,
  };
  await metadata.devices.register(device, now, {
    event: 'device.registered',
    data: {
      device_id: device.id,
      device_name: device.name,
      os: device.os,
      agent_version: device.agentVersion,
      registered_at: formatTimestamp(now),
    },
  });
  return { device: { id: device.id, name: device.name, permissions: [...DEVICE_PERMISSIONS] }, device_key: key };
}

export async function listDevices({ metadata }: ServiceContext, accountId: string): Promise<Device[]> {
  const devices = await metadata.devices.list(accountId);
  return devices.map(({ id, name, os, agentVersion, lastBackup }) => ({
    id,
    name,
    os,
    agent_version: agentVersion,
    last_backup: lastBackup === undefined ? null : formatTimestamp(lastBackup),
    status: 'healthy',
  }));
}

/** What the device backed up stays; its key and its tokens are good for nothing from now on. */
export async function revokeDevice({ metadata, clock }: ServiceContext, accountId: string, id: string): Promise<void> {
  const device = await metadata.devices.find(id);
  if (device?.accountId === accountId && (await metadata.devices.revoke(id, clock.now()))) return;
  throw new ServiceProblem('not_found', { detail: 'no such device in this account' });
}
