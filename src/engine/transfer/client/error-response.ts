import { type ErrorCode, HoldfastError } from '../../../base/errors.ts';
import { BodyTooLarge } from '../http/http-body.ts';
import { HttpFailure } from '../http/http-failure.ts';
import type { HttpResponse } from '../http/http-client.ts';
import { RetryableFailure, parseRetryAfter } from '../http/retrier.ts';

/** An answer other than 2xx. Bodies of any form are taken; one of RFC 9457 says more. */
export interface ErrorResponse {
  readonly status: number;
  /** Of the call, without its query. */
  readonly address: string;
  readonly contentType: string;
  /** `code` of the problem, where there is one. */
  readonly code: string | undefined;
  /** For people, in one line of printable characters. */
  readonly detail: string | undefined;
  readonly problem: Readonly<Record<string, unknown>>;
  readonly retryAfterMs: number | undefined;
}

/** A 409 of complete lists chunks; 1,000,000 of them have about 75 MB. */
const PROBLEM_LIMIT = 128 * 2 ** 20;
const DETAIL_LENGTH = 300;

/** Reads an answer other than 2xx to its end. */
export async function readErrorResponse(response: HttpResponse, address: string, now: number): Promise<ErrorResponse> {
  const contentType = response.headers['content-type'] ?? '';
  const problem = await readProblem(response, contentType);
  return {
    status: response.status,
    address,
    contentType,
    code: typeof problem['code'] === 'string' ? printable(problem['code']) : undefined,
    detail: typeof problem['detail'] === 'string' ? printable(problem['detail']) : undefined,
    problem,
    retryAfterMs: parseRetryAfter(response.headers['retry-after'], now),
  };
}

async function readProblem(response: HttpResponse, contentType: string): Promise<Readonly<Record<string, unknown>>> {
  if (!/\bjson\b/.test(contentType)) {
    await response.discard();
    return {};
  }
  try {
    const value: unknown = JSON.parse(Buffer.from(await response.bytes(PROBLEM_LIMIT)).toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch (error) {
    // The status has said what matters.
    if (error instanceof SyntaxError || error instanceof BodyTooLarge || error instanceof HttpFailure) return {};
    throw error;
  }
}

/** What a service wrote goes to terminals: one line, no control characters. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, DETAIL_LENGTH);
}

/** 501, 505 and 507 will be the same at the next try. */
export function isRetryableStatus(status: number): boolean {
  if (status === 408 || status === 425 || status === 429) return true;
  return status >= 500 && status !== 501 && status !== 505 && status !== 507;
}

/** Problem codes of Holdfast's own service that say more than the status. */
const CODES: ReadonlyMap<string, ErrorCode> = new Map([
  ['quota_exceeded', 'quota_exceeded'],
  ['insufficient_storage', 'destination_full'],
  ['permission_denied', 'permission_denied'],
  ['no_restore_point', 'no_restore_point'],
] as const);

/** Answered by a web site, or by a network that wants somebody to sign in. */
export function isHtml(refusal: ErrorResponse): boolean {
  return /\bhtml\b/.test(refusal.contentType);
}

/** In HTML, these say that no service is at this address. */
const NO_SERVICE: ReadonlySet<number> = new Set([400, 401, 404, 405]);

/** The error that a refusal means for any call; calls that know better decide before. */
function errorOf(refusal: ErrorResponse): HoldfastError {
  const { status, address, detail } = refusal;
  const details = { address, status, reason: refusal.code, detail };
  const own = refusal.code === undefined ? undefined : CODES.get(refusal.code);
  if (own) return new HoldfastError(own, details);
  if (status === 429 || status === 503) {
    const seconds = refusal.retryAfterMs === undefined ? undefined : Math.ceil(refusal.retryAfterMs / 1000);
    return new HoldfastError('service_busy', { ...details, retryAfterSeconds: seconds }, { retryable: true });
  }
  if (status < 400 || (isHtml(refusal) && NO_SERVICE.has(status))) {
    return new HoldfastError('service_broken', { ...details, contentType: refusal.contentType });
  }
  if (status === 403) return new HoldfastError('permission_denied', details);
  if (status === 507) return new HoldfastError('destination_full', details);
  return new HoldfastError('service_error', details, { retryable: isRetryableStatus(status) || status === 409 });
}

/** The refusal as something to try again, or as the error that it is. */
export function errorForResponse(refusal: ErrorResponse): RetryableFailure | HoldfastError {
  const error = errorOf(refusal);
  if (!isRetryableStatus(refusal.status)) return error;
  return new RetryableFailure('service_busy', true, error, refusal.retryAfterMs);
}

/** A network failure as something to try again; a bad certificate as the error that it is; all else as it is. */
export function errorForFailure(error: unknown): unknown {
  if (!(error instanceof HttpFailure)) return error;
  const details = { address: error.origin, reason: error.kind };
  if (error.kind === 'certificate') return new HoldfastError('service_unreachable', details, { cause: error });
  const outcome = new HoldfastError('service_unreachable', details, { cause: error, retryable: true });
  return new RetryableFailure('service_unreachable', error.connected, outcome);
}
