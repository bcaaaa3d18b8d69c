import { decodeJwt, jwtVerify, SignJWT } from 'jose';
import type { JWTHeaderParameters } from 'jose';
import { z } from 'zod';
import { newIdentifier } from '../../identifier.ts';
import { ServiceProblem } from '../../request/problem.ts';
import { SIGNING_ALGORITHM } from './signing-keys.ts';
import type { SigningKeys } from './signing-keys.ts';

/** Lifetime of an access token in seconds, from the interface. */
export const ACCESS_LIFETIME = 3_600;

/** Capacity of the cache of verified access tokens: a client sends the same one for an hour. */
const REMEMBERED_TOKENS = 2_000;

const accessClaims = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('user'), sub: z.string(), account: z.string(), family: z.string() }),
  z.object({ kind: z.literal('device'), sub: z.string(), account: z.string() }),
]);
export type AccessClaims = z.infer<typeof accessClaims>;

/** An identity that is linked to the user once the second factor is verified. */
const identity = z.object({ issuer: z.string(), subject: z.string() });

/** The version of the password that led to the token; another password voids the token. */
const password = z.string();

/** Single-use tokens for one step. */
const ONE_TIME = {
  /** Proves a correct password; leads to the second factor. */
  mfa: { lifetime: 300, claims: z.object({ sub: z.string(), password, identity: identity.optional() }) },
  /** Proves a correct password of a user without a second factor; leads to its enrolment. */
  enrolment: { lifetime: 600, claims: z.object({ sub: z.string(), password }) },
  /** Carries the state through an identity provider and back. */
  'provider-state': {
    lifetime: 600,
    claims: z.object({
      provider: z.string(),
      redirect: z.string(),
      challenge: z.string(),
      /** Hex hash of the token of an invitation. */
      invitation: z.string().optional(),
    }),
  },
  /** Proves a sign-in at an identity provider to the client that has the verifier of `challenge`. */
  'auth-code': {
    lifetime: 120,
    claims: z.object({ sub: z.string(), challenge: z.string(), identity: identity.optional() }),
  },
} as const;
type OneTimePurpose = keyof typeof ONE_TIME;
type OneTimeClaims<Purpose extends OneTimePurpose> = z.infer<(typeof ONE_TIME)[Purpose]['claims']>;

/** `jti` and `exp` (seconds) identify the token when it is marked as used. */
export type OneTimeToken<Purpose extends OneTimePurpose> = OneTimeClaims<Purpose> & {
  readonly jti: string;
  readonly exp: number;
};

const registered = z.object({ jti: z.string(), exp: z.number() });

/**
 * JSON Web Tokens (RFC 7519). Each kind has its own audience, so that none is accepted as another. Times are in
 * milliseconds.
 */
export class AccessTokens {
  readonly keys: SigningKeys;
  readonly #checked = new Map<string, { readonly claims: AccessClaims; readonly expiresAt: number }>();

  constructor(keys: SigningKeys) {
    this.keys = keys;
  }

  issue(claims: AccessClaims, now: number): Promise<string> {
    return this.#sign({ ...claims }, 'access', ACCESS_LIFETIME, now);
  }

  issueOnce<Purpose extends OneTimePurpose>(
    purpose: Purpose,
    claims: OneTimeClaims<Purpose>,
    now: number,
  ): Promise<string> {
    return this.#sign({ ...claims, jti: newIdentifier('req') }, purpose, ONE_TIME[purpose].lifetime, now);
  }

  /** Throws `token_invalid`. */
  async verify(token: string, now: number): Promise<AccessClaims> {
    const known = this.#checked.get(token);
    if (known && now < known.expiresAt) return known.claims;
    const payload = await this.#verify(token, 'access', now);
    const claims = accessClaims.parse(payload);
    this.#remember(token, { claims, expiresAt: registered.shape.exp.parse(payload['exp']) * 1000 });
    return claims;
  }

  /** Does not check whether the token was used before. Throws `token_invalid`. */
  async verifyOnce<Purpose extends OneTimePurpose>(
    purpose: Purpose,
    token: string,
    now: number,
  ): Promise<OneTimeToken<Purpose>> {
    const payload = await this.#verify(token, purpose, now);
    const claims = ONE_TIME[purpose].claims.parse(payload) as OneTimeClaims<Purpose>;
    return { ...claims, ...registered.parse(payload) };
  }

  /** Returns the audience that an unverified token claims. */
  purposeOf(token: string): string | undefined {
    try {
      return String(decodeJwt(token).aud).replace(/^holdfast:/, '');
    } catch {
      return undefined;
    }
  }

  #remember(token: string, checked: { readonly claims: AccessClaims; readonly expiresAt: number }): void {
    this.#checked.delete(token);
    this.#checked.set(token, checked);
    if (this.#checked.size <= REMEMBERED_TOKENS) return;
    for (const oldest of this.#checked.keys()) {
      this.#checked.delete(oldest);
      break;
    }
  }

  async #sign(claims: Record<string, unknown>, audience: string, lifetime: number, now: number): Promise<string> {
    const seconds = Math.floor(now / 1000);
    const { id, privateKey } = await this.keys.current(now);
    return new SignJWT(claims)
      .setProtectedHeader({ alg: SIGNING_ALGORITHM, kid: id })
      .setAudience(`holdfast:${audience}`)
      .setIssuedAt(seconds)
      .setExpirationTime(seconds + lifetime)
      .sign(privateKey);
  }

  async #verify(token: string, audience: string, now: number): Promise<Record<string, unknown>> {
    const keyOf = async ({ kid }: JWTHeaderParameters) => {
      const key = await this.keys.find(kid, now);
      if (!key) throw new ServiceProblem('token_invalid', { detail: 'signed with another key' });
      return key;
    };
    try {
      const options = {
        audience: `holdfast:${audience}`,
        algorithms: [SIGNING_ALGORITHM],
        currentDate: new Date(now),
        requiredClaims: ['exp'],
      };
      return (await jwtVerify(token, keyOf, options)).payload;
    } catch (cause) {
      throw cause instanceof ServiceProblem ? cause : new ServiceProblem('token_invalid', { cause });
    }
  }
}
