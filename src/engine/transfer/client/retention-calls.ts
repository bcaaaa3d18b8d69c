import { RETENTION_ENDPOINT, retentionAnswer } from '../../../protocol/retention.ts';
import type { RetentionAnswer, RetentionRequest } from '../../../protocol/retention.ts';
import { HoldfastError } from '../../../base/errors.ts';
import { jsonResponse } from './responses.ts';
import type { AuthorisedCalls } from './authorised-calls.ts';

/** A preview looks at every version of every file of the account. */
const SILENCE_MS = 10 * 60_000;

/**
 * Asks about the restore points of a set, or changes what becomes of them.
 *
 * @throws HoldfastError `retention_refused` with `reason`, `permission_denied`, and what every call throws
 */
export function requestRetention(
  calls: AuthorisedCalls,
  request: RetentionRequest,
  signal?: AbortSignal,
): Promise<RetentionAnswer> {
  return calls.call({
    method: 'POST',
    path: RETENTION_ENDPOINT,
    json: () => request,
    stallTimeoutMs: SILENCE_MS,
    signal,
    read: jsonResponse(retentionAnswer),
    errorFor: ({ status, detail }) =>
      status === 409 ? new HoldfastError('retention_refused', { reason: detail }) : undefined,
  });
}
