import { Secret, TOTP } from 'otpauth';

/** RFC 6238 with the values that every authenticator app knows. */
const PERIOD = 30;

/** Steps by which a phone's clock may be off. */
const WINDOW = 1;

const SECRET_BYTES = 20;

/** Base32. */
export function newTotpSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** What an authenticator app reads from a QR code. */
export function totpUri(secret: string, email: string): string {
  return totpOf(secret, email).toString();
}

/** The time step that a code belongs to, or nothing where it is wrong now. `now` in milliseconds. */
export function totpStep(secret: string, code: string, now: number): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined;
  const delta = totpOf(secret, '').validate({ token: code, window: WINDOW, timestamp: now });
  return delta === null ? undefined : Math.floor(now / 1000 / PERIOD) + delta;
}

function totpOf(secret: string, label: string): TOTP {
  return new TOTP({ issuer: 'Holdfast', label, algorithm: 'SHA1', digits: 6, period: PERIOD, secret });
}
