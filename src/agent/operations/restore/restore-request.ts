import { localPath } from '../../input/local-path.ts';
import { wrongUsage } from '../../../base/errors/errors.ts';
import type { RestoreRequest, RestoreSource } from '../../../jobs/job-request.ts';
import type { TransferLimits } from '../../../remote/http/rate-limited-http.ts';
import type { RestoreRequest as WindowRequest } from '../../../ipc/contract/restore/restore.ts';
import type { SetReference } from '../../context/set-source.ts';
import { givenEntryPath, givenEntryPaths } from '../../input/entry-path.ts';
import { pointInTime } from '../../input/point-in-time.ts';

/** A requested restore. Paths may be relative to the working directory. */
export interface RestoreOptions extends SetReference, TransferLimits, Omit<RestoreRequest, 'source'> {
  readonly at: RestoreSource['at'];
  readonly dryRun?: boolean;
}

/** Resolves the paths that a person entered. @param roots those of the set, on this computer @throws HoldfastError `usage` */
export function resolveRestoreRequest(
  options: RestoreOptions,
  ownDevice: string,
  roots: readonly string[] = [],
): RestoreRequest {
  const {
    set,
    device = ownDevice,
    at,
    destination,
    paths,
    without = [],
    to,
    conflict,
    choices = [],
    exact,
    acceptUnverified,
  } = options;
  if (exact === true && choices.length > 0) {
    throw wrongUsage({ problem: 'options', message: 'An exact restore takes no choices for single files.' });
  }

  return {
    source: { deviceId: device, backupSet: set, at },
    ...(destination === undefined ? {} : { destination }),
    paths: givenEntryPaths(paths, roots),
    without: givenEntryPaths(without, roots),
    to: to === null ? null : localPath(to),
    ...(conflict === undefined ? {} : { conflict }),
    ...(choices.length === 0
      ? {}
      : { choices: choices.map(({ path, choice }) => ({ path: givenEntryPath(path, roots), choice })) }),
    ...(exact === true ? { exact } : {}),
    ...(acceptUnverified === true ? { acceptUnverified } : {}),
  };
}

/** @throws HoldfastError `time_invalid` */
export async function restoreOptionsOf(
  { restorePoint, device, destination, to, ...request }: WindowRequest,
  now: number,
): Promise<RestoreOptions> {
  const at = await pointInTime(restorePoint, now);
  const place = destination === undefined ? {} : { destination };
  return {
    ...request,
    ...place,
    to: to === null ? null : localPath(to),
    at,
    ...(device === undefined ? {} : { device }),
  };
}

/** The options that make the agent execute a recorded request. */
export function recordedOptionsOf({ source, ...request }: RestoreRequest): RestoreOptions {
  return { ...request, set: source.backupSet, device: source.deviceId, at: source.at };
}

/**
 * A recorded request as the window makes it.
 *
 * @param ownDevice the id of this computer, which the window's requests do not name
 * @param restorePoint the one that the restore found, if it got that far
 */
export function windowRequestOf(
  { source, destination, paths, without = [], to, conflict, choices, exact }: RestoreRequest,
  ownDevice: string | undefined,
  restorePoint = source.at === 'latest' ? source.at : new Date(source.at).toISOString(),
): WindowRequest {
  return {
    set: source.backupSet,
    ...(source.deviceId === ownDevice ? {} : { device: source.deviceId }),
    ...(destination === undefined ? {} : { destination }),
    restorePoint,
    paths: [...paths],
    ...(without.length === 0 ? {} : { without: [...without] }),
    to,
    ...(conflict === undefined ? {} : { conflict }),
    ...(choices === undefined ? {} : { choices: [...choices] }),
    ...(exact === undefined ? {} : { exact }),
  };
}
