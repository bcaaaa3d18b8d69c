import { isHoldfastError } from '../../../base/errors/errors.ts';

const REASONS: ReadonlySet<string | undefined> = new Set(['session_closed', 'session_not_found']);

/**
 * Detects that the service no longer has the session, or has ended it: after a day without a request, as after the sleep of a computer, or when
 * its clock was set forward. A new session needs only what is not stored yet. A 404 with a web page is an answer of something else.
 */
export function isSessionEnded(error: unknown): boolean {
  if (!isHoldfastError(error, 'service_error')) return false;
  return REASONS.has(error.details.reason) || error.details.status === 404 || error.details.status === 410;
}
