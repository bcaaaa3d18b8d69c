import { ACCOUNT_ENDPOINTS } from '../../../protocol/accounts.ts';
import type { MfaChallenge, UserSession } from '../../../protocol/auth.ts';
import { HoldfastError, isHoldfastError } from '../../../base/errors.ts';
import { discardResponse } from '../../../engine/transfer/client/responses.ts';
import { connectAsUser, type Connection } from '../../../engine/transfer/connection.ts';
import { redeemProviderCode } from '../../../engine/transfer/sign-in/provider-sign-in.ts';
import { beginSignIn, verifyFactor } from '../../../engine/transfer/sign-in/sign-in.ts';
import type { Factor } from '../../../ipc/contract/setup.ts';
import type { AgentParts } from '../../context/agent-parts.ts';
import { UnsavedSession } from '../../key-store/stored-session.ts';
import { storedSession } from '../../key-store/stored-session.ts';
import { withConnection } from '../../destination/service-connection.ts';
import { returnFromProvider } from '../../setup/provider-session.ts';
import { serviceAddress } from '../destination/destination-choice.ts';
import { identityProviders } from './destination-trial.ts';

/** Signed in, and not yet anything saved. */
export interface SignedIn {
  readonly kind: 'signed-in';
  readonly url: string;
  readonly email: string;
  readonly session: UnsavedSession;
}

/** A second factor is asked for. */
interface Asked {
  readonly kind: 'factors';
  readonly factors: Factor[];
}

type Stage =
  | { readonly kind: 'challenged'; readonly url: string; readonly email?: string; readonly challenge: MfaChallenge }
  | SignedIn;

export interface PersonSignInOptions {
  /** Opens an address in the system's browser. */
  readonly browse: (url: string) => void;
  /** Nobody's password and nobody's session wait longer than that for the next step, in milliseconds. */
  readonly lifetimeMs: number;
  /** Told of a session that is given up, or whose time is over. */
  readonly dropped?: (signedIn: SignedIn) => void;
}

/**
 * One person's way from a password, or an identity provider, to a session, which is in this memory only. A new way ends
 * the one before.
 */
export class PersonSignIn {
  readonly #parts: AgentParts;
  readonly #options: PersonSignInOptions;
  #stage: { readonly stage: Stage; readonly since: number } | undefined;
  #forget: NodeJS.Timeout | undefined;
  /** Aborted when a new way begins. */
  #way = new AbortController();

