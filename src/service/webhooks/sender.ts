import { Client, errors } from 'undici';
import { WEBHOOK_DELIVERY_HEADER, WEBHOOK_EVENT_HEADER, WEBHOOK_SIGNATURE_HEADER } from '../../protocol/webhooks.ts';
import { parseEndpointUrl } from './endpoint-url.ts';
import { createAddressGuard, systemResolve, type Resolve } from './guarded-lookup.ts';
import type { Delivery } from './outbox.ts';
import { signBody } from './signature.ts';

/** What a try came to: the receiver's status, or why there is none. */
export type SendResult =
  | { readonly kind: 'answered'; readonly status: number }
  | { readonly kind: 'failed'; readonly reason: string };

/** One try; never rejects but with the signal's reason. The signal bounds the time: the sender has no clock. */
export type Sender = (delivery: Delivery, signal: AbortSignal) => Promise<SendResult>;

/** Of an answer's body so much is read, so that the receiver sees its answer taken; nothing is made of it. */
const LONGEST_ANSWER = 64 * 1024;

/** A real sender. Without `allowPrivate` it connects to addresses of the public internet only. */
export function createSender(options: { readonly allowPrivate: boolean; readonly resolve?: Resolve }): Sender {
  const guard = createAddressGuard({ allowPrivate: options.allowPrivate, resolve: options.resolve ?? systemResolve });

  return async (delivery, signal) => {
    const endpoint = parseEndpointUrl(delivery.url);
    if (endpoint.kind === 'invalid') return { kind: 'failed', reason: `URL ${endpoint.reason}` };
    try {
      guard.assertHostAllowed(endpoint.url);
      return await post(endpoint.url, delivery, signal, guard.lookup);
    } catch (error) {
      signal.throwIfAborted();
      return { kind: 'failed', reason: reasonOf(error) };
    }
  };
}

/**
 * A client of its own for each try: a connection is never used past the check of its address. The socket gets the
 * signal as well, since undici alone would wait out a look-up or a handshake.
 */
async function post(
  url: URL,
  delivery: Delivery,
  signal: AbortSignal,
  lookup: ReturnType<typeof createAddressGuard>['lookup'],
): Promise<SendResult> {
  const client = new Client(url.origin, { allowH2: false, pipelining: 0, connect: { lookup, signal } });
  try {
    const body = Buffer.from(delivery.body, 'utf8');
    const answer = await client.request({
      method: 'POST',
      path: url.pathname + url.search,
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': 'Holdfast-Webhooks',
        [WEBHOOK_SIGNATURE_HEADER]: signBody(delivery.secret, body),
        [WEBHOOK_EVENT_HEADER]: delivery.event,
        [WEBHOOK_DELIVERY_HEADER]: delivery.id,
      },
      body,
      signal,
    });
    // The status decides; an answer's body that breaks off or never ends changes nothing.
    await answer.body.dump({ limit: LONGEST_ANSWER, signal }).catch(() => undefined);
    return { kind: 'answered', status: answer.statusCode };
  } finally {
    await client.destroy();
  }
}

/** Short and for the admin: a system, TLS or HTTP error's code; never the address or the secret. */
function reasonOf(error: unknown): string {
  if (error instanceof errors.UndiciError) return codeOf(error.cause) ?? error.code;
  return codeOf(error) ?? (error instanceof Error ? error.name : 'unknown');
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error instanceof AggregateError ? codeOf(error.errors[0]) : undefined;
}
