import { jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';

/** Seconds for which the page stays signed in without being used. */
const IDLE_LIFETIME = 12 * 3_600;

/** Seconds after which a sign-in of the page ends however much it is used. */
const LONGEST_LIFETIME = 30 * 24 * 3_600;

/** Seconds after which a use of the page makes its cookie last longer. */
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

/** Who the page is signed in as. `family` is the sign-in, which ends when it is ended anywhere. */
export interface PortalSession {
  readonly userId: string;
  readonly accountId: string;
  readonly familyId: string;
  /** Seconds since the epoch. */
  readonly started: number;
  /** Whether its cookie should be set anew. */
  readonly isDue: boolean;
}

/**
 * The cookie that holds a sign-in of the page: a JSON Web Token under HMAC-SHA256, out of the reach of scripts, and sent
 * with requests of this very site only. Times are in milliseconds where nothing else is said.
 */
export class PortalCookie {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** A `Set-Cookie` header. @param isSecure whether the page came over https */
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

  /** A `Set-Cookie` header that takes it away. */
  clear(isSecure: boolean): string {
    return header('', 0, isSecure);
  }

  /** The sign-in of a request's `Cookie` header; whether it was ended since is for the caller to find out. */
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

/** Browsers take a `__Host-` cookie from this very host over https only, so no other can plant one. */
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
