import { createHash, timingSafeEqual } from 'node:crypto';
import { hmacSha256 } from '../../../base/crypto/hmac.ts';
import type { Configuration } from 'openid-client';
import { z } from 'zod';
import {
  ACCOUNT_ENDPOINTS,
  type AuthorizeQuery,
  type PkceGrantRequest,
  type Role,
  type SignInChallenge,
} from '../../../protocol/accounts.ts';
import type { ServiceContext } from '../../context.ts';
import { ServiceProblem } from '../../request/problem.ts';
import { previousDetails } from '../../audit/audit-store.ts';
import type { NewUser, ProviderIdentity } from '../member-store.ts';
import type { User } from '../account-store.ts';
import type { AccessTokens, OneTimeToken } from '../tokens/access-tokens.ts';
import type { IdentityProvider } from '../account-settings.ts';
import { invitationHash } from '../invitation-hash.ts';
import { auditEntry } from '../../audit/audit.ts';
import { isAllowedRedirect } from './provider-redirect.ts';
import { roleFromNowOn, roleOfGroups } from './roles-by-groups.ts';
import { requireUser } from '../require-user.ts';
import { challengeOf } from '../sign-in.ts';

/** What is not named may contain the groups of a person. */
const claimsSchema = z.looseObject({
  iss: z.string(),
  sub: z.string(),
  email: z.email().optional(),
  // Some providers send it as text.
  email_verified: z.union([z.boolean(), z.stringbool()]).optional(),
});
type Claims = z.infer<typeof claimsSchema>;

/**
 * Returns the claims of the ID token with those that only the user info has. The address comes from one of them with whether it is
 * verified.
 *
 * @param groups the claim with the groups
 */
function wholeClaims(token: Claims, more: Readonly<Record<string, unknown>>, groups: string | undefined): Claims {
  const { iss, sub } = token;
  const whole = token.email === undefined ? { ...more, iss, sub } : token;
  if (groups === undefined) return claimsSchema.parse(whole);
  const source = Object.hasOwn(token, groups) ? token : more;
  return claimsSchema.parse(Object.hasOwn(source, groups) ? { ...whole, [groups]: source[groups] } : whole);
}

/** Error codes of RFC 6749, 4.1.2.1 for users whom the provider knows. */
class Refused extends Error {
  override readonly name = 'Refused';
  readonly code: 'access_denied' | 'server_error';

  constructor(code: Refused['code'], description: string, cause?: unknown) {
    super(description, { cause });
    this.code = code;
  }
}

/**
 * Sign-in through OpenID Connect providers. The provider replaces the password; our second factor remains
 * mandatory. No state is stored between the steps, so that any process of a service can handle the next one: the state is
 * signed, and the verifier and nonce are derived from it and from a secret of the store.
 */
export class ProviderSignIn {
  readonly #context: ServiceContext;
  readonly #tokens: AccessTokens;
  readonly #configurations = new Map<string, Promise<Configuration>>();

  constructor(context: ServiceContext, tokens: AccessTokens) {
    this.#context = context;
    this.#tokens = tokens;
  }

