import { createHmac, randomBytes } from 'node:crypto';
import { formatWebhookSignature } from '../../protocol/webhooks.ts';

/**
 * A new signing secret, 256 random bits. The key of the HMAC is the whole text as shown, prefix included, in UTF-8;
 * nothing is decoded.
 */
export function createSigningSecret(): string {
  return `whsec_${randomBytes(32).toString('base64url')}`;
}

/** The value of `X-Service-Signature` for exactly these bytes. */
export function signBody(secret: string, body: Uint8Array): string {
  return formatWebhookSignature(createHmac('sha256', secret).update(body).digest('hex'));
}
