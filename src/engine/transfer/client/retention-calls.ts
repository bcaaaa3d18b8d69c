import { RETENTION_ENDPOINT, retentionAnswer } from '../../../protocol/retention.ts';
import type { RetentionAnswer, RetentionRequest } from '../../../protocol/retention.ts';
import { HoldfastError } from '../../../base/errors/errors.ts';
import { jsonResponse } from './responses.ts';
import type { AuthorisedCalls } from './authorised-calls.ts';

/** A preview examines every version of every file of the account. */
const STALL_TIMEOUT_MS = 10 * 60_000;

/**
 * Previews or changes the retention of a set's restore points.
 *
 * @throws HoldfastError `retention_refused` with `reason`, `permission_denied`, and the errors of every call
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
    stallTimeoutMs: STALL_TIMEOUT_MS,
    signal,
    read: jsonResponse(retentionAnswer),
    errorFor: ({ status, detail }) =>
      status === 409 ? new HoldfastError('retention_refused', { reason: detail }) : undefined,
  });
}
