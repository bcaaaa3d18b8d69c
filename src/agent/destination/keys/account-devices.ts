import type { Device } from '../../../protocol/devices.ts';
import { HoldfastError, isHoldfastError } from '../../../base/errors/errors.ts';
import type { ServiceClient } from '../../../remote/ports.ts';

/** Lists the devices of an account. A device without the permission to list them gets an empty list. */
export async function visibleDevices(
  service: Pick<ServiceClient, 'devices'>,
  signal?: AbortSignal,
): Promise<readonly Device[]> {
  try {
    return await service.devices(signal);
  } catch (error) {
    if (isHoldfastError(error, 'permission_denied')) return [];
    throw error;
  }
}

/** Finds a device by its id, or by a name that no other has. @throws HoldfastError `usage` with the `known` ones */
export function requireDevice<Known extends { readonly id: string; readonly name: string }>(
  devices: readonly Known[],
  id: string,
): Known {
  const named = devices.filter(({ name }) => name === id);
  const device = devices.find((other) => other.id === id) ?? (named.length === 1 ? named[0] : undefined);
  if (device) return device;
  const known = devices.map((other) => other.id);
  throw new HoldfastError('usage', { problem: 'device-unknown', device: id, known });
}
