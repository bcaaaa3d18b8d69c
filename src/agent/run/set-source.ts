import { HoldfastError } from '../../engine/errors.ts';
import type { SetReference } from '../agent.ts';
import type { Session } from './session.ts';

/** A device's set at the service. */
export interface SetSource {
  readonly deviceId: string;
  readonly backupSet: string;
}

/**
 * The set that a name means: one that is set up here, or any that the device has at the service. Where the service
 * lists neither sets nor restore points the name is taken as it is.
 *
 * @throws HoldfastError `set_unknown` with the `known` ones
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
  const stored = await access.service.backupSets(deviceId, signal);
  if (!stored || stored.some(({ name }) => name === set)) return source;
  const known = [...new Set([...local, ...stored.map(({ name }) => name)])];
  throw new HoldfastError('set_unknown', { set, deviceId, known });
}