  /**
   * Returns the URL for signing in at the provider.
   *
   * @param baseUrl public address of this service
   * @throws ServiceProblem `not_found` (no such provider), `malformed_request` (a redirect elsewhere), `unavailable`
   */
  async authorize(query: AuthorizeQuery, baseUrl: string): Promise<URL> {
    const provider = this.#provider(query.provider);
    if (!isAllowedRedirect(query.redirect_to, baseUrl)) {
      const detail = 'redirect_to: expected http://127.0.0.1:PORT, http://[::1]:PORT or this service';
      throw new ServiceProblem('malformed_request', { detail });
    }
    const claims = {
      provider: provider.name,
      redirect: query.redirect_to,
      challenge: query.code_challenge,
      ...(query.invitation === undefined ? {} : { invitation: invitationHash(query.invitation) }),
    };
    const state = await this.#tokens.issueOnce('provider-state', claims, this.#context.clock.now());
    const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await import('openid-client');
    const { verifier, nonce } = await this.#secretsOf(state);
    return buildAuthorizationUrl(await this.#configuration(provider), {
      redirect_uri: baseUrl + ACCOUNT_ENDPOINTS.callback,
      scope: ['openid', 'email', provider.roles?.scope].filter(Boolean).join(' '),
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
    });
  }

  /**
   * Returns the URL of the client, with a code or an error, after the provider has redirected the browser back.
   *
   * @throws ServiceProblem `token_invalid` (a state that is not ours or was used)
   */
  async callback(query: URLSearchParams, baseUrl: string): Promise<URL> {
    const stateToken = query.get('state') ?? '';
    const state = await this.#tokens.verifyOnce('provider-state', stateToken, this.#context.clock.now());
    await this.#spend(`provider-state:${state.jti}`, state);
    const target = new URL(state.redirect);
    try {
      const provider = this.#provider(state.provider);
      const claims = await this.#exchange(provider, query, { state: stateToken, baseUrl });
      const found = await this.#userOf(provider, claims, state.invitation);
      const code = { ...found, challenge: state.challenge };
      target.searchParams.set('code', await this.#tokens.issueOnce('auth-code', code, this.#context.clock.now()));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      target.searchParams.set('error', error.code);
      target.searchParams.set('error_description', error.message);
    }
    return target;
  }

  /** Exchanges the code of `callback` for the result of a correct password. Throws `token_invalid`. */
  async grant({ auth_code: code, code_verifier: verifier }: PkceGrantRequest): Promise<SignInChallenge> {
    const claims = await this.#tokens.verifyOnce('auth-code', code, this.#context.clock.now());
    await this.#spend(`auth-code:${claims.jti}`, claims);
    const challenge = createHash('sha256').update(verifier).digest();
    const expected = Buffer.from(claims.challenge, 'base64url');
    if (expected.length !== challenge.length || !timingSafeEqual(expected, challenge)) {
      throw new ServiceProblem('token_invalid', { detail: 'the verifier does not fit the code' });
    }
    const user = await requireUser(this.#context, claims.sub);
    return challengeOf(this.#context, this.#tokens, user, claims.identity);
  }

  async #exchange(
    provider: IdentityProvider,
    query: URLSearchParams,
    { state, baseUrl }: { readonly state: string; readonly baseUrl: string },
  ): Promise<Claims> {
    const { authorizationCodeGrant, fetchUserInfo } = await import('openid-client');
    const configuration = await this.#configuration(provider);
    const { verifier, nonce } = await this.#secretsOf(state);
    try {
      const tokens = await authorizationCodeGrant(
        configuration,
        new URL(`${baseUrl}${ACCOUNT_ENDPOINTS.callback}?${query.toString()}`),
        { pkceCodeVerifier: verifier, expectedNonce: nonce, expectedState: state, idTokenExpected: true },
      );
      const claims = claimsSchema.parse(tokens.claims());
      const isWhole = claims.email !== undefined && (!provider.roles || Object.hasOwn(claims, provider.roles.claim));
      if (isWhole || configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
      // Providers may omit a scope's claims from the ID token (OpenID Connect Core, 5.4).
      const more = await fetchUserInfo(configuration, tokens.access_token, claims.sub);
      return wholeClaims(claims, more, provider.roles?.claim);
    } catch (error) {
      const said = query.get('error') !== null;
      const text = said ? 'The provider did not confirm the sign-in.' : 'The sign-in at the provider failed.';
      throw new Refused(said ? 'access_denied' : 'server_error', text, error);
    }
  }

  /**
   * Returns the user, who joins with the token of an invitation, or with a new account if sign-up is open. An account with the same
   * e-mail address may be somebody else's, since nobody verified its address: its second factor has to link the identity.
   */
  async #userOf(
    { roles }: IdentityProvider,
    claims: Claims,
    invitationTokenHash: string | undefined,
  ): Promise<{ readonly sub: string; readonly identity?: ProviderIdentity }> {
    const { metadata, clock, accountSettings } = this.#context;
    const { iss: issuer, sub: subject, email, email_verified: isVerified } = claims;
    const identity: ProviderIdentity = { issuer, subject };
    const given = roles && { role: roleOfGroups(roles, claims), issuer };
    const known = await metadata.members.userByIdentity(identity);
    if (known) {
      await this.#giveRole(known, given);
      return { sub: known.id };
    }
    if (email === undefined || isVerified !== true) {
      throw new Refused('access_denied', 'The provider does not vouch for an e-mail address.');
    }
    const user = await metadata.accounts.userByEmail(email);
    if (user) {
      requireRoleOf(user, given);
      const factors = await metadata.accounts.factorsOf(user.id);
      if (factors.length > 0) return { sub: user.id, identity };
      throw new Refused('access_denied', 'The account with this e-mail address has no second factor yet.');
    }
    const now = clock.now();
    const newcomer = { email, passwordHash: '', now };
    if (invitationTokenHash !== undefined) {
      requireRoleOf({ role: 'member' }, given);
      const joined = await this.#join(invitationTokenHash, newcomer, identity);
      await this.#giveRole(joined, given);
      return { sub: joined.id };
    }
    requireRoleOf({ role: 'member' }, given);
    const created = accountSettings.signup ? await metadata.members.createAccount(newcomer, identity) : undefined;
    if (!created) throw new Refused('access_denied', 'There is no account for this e-mail address.');
    return { sub: created.id };
  }

  /**
   * Gives a person the role of their groups from now on. Identities that are only linked by the second factor get it at their next
   * sign-in.
   */
  async #giveRole(user: User, given: GivenRole | undefined): Promise<void> {
    const role = requireRoleOf(user, given);
    if (!given || role === user.role) return;
    const { accountId, id: member } = user;
    const details = { member, role, ...previousDetails({ role: user.role }), issuer: given.issuer };
    const audit = auditEntry(this.#context, { accountId, kind: 'member.role_changed', details });
    const outcome = await this.#context.metadata.members.changeRole(accountId, member, role, audit, user.role);
    this.#context.callers.forgetAll();
    // Somebody changed the role meanwhile, maybe to owner: the groups decide again.
    if (outcome === 'other_role') await this.#giveRole(await requireUser(this.#context, member), given);
  }

  async #join(tokenHash: string, newcomer: NewUser, identity: ProviderIdentity): Promise<User> {
    const { members } = this.#context.metadata;
    const invitation = await members.invitationByToken(tokenHash, newcomer.now);
    const isInvited = invitation?.email.toLowerCase() === newcomer.email.toLowerCase();
    const joined = invitation && isInvited ? await members.accept(invitation.id, newcomer, identity) : undefined;
    if (!joined) throw new Refused('access_denied', 'The invitation is not valid for this e-mail address.');
    return joined;
  }

  #provider(name: string): IdentityProvider {
    const provider = this.#context.accountSettings.providers.find((candidate) => candidate.name === name);
    if (!provider) throw new ServiceProblem('not_found', { detail: 'no such identity provider' });
    return provider;
  }

  #configuration(provider: IdentityProvider): Promise<Configuration> {
    const known = this.#configurations.get(provider.name);
    if (known) return known;
    const discovered = discover(provider);
    this.#configurations.set(provider.name, discovered);
    discovered.catch(() => this.#configurations.delete(provider.name));
    return discovered;
  }

  async #secretsOf(state: string): Promise<{ readonly verifier: string; readonly nonce: string }> {
    const secret = await this.#context.metadata.secret('provider-sign-in', 32);
    const derived = (use: string): string => hmacSha256(secret, `${use}:${state}`).toString('base64url');
    return { verifier: derived('verifier'), nonce: derived('nonce') };
  }

  async #spend(what: string, { exp }: OneTimeToken<'provider-state' | 'auth-code'>): Promise<void> {
    const isFirst = await this.#context.metadata.tokens.spend(what, exp * 1000);
    if (!isFirst) throw new ServiceProblem('token_invalid');
  }
}

/** The role that the groups of a provider give, if it is configured to give any. */
interface GivenRole {
  readonly role: Role | undefined;
  readonly issuer: string;
}

/** Returns the role that a person has from now on. @throws Refused if none of their groups gives one */
function requireRoleOf({ role: present }: Pick<User, 'role'>, given: GivenRole | undefined): Role {
  const role = given ? roleFromNowOn(present, given.role) : (present as Role);
  if (role !== undefined) return role;
  throw new Refused('access_denied', 'None of your groups at the provider may use this service.');
}

async function discover({ issuer, clientId, clientSecret }: IdentityProvider): Promise<Configuration> {
  // oxlint-disable-next-line typescript/no-deprecated -- deprecated as a warning; plain HTTP is only for this machine
  const { allowInsecureRequests, discovery, None, ClientSecretPost } = await import('openid-client');
  const url = new URL(issuer);
  const authentication = clientSecret === undefined ? None() : ClientSecretPost(clientSecret);
  try {
    return await discovery(url, clientId, undefined, authentication, {
      execute: url.protocol === 'http:' ? [allowInsecureRequests] : [],
    });
  } catch (cause) {
    throw new ServiceProblem('unavailable', { detail: 'the identity provider does not answer', retryAfter: 10, cause });
  }
}