  constructor(parts: AgentParts, options: PersonSignInOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  /** Aborted when whoever signs in now gives up, or begins anew. */
  get signal(): AbortSignal {
    return this.#way.signal;
  }

  /** @throws HoldfastError `password_wrong`, `usage` (`factor-missing`), `service_*` */
  begin(text: string, email: string, password: string): Promise<Asked | SignedIn> {
    const signal = this.#restart();
    return this.#at(serviceAddress(text), async ({ calls }) => {
      const answer = await beginSignIn(calls, { email: email.trim(), password }, signal);
      if ('access_token' in answer) return this.#signedIn(calls.baseUrl, answer, signal);
      if (answer.factors.length === 0) throw factorMissing(calls.baseUrl);
      return this.#challenged({ kind: 'challenged', url: calls.baseUrl, email, challenge: answer }, signal);
    });
  }

  /** Answers when the browser is back. @throws HoldfastError `provider_refused`, `usage`, `signed_out`, `service_*` */
  beginWithProvider(text: string): Promise<Asked | SignedIn> {
    const signal = this.#restart();
    return this.#at(serviceAddress(text), async ({ calls }) => {
      const [provider] = (await identityProviders(calls)) ?? [];
      if (provider === undefined) throw new HoldfastError('provider_refused', { address: calls.baseUrl });
      const timeOver = AbortSignal.timeout(this.#options.lifetimeMs);
      const ending = AbortSignal.any([signal, timeOver]);
      const returned = await returnFromProvider(calls, provider, this.#options.browse, ending).catch(
        (error: unknown) => {
          throw timeOver.aborted ? signInOver(calls.baseUrl) : error;
        },
      );
      const challenge = await redeemProviderCode(calls, returned, signal);
      return this.#challenged({ kind: 'challenged', url: calls.baseUrl, challenge }, signal);
    });
  }

  /**
   * Once signed in, any further code is right: what came after it may have failed.
   *
   * @throws HoldfastError `code_wrong`, after which another code may be tried; `signed_out`, `service_*`
   */
  async verify(factorId: string, code: string): Promise<SignedIn> {
    const stage = this.#current();
    if (!stage) throw signInOver();
    if (stage.kind === 'signed-in') return stage;
    const { signal } = this.#way;
    const { challenge, email, url } = stage;
    return this.#at(url, async ({ calls }) => {
      const given = { token: challenge.mfa_token, factorId, code, email };
      try {
        return this.#signedIn(url, await verifyFactor(calls, given, signal), signal);
      } catch (error) {
        if (isHoldfastError(error, 'signed_out')) this.drop();
        throw error;
      }
    });
  }

  /** Who has signed in at that service, if anybody has. */
  signedInAt(text: string): SignedIn | undefined {
    const stage = this.#current();
    return stage?.kind === 'signed-in' && stage.url === serviceAddress(text) ? stage : undefined;
  }

  /** Gives up whatever is under way. */
  drop(): void {
    this.#restart();
  }

  /** Forgets a session that somebody else looks after from now on. */
  handOver(): void {
    this.#keep(undefined);
  }

  #restart(): AbortSignal {
    this.#way.abort(new HoldfastError('interrupted'));
    this.#way = new AbortController();
    this.#end();
    return this.#way.signal;
  }

  #end(): void {
    const stage = this.#stage?.stage;
    this.#keep(undefined);
    if (stage?.kind === 'signed-in') this.#options.dropped?.(stage);
  }

  #keep(stage: Stage | undefined): void {
    clearTimeout(this.#forget);
    this.#stage = stage && { stage, since: this.#parts.clock.now() };
    if (stage) this.#forget = setTimeout(() => this.#end(), this.#options.lifetimeMs).unref();
  }

  #current(): Stage | undefined {
    if (!this.#stage) return undefined;
    // A computer that slept has timers that are late.
    if (this.#parts.clock.now() - this.#stage.since > this.#options.lifetimeMs) this.#end();
    return this.#stage?.stage;
  }

  #challenged(stage: Extract<Stage, { kind: 'challenged' }>, signal: AbortSignal): Asked {
    signal.throwIfAborted();
    this.#keep(stage);
    const factors = stage.challenge.factors.map(({ id, type, friendly_name: name }) => ({
      id,
      kind: type,
      name: name || undefined,
    }));
    return { kind: 'factors', factors };
  }

  #signedIn(url: string, session: UserSession, signal: AbortSignal): SignedIn {
    const stage: SignedIn = {
      kind: 'signed-in',
      url,
      email: session.user.email,
      session: new UnsavedSession(storedSession(session, this.#parts.clock)),
    };
    if (signal.aborted) this.#options.dropped?.(stage);
    signal.throwIfAborted();
    this.#keep(stage);
    return stage;
  }

  #at<Result>(url: string, work: (connection: Connection) => Promise<Result>): Promise<Result> {
    return withConnection(url, this.#parts, work);
  }
}

/** Ends a session that nobody needs any more. Where that does not come through, the service ends it in time. */
export async function endAtService({ url, session }: SignedIn, parts: AgentParts): Promise<void> {
  const path = `${ACCOUNT_ENDPOINTS.logout}?scope=local`;
  const ended = withConnection(url, parts, async (connection) => {
    const { calls } = await connectAsUser(connection, session);
    await calls.call({ method: 'POST', path, once: true, read: discardResponse });
  });
  await ended.catch(() => undefined);
}

/** What whoever took too long is told. */
export function signInOver(address?: string): HoldfastError {
  return new HoldfastError('signed_out', { address });
}

function factorMissing(address: string): HoldfastError {
  return new HoldfastError('usage', { problem: 'factor-missing', address });
}
