import type { RestoreRequest } from '../../model/restore-request.ts';
import type { BackupSet } from '../../protocol/extensions.ts';
import { HoldfastError } from '../../base/errors/errors.ts';
import { isNotFound } from '../../base/errors/is-not-found.ts';
import { requireDevice } from '../destination/keys/account-devices.ts';
import type { OperationContext } from './operation-context.ts';

/** A set by its name, of this device unless another one is named. */
export type SetReference = Pick<RestoreRequest, 'set' | 'device'>;

/** A device's set at the service. */
export interface SetSource {
  readonly deviceId: string;
  readonly backupSet: string;
}

/**
 * Finds the set with a name: one configured here, or any that the device has at the service. A service that lists neither
 * sets nor restore points gets the name unchecked.
 *
 * @throws HoldfastError `set_unknown` with the `known` ones; `usage` if there is no such device
 */
export async function sourceOf(
  { settings, access, catalog }: OperationContext,
  { set, device }: SetReference,
  signal?: AbortSignal,
): Promise<SetSource> {
  const deviceId = device ?? settings.deviceId;
  const source = { deviceId, backupSet: set };
  const local = deviceId === settings.deviceId ? settings.sets.map(({ name }) => name) : [];
  if (local.includes(set) || catalog.history.restorePoints(deviceId, set).length > 0) return source;
  const stored = await storedSets(access, deviceId, signal);
  // Nor does one know it that may have sets which it does not list.
  if (stored?.length === 0 && access.repository?.doubt) return source;
  if (!stored || stored.some(({ name }) => name === set)) return source;
  const known = [...new Set([...local, ...stored.map(({ name }) => name)])];
  throw new HoldfastError('set_unknown', { set, deviceId, known });
}

async function storedSets(
  { service }: OperationContext['access'],
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
