import type { PortalFailure } from '../api/failure.ts';
import type { Strings } from './compiled/portal-en.ts';

/** Codes for which only the detail of the service names the cause. */
const SAID_BY_DETAIL = new Set(['unprocessable', 'malformed_request', 'conflict']);

/** Describes a failure to the person. */
export function failureSentence(failure: PortalFailure, strings: Strings): string {
  const { code, detail, retryAfter } = failure;
  const known = strings.failures[code];
  const sentence =
    detail !== undefined && (known === undefined || SAID_BY_DETAIL.has(code))
      ? strings.failureWith(detail)
      : (known ?? strings.failureOther(code));
  return retryAfter === undefined ? sentence : `${sentence} ${strings.waitSeconds(Math.ceil(retryAfter))}`;
}
