import { randomBytes, timingSafeEqual } from 'node:crypto';
import { hmacSha256 } from '../../base/crypto/hmac.ts';
import { formatWebhookSignature } from '../../protocol/webhooks.ts';

/**
 * Creates a signing secret of 256 random bits. The key of the HMAC is the whole text in UTF-8, including the prefix;
 * nothing is decoded.
 */
export function createSigningSecret(): string {
  return `whsec_${randomBytes(32).toString('base64url')}`;
}

/** Returns the value of `X-Service-Signature` for exactly these bytes. */
export function signBody(secret: string, body: Uint8Array): string {
  return formatWebhookSignature(hmacSha256(secret, body).toString('hex'));
}

/** Compares a header's value with that of these bytes in constant time. */
export function isSignedBy(secret: string, body: Uint8Array, header: string): boolean {
  const expected = Buffer.from(signBody(secret, body));
  const given = Buffer.from(header);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
