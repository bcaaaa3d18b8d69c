import { Client, errors } from 'undici';
import { WEBHOOK_DELIVERY_HEADER, WEBHOOK_EVENT_HEADER, WEBHOOK_SIGNATURE_HEADER } from '../../protocol/webhooks.ts';
import { parseEndpointUrl } from './endpoint-url.ts';
import { createAddressGuard, systemResolve, type AddressGuard, type Resolve } from './guarded-lookup.ts';
import type { AttemptOutcome, Delivery } from './outbox.ts';
import { signBody } from './signature.ts';
import { KIB } from '../../model/units.ts';

/** The result of an attempt, and its request headers. */
export interface SendResult {
  readonly headers: Readonly<Record<string, string>>;
  readonly outcome: AttemptOutcome;
}

/** Makes one attempt; rejects only with the signal's reason. The signal limits the time: the sender has no clock. */
export type Sender = (delivery: Delivery, signal: AbortSignal) => Promise<SendResult>;

/** Bytes read of a response body, so that the receiver sees its response accepted. */
const LONGEST_ANSWER = 64 * KIB;
/** Bytes of a response body stored in the log. */
const KEPT_ANSWER = 1024;

/** Statuses for an unknown signature: the interface demands 401, but not all receivers comply. */
const SIGNATURE_REFUSED: ReadonlySet<number> = new Set([400, 401, 403]);

/**
 * Sends over HTTP. Without `allowPrivate` it connects only to public addresses. On the day after a rotation,
 * a receiver that rejects the new secret's signature immediately gets the same bytes with the old one's, so that a receiver
 * with either secret accepts every delivery.
 */
export function createSender(options: { readonly allowPrivate: boolean; readonly resolve?: Resolve }): Sender {
  const guard = createAddressGuard({ allowPrivate: options.allowPrivate, resolve: options.resolve ?? systemResolve });

  return async (delivery, signal) => {
    const body = Buffer.from(delivery.body, 'utf8');
    const [newest, ...older] = delivery.secrets;
    let result = await send(guard, delivery, newest, body, signal);
    for (const secret of older) {
      if (result.outcome.kind !== 'answered' || !SIGNATURE_REFUSED.has(result.outcome.status)) break;
      result = await send(guard, delivery, secret, body, signal);
    }
    return result;
  };
}

/** Returns the request headers of a delivery signed with this secret. */
export function requestHeaders(delivery: Delivery, secret: string, body: Uint8Array): Readonly<Record<string, string>> {
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Holdfast-Webhooks',
    [WEBHOOK_SIGNATURE_HEADER]: signBody(secret, body),
    [WEBHOOK_EVENT_HEADER]: delivery.event,
    [WEBHOOK_DELIVERY_HEADER]: delivery.id,
  };
}

async function send(
  guard: AddressGuard,
  delivery: Delivery,
  secret: string,
  body: Buffer,
  signal: AbortSignal,
): Promise<SendResult> {
  const headers = requestHeaders(delivery, secret, body);
  const failed = (reason: string): SendResult => ({ headers, outcome: { kind: 'failed', reason } });
  const endpoint = parseEndpointUrl(delivery.url);
  if (endpoint.kind === 'invalid') return failed(`URL ${endpoint.reason}`);
  try {
    guard.assertHostAllowed(endpoint.url);
    return { headers, outcome: await post(endpoint.url, headers, body, signal, guard.lookup) };
  } catch (error) {
    signal.throwIfAborted();
    return failed(reasonOf(error));
  }
}

/**
 * Creates a client for each attempt: a connection is never reused without a check of its address. The socket also gets the
 * signal, since undici alone would wait for name resolution or a handshake.
 */
async function post(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
  signal: AbortSignal,
  lookup: AddressGuard['lookup'],
): Promise<AttemptOutcome> {
  const client = new Client(url.origin, { allowH2: false, pipelining: 0, connect: { lookup, signal } });
  try {
    const path = url.pathname + url.search;
    const answer = await client.request({ method: 'POST', path, headers, body, signal });
    return { kind: 'answered', status: answer.statusCode, answer: await beginningOf(answer.body) };
  } finally {
    await client.destroy();
  }
}

/** The status decides; a truncated or endless body has no effect. */
async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of body) {
      if (length < KEPT_ANSWER) pieces.push(piece);
      length += piece.length;
      if (length >= LONGEST_ANSWER) break;
    }
  } catch {
    // Keeps the bytes received so far.
  }
  // PostgreSQL's text cannot contain NUL.
  return Buffer.concat(pieces).subarray(0, KEPT_ANSWER).toString('utf8').replaceAll('\0', '\uFFFD');
}

/** Returns a system, TLS or HTTP error's code for the admin; never the address or the secret. */
function reasonOf(error: unknown): string {
  if (error instanceof errors.UndiciError) return codeOf(error.cause) ?? error.code;
  return codeOf(error) ?? (error instanceof Error ? error.name : 'unknown');
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error instanceof AggregateError ? codeOf(error.errors[0]) : undefined;
}
