import { type ErrorCode, HoldfastError } from '../../base/errors/errors.ts';
import { decodedBody, UndecodableBody } from '../http/decoded-body.ts';
import { BodyTooLarge, readBytes } from '../http/http-body.ts';
import { HttpFailure } from '../http/http-failure.ts';
import type { HttpResponse } from '../http/http-client.ts';
import { BrokenConnection, parseRetryAfter, RetryableFailure } from '../http/retrier.ts';

/** A response other than 2xx. Its body may have any form; one of RFC 9457 provides details. */
export interface ErrorResponse {
  readonly status: number;
  /** URL without its query. */
  readonly address: string;
  readonly contentType: string;
  /** `code` of the problem, if it has one. */
  readonly code: string | undefined;
  /** Text for people, one line of printable characters. */
  readonly detail: string | undefined;
  readonly problem: Readonly<Record<string, unknown>>;
  readonly retryAfterMs: number | undefined;
}

/** The 409 of complete lists chunks; 1,000,000 of them take about 75 MB. */
const PROBLEM_LIMIT = 128 * 2 ** 20;
const DETAIL_LENGTH = 300;

/** What was sent that no error may repeat: `everything` of a sign-in, or these texts. */
export type SentSecrets = 'everything' | readonly string[];

/**
 * Reads a response other than 2xx to its end. A service may echo what it was sent, and errors are printed, stored and sent for support. So
 * nothing that a service says of a sign-in is kept but codes that this program knows, and otherwise no text with a secret in it.
 */
export async function readErrorResponse(
  response: HttpResponse,
  address: string,
  now: number,
  secrets: SentSecrets = [],
): Promise<ErrorResponse> {
  const contentType = knownType(response.headers['content-type'] ?? '');
  const problem = await readProblem(response, contentType);
  return {
    status: response.status,
    address,
    contentType,
    code: harmlessCode(problem['code'], secrets),
    detail: harmlessText(problem['detail'], secrets),
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
    const value: unknown = JSON.parse(new TextDecoder().decode(await readBytes(decodedBody(response), PROBLEM_LIMIT)));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch (error) {
    // The status is sufficient.
    if ([SyntaxError, BodyTooLarge, HttpFailure, UndecodableBody].some((kind) => error instanceof kind)) return {};
    throw error;
  }
}

/** Codes of sign-ins that are told apart. Another word may be a password. */
const SIGN_IN_CODES: ReadonlySet<string> = new Set([
  'token_invalid',
  'credentials_invalid',
  'signature_time_invalid',
  'factor_required',
  'permission_denied',
]);
const CODE = /^[a-z]{1,40}(?:[_-][a-z]{1,40}){0,6}$/i;

function harmlessCode(code: unknown, secrets: SentSecrets): string | undefined {
  if (typeof code !== 'string' || !CODE.test(code)) return undefined;
  if (secrets === 'everything') return SIGN_IN_CODES.has(code) ? code : undefined;
  return hasNone(code, secrets) ? code : undefined;
}

function harmlessText(text: unknown, secrets: SentSecrets): string | undefined {
  if (typeof text !== 'string' || secrets === 'everything') return undefined;
  return hasNone(text, secrets) ? printable(text) : undefined;
}

/** Compares also without what may be between the characters, and in capitals. */
function hasNone(text: string, secrets: readonly string[]): boolean {
  const folded = foldedText(text);
  return secrets.every((secret) => !folded.includes(foldedText(secret)));
}

function foldedText(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}

/** Types by which a web site or a proxy is told from a service. */
const TYPES = ['html', 'json', 'xml', 'text/plain'] as const;

/** Returns a type without what else the header says. */
export function knownType(contentType: string): string {
  const type = contentType.toLowerCase().split(';', 1)[0]!;
  const known = TYPES.find((one) => type.includes(one));
  if (known === undefined) return type === '' ? '' : 'another type';
  return { html: 'text/html', json: 'application/json', xml: 'application/xml', 'text/plain': 'text/plain' }[known];
}

/** Makes a service's text safe for terminals: one line, no control characters. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, DETAIL_LENGTH);
}

/** 501, 505 and 507 would be the same on the next attempt. */
export function isRetryableStatus(status: number): boolean {
  if (status === 408 || status === 425 || status === 429) return true;
  return status >= 500 && status !== 501 && status !== 505 && status !== 507;
}

/** Problem codes of Holdfast's own service that are more specific than the status. */
const CODES: ReadonlyMap<string, ErrorCode> = new Map([
  ['quota_exceeded', 'quota_exceeded'],
  ['insufficient_storage', 'destination_full'],
  ['permission_denied', 'permission_denied'],
  ['no_restore_point', 'no_restore_point'],
] as const);

/** Returns whether a response is a web page. */
export function isHtmlType({ headers }: Pick<HttpResponse, 'headers'>): boolean {
  return /\bhtml\b/.test(headers['content-type']?.toLowerCase() ?? '');
}

/** Returns whether the response came from a web site or from a network's sign-in page. */
export function isHtml(response: ErrorResponse): boolean {
  return /\bhtml\b/.test(response.contentType);
}

/** Statuses of HTML responses that mean that there is no service at this address. */
const NO_SERVICE: ReadonlySet<number> = new Set([400, 401, 404, 405]);

/** Default error for a response; a call's own `errorFor` takes precedence. */
function errorOf(response: ErrorResponse): HoldfastError {
  const { status, address, detail } = response;
  const details = { address, status, reason: response.code, detail };
  if (response.code === 'factor_required') {
    return new HoldfastError('permission_denied', { ...details, problem: 'fresh-code-needed' });
  }
  const own = response.code === undefined ? undefined : CODES.get(response.code);
  if (own) return new HoldfastError(own, details);
  if (status === 429 || status === 503) {
    const seconds = response.retryAfterMs === undefined ? undefined : Math.ceil(response.retryAfterMs / 1000);
    return new HoldfastError('service_busy', { ...details, retryAfterSeconds: seconds }, { retryable: true });
  }
  if (status < 400 || (isHtml(response) && NO_SERVICE.has(status))) {
    return new HoldfastError('service_broken', { ...details, contentType: response.contentType });
  }
  if (status === 403) return new HoldfastError('permission_denied', details);
  if (status === 507) return new HoldfastError('destination_full', details);
  return new HoldfastError('service_error', details, { retryable: isRetryableStatus(status) || status === 409 });
}

/** Returns a RetryableFailure for a retryable status, and an error for any other. */
export function errorForResponse(response: ErrorResponse): RetryableFailure | HoldfastError {
  const error = errorOf(response);
  if (!isRetryableStatus(response.status)) return error;
  return new RetryableFailure('service_busy', true, error, response.retryAfterMs);
}

/** Converts a network failure to a RetryableFailure, or to an error for an invalid certificate. Returns other errors as is. */
export function errorForFailure(error: unknown): unknown {
  if (!(error instanceof HttpFailure)) return error;
  const details = { address: error.origin, reason: error.kind };
  if (error.kind === 'certificate') return new HoldfastError('service_unreachable', details, { cause: error });
  const outcome = new HoldfastError('service_unreachable', details, { cause: error, retryable: true });
  return error.isBroken
    ? new BrokenConnection(error.connected, outcome)
    : new RetryableFailure('service_unreachable', error.connected, outcome);
}
