import type { Clock } from '../../../base/clock.ts';
import { HoldfastError } from '../../../base/errors.ts';
import { brokenResponse } from '../client/responses.ts';
import { readErrorResponse, errorForResponse } from '../client/error-response.ts';
import type { HttpResponse } from '../http/http-client.ts';
import { RetryableFailure } from '../http/retrier.ts';

/** A transfer must have this long before its address expires … */
const MARGIN_MS = 60_000;

/** How storages word an address that has expired or is wrong; S3 says 400 for some. */
export const ADDRESS_REFUSED: ReadonlySet<number> = new Set([400, 401, 403]);

/** When a presigned address that was given just now should be replaced rather than used. */
export function usableUntil(expiresInSeconds: number, clock: Pick<Clock, 'now'>): number {
  const lifetime = expiresInSeconds * 1000;
  // … or, where addresses live for minutes only, a fifth of their life.
  return clock.now() + lifetime - Math.min(MARGIN_MS, lifetime / 5);
}

/** The origin of a presigned address: all of it that may be shown. `service_broken` where it is no http(s) address. */
export function originOf(url: string, field: string, givenBy: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol === 'https:' || parsed?.protocol === 'http:') return parsed.origin;
  throw brokenResponse(givenBy, { field, detail: 'no http(s) address' });
}

/**
 * What a storage's answer means that is no success: a full storage and a too large body end the transfer; anything else is
 * tried again.
 */
export async function storageRefusal(
  response: HttpResponse,
  origin: string,
  now: number,
): Promise<RetryableFailure | HoldfastError> {
  const refusal = await readErrorResponse(response, origin, now);
  if (refusal.status === 507 || refusal.status === 413) return errorForResponse(refusal);
  const outcome = new HoldfastError(
    'service_error',
    { address: origin, status: refusal.status, reason: refusal.code ?? 'storage', detail: refusal.detail },
    { retryable: true },
  );
  return new RetryableFailure('service_busy', true, outcome, refusal.retryAfterMs);
}
