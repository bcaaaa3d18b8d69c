import type { BackupSet } from '../../protocol/extensions.ts';
import { HoldfastError, isHoldfastError } from '../../base/errors.ts';
import { requireDevice } from '../destination/this-device.ts';
import type { SetReference } from '../agent.ts';
import type { Session } from './open-context.ts';

/** A device's set at the service. */
export interface SetSource {
  readonly deviceId: string;
  readonly backupSet: string;
}

/**
 * The set that a name means: one that is set up here, or any that the device has at the service. Where the service
 * lists neither sets nor restore points the name is taken as it is.
 *
 * @throws HoldfastError `set_unknown` with the `known` ones; `usage` where there is no such device
 */
export async function sourceOf(
  { settings, access, catalog }: Session,
  { set, device }: SetReference,
  signal?: AbortSignal,
): Promise<SetSource> {
  const deviceId = device ?? settings.deviceId;
  const source = { deviceId, backupSet: set };
  const local = deviceId === settings.deviceId ? settings.sets.map(({ name }) => name) : [];
  if (local.includes(set) || catalog.history.restorePoints(deviceId, set).length > 0) return source;
  const stored = await storedSets(access, deviceId, signal);
  if (!stored || stored.some(({ name }) => name === set)) return source;
  const known = [...new Set([...local, ...stored.map(({ name }) => name)])];
  throw new HoldfastError('set_unknown', { set, deviceId, known });
}

async function storedSets(
  { service }: Session['access'],
  deviceId: string,
  signal: AbortSignal | undefined,
): Promise<readonly BackupSet[] | undefined> {
  try {
    return await service.backupSets(deviceId, signal);
  } catch (error) {
    if (isNotFound(error)) requireDevice(await service.devices(signal), deviceId);
    throw error;
  }
}

/** A service that knows no such device or set says so, where the interface names no other answer. */
export function isNotFound(error: unknown): boolean {
  return isHoldfastError(error, 'service_error') && error.details['status'] === 404;
}
