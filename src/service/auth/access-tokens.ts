import { jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import { newIdentifier } from '../identifier.ts';
import { ServiceProblem } from '../problem.ts';

/** Seconds for which an access token is good, as the interface has it. */
export const ACCESS_LIFETIME = 3_600;

/** Seconds in which a second factor has to follow the password. */
export const MFA_LIFETIME = 300;

/** What a token is for, as its audience says: one is never taken for the other. */
const ACCESS = 'holdfast:access';
const MFA = 'holdfast:mfa';

const accessClaims = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('user'), sub: z.string(), account: z.string(), family: z.string() }),
  z.object({ kind: z.literal('device'), sub: z.string(), account: z.string() }),
]);
export type AccessClaims = z.infer<typeof accessClaims>;

const mfaClaims = z.object({ sub: z.string(), jti: z.string(), exp: z.number() });
export type MfaClaims = z.infer<typeof mfaClaims>;

/** JSON Web Tokens (RFC 7519) under HMAC-SHA256 with a key that stays in the store. Times are in milliseconds. */
export class AccessTokens {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  issue(claims: AccessClaims, now: number): Promise<string> {
    return this.#sign({ ...claims }, ACCESS, ACCESS_LIFETIME, now);
  }

  issueMfa(userId: string, now: number): Promise<string> {
    return this.#sign({ sub: userId, jti: newIdentifier('req') }, MFA, MFA_LIFETIME, now);
  }

  /** Throws `token_invalid`. */
  async verify(token: string, now: number): Promise<AccessClaims> {
    return accessClaims.parse(await this.#verify(token, ACCESS, now));
  }

  /** Throws `token_invalid`. */
  async verifyMfa(token: string, now: number): Promise<MfaClaims> {
    return mfaClaims.parse(await this.#verify(token, MFA, now));
  }

  #sign(claims: Record<string, unknown>, audience: string, lifetime: number, now: number): Promise<string> {
    const seconds = Math.floor(now / 1000);
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256' })
      .setAudience(audience)
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + lifetime)
      .sign(this.#key);
  }

  async #verify(token: string, audience: string, now: number): Promise<unknown> {
    try {
      const options = { audience, algorithms: ['HS256'], currentDate: new Date(now), requiredClaims: ['exp', 'sub'] };
      return (await jwtVerify(token, this.#key, options)).payload;
    } catch (cause) {
      throw new ServiceProblem('token_invalid', { cause });
    }
  }
}
