import { RETENTION_ENDPOINT, retentionAnswer } from '../../protocol/retention.ts';
import type { RetentionAnswer, RetentionRequest } from '../../protocol/retention.ts';
import { HoldfastError } from '../../base/errors/errors.ts';
import { brokenResponse, jsonResponse } from './responses.ts';
import type { AuthorisedCalls } from './authorised-calls.ts';
import { MINUTE } from '../../model/units.ts';

/** A preview examines every version of every file of the account. */
const STALL_TIMEOUT_MS = 10 * MINUTE;

const read = jsonResponse(retentionAnswer);

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
    read: async (response, address) => checked(await read(response, address), { request, address }),
    errorFor: ({ status, detail }) =>
      status === 409 ? new HoldfastError('retention_refused', { reason: detail }) : undefined,
  });
}

/** Returns the answer with its restore points in order: the newest one, and the one at a time, are chosen by it. */
function checked(
  { state, ...answer }: RetentionAnswer,
  { request, address }: { readonly request: RetentionRequest; readonly address: string },
): RetentionAnswer {
  if (request.action === 'preview' && answer.removed > state.points.length)
    throw brokenResponse(address, { reason: 'removes_more_than_there_is' });
  const points = state.points.toSorted((a, b) => Date.parse(b.restore_point) - Date.parse(a.restore_point));
  return { ...answer, state: { ...state, points } };
}
