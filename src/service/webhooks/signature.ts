import { randomBytes, timingSafeEqual } from 'node:crypto';
import { hmacSha256 } from '../../base/crypto/hmac.ts';
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
  return formatWebhookSignature(hmacSha256(secret, body).toString('hex'));
}

/** Whether a header's value is that of these bytes; takes the same time however wrong it is. */
export function isSignedBy(secret: string, body: Uint8Array, header: string): boolean {
  const expected = Buffer.from(signBody(secret, body));
  const given = Buffer.from(header);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
