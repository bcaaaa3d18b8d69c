import { Secret, TOTP } from 'otpauth';

/** RFC 6238 with the values that every authenticator app supports. */
const PERIOD = 30;

/** Time steps by which a phone's clock may differ. */
const WINDOW = 1;

const SECRET_BYTES = 20;

/** Base32. */
export function newTotpSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** Returns the URI for a QR code. */
export function totpUri(secret: string, email: string): string {
  return totpOf(secret, email).toString();
}

/** Returns the time step of a code, or `undefined` if it is wrong now. `now` in milliseconds. */
export function totpStep(secret: string, code: string, now: number): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined;
  const delta = totpOf(secret, '').validate({ token: code, window: WINDOW, timestamp: now });
  return delta === null ? undefined : Math.floor(now / 1000 / PERIOD) + delta;
}

function totpOf(secret: string, label: string): TOTP {
  return new TOTP({ issuer: 'Holdfast', label, algorithm: 'SHA1', digits: 6, period: PERIOD, secret });
}
