import { jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';

/** Idle time in seconds after which the portal signs out. */
const IDLE_LIFETIME = 12 * 3_600;

/** Maximum duration in seconds of a sign-in of the portal. */
const LONGEST_LIFETIME = 30 * 24 * 3_600;

/** Age in seconds from which a request renews the cookie. */
const RENEWAL = 600;

const AUDIENCE = 'holdfast:portal';

const claims = z.object({
  sub: z.string(),
  account: z.string(),
  family: z.string(),
  /** Seconds since the epoch. */
  started: z.number(),
  iat: z.number(),
});

/** The user of the portal. `family` identifies the sign-in, which can be ended anywhere. */
export interface PortalSession {
  readonly userId: string;
  readonly accountId: string;
  readonly familyId: string;
  /** Seconds since the epoch. */
  readonly started: number;
  /** True if the cookie should be renewed. */
  readonly isDue: boolean;
}

/**
 * The cookie of a sign-in of the portal: a JSON Web Token under HMAC-SHA256, inaccessible to scripts, and sent
 * only with same-site requests. Times are in milliseconds unless noted.
 */
export class PortalCookie {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** Returns a `Set-Cookie` header. @param isSecure whether the page was served over https */
  async issue(
    session: {
      readonly userId: string;
      readonly accountId: string;
      readonly familyId: string;
      readonly started?: number;
    },
    now: number,
    isSecure: boolean,
  ): Promise<string> {
    const seconds = Math.floor(now / 1000);
    const started = session.started ?? seconds;
    const end = Math.min(seconds + IDLE_LIFETIME, started + LONGEST_LIFETIME);
    const token = await new SignJWT({ account: session.accountId, family: session.familyId, started })
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(session.userId)
      .setAudience(AUDIENCE)
      .setIssuedAt(seconds)
      .setExpirationTime(end)
      .sign(this.#key);
    return header(token, end - seconds, isSecure);
  }

  /** Returns a `Set-Cookie` header that deletes the cookie. */
  clear(isSecure: boolean): string {
    return header('', 0, isSecure);
  }

  /** Returns the sign-in of a request's `Cookie` header; the caller checks whether it has ended. */
  async read(cookies: string | null, now: number, isSecure: boolean): Promise<PortalSession | undefined> {
    const token = valueOf(cookies, nameOf(isSecure));
    if (token === undefined) return undefined;
    const options = { audience: AUDIENCE, algorithms: ['HS256'], currentDate: new Date(now), requiredClaims: ['exp'] };
    const verified = await jwtVerify(token, this.#key, options).catch(() => undefined);
    const parsed = claims.safeParse(verified?.payload);
    if (!parsed.success) return undefined;
    const { sub: userId, account: accountId, family: familyId, started, iat } = parsed.data;
    return { userId, accountId, familyId, started, isDue: now / 1000 - iat > RENEWAL };
  }
}

/** Browsers accept a `__Host-` cookie only from this host over https, so no other host can set one. */
function nameOf(isSecure: boolean): string {
  return isSecure ? '__Host-holdfast' : 'holdfast';
}

function header(value: string, maxAge: number, isSecure: boolean): string {
  const attributes = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAge}${isSecure ? '; Secure' : ''}`;
  return `${nameOf(isSecure)}=${value}; ${attributes}`;
}

function valueOf(cookies: string | null, name: string): string | undefined {
  for (const pair of (cookies ?? '').split(';')) {
    const [key, value] = pair.trim().split('=', 2);
    if (key === name && value !== undefined && value !== '') return value;
  }
  return undefined;
}
