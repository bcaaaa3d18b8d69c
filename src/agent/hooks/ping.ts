import type { Clock } from '../../base/clock.ts';
import type { HttpClient } from '../../remote/http/http-client.ts';
import type { PingResult } from '../../ipc/contract/hooks.ts';
import { KIB } from '../../model/units.ts';

/** Waits before the second and the third attempt. */
const WAITS_MS = [2_000, 10_000];
/** Of an attempt, whatever the server sends meanwhile. */
const TIMEOUT_MS = 10_000;
const MOST_RESPONSE_BYTES = 64 * KIB;
/** Refusals that a later attempt may not get. */
const TEMPORARY = new Set([408, 425, 429]);

export interface PingParts {
  readonly http: HttpClient;
  readonly clock: Clock;
  /** Ends the attempts when it is aborted. */
  readonly signal: AbortSignal;
}

/** Sends a ping with a text, up to three times. Redirects are not followed. Never rejects. */
export async function sendPing(url: string, text: string, { http, clock, signal }: PingParts): Promise<PingResult> {
  let status: number | undefined;
  for (let attempt = 1; ; attempt += 1) {
    status = (await attemptOnce(url, text, http, signal)) ?? status;
    const isDelivered = status !== undefined && status >= 200 && status < 300;
    const mayRetry = status === undefined || status >= 500 || TEMPORARY.has(status);
    const wait = WAITS_MS[attempt - 1];
    if (isDelivered || !mayRetry || wait === undefined || signal.aborted) {
      return { at: clock.now(), isDelivered, attempts: attempt, ...(status === undefined ? {} : { status }) };
    }
    await clock.sleep(wait, signal).catch(() => undefined);
  }
}

/** Returns the status; `undefined` without an answer. */
async function attemptOnce(
  url: string,
  text: string,
  http: HttpClient,
  signal: AbortSignal,
): Promise<number | undefined> {
  try {
    const response = await http.request({
      method: 'POST',
      url,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'user-agent': 'Holdfast' },
      body: text,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      stallTimeoutMs: TIMEOUT_MS,
    });
    await response.bytes(MOST_RESPONSE_BYTES).catch(() => undefined);
    return response.status;
  } catch {
    return undefined;
  }
}
