import { targetPath } from '../../input/local-path.ts';
import { wrongUsage } from '../../../base/errors/errors.ts';
import type { RestoreRequest } from '../../../model/restore-request.ts';
import type { TransferLimits } from '../../../remote/http/rate-limited-http.ts';
import { givenEntryPath, givenEntryPaths } from '../../input/entry-path.ts';

export interface RestoreOptions extends RestoreRequest, TransferLimits {
  readonly dryRun?: boolean | undefined;
}

/**
 * Returns the request with the paths resolved that a person entered, which may be relative to the working directory. This computer's own id is
 * left out: it has another one at each destination.
 *
 * @param roots those of the set, on this computer
 * @throws HoldfastError `usage`
 */
export function resolveRestoreRequest(
  asked: RestoreRequest,
  ownDevice: string,
  roots: readonly string[] = [],
): RestoreRequest {
  const { set, device, destination, at, conflict, exact, acceptUnverified } = asked;
  const { choices = [] } = asked;
  if (exact === true && choices.length > 0) {
    throw wrongUsage({ problem: 'options', message: 'An exact restore takes no choices for single files.' });
  }
  const without = givenEntryPaths(asked.without ?? [], roots);
  return {
    set,
    ...(device === undefined || device === ownDevice ? {} : { device }),
    ...(destination === undefined ? {} : { destination }),
    at,
    paths: givenEntryPaths(asked.paths, roots),
    ...(without.length === 0 ? {} : { without }),
    to: asked.to === null ? null : targetPath(asked.to),
    ...(conflict === undefined ? {} : { conflict }),
    ...(choices.length === 0
      ? {}
      : { choices: choices.map(({ path, choice }) => ({ path: givenEntryPath(path, roots), choice })) }),
    ...(exact === true ? { exact } : {}),
    ...(acceptUnverified === true ? { acceptUnverified } : {}),
  };
}
