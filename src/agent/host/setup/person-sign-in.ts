import { ACCOUNT_ENDPOINTS } from '../../../protocol/accounts.ts';
import type { MfaChallenge, UserSession } from '../../../protocol/auth.ts';
import { HoldfastError, isHoldfastError } from '../../../base/errors/errors.ts';
import { discardResponse } from '../../../remote/client/responses.ts';
import { connectAsUser, type Connection } from '../../../remote/connection.ts';
import { redeemProviderCode } from '../../../remote/sign-in/provider-sign-in.ts';
import { beginSignIn, verifyFactor } from '../../../remote/sign-in/sign-in.ts';
import type { Factor } from '../../../ipc/contract/setup.ts';
import type { AgentParts } from '../../context/agent-parts.ts';
import { UnsavedSession } from '../../key-store/stored-session.ts';
import { storedSession } from '../../key-store/stored-session.ts';
import { withConnection } from '../../destination/service-connection.ts';
import { returnFromProvider } from '../../setup/provider-session.ts';
import { serviceAddress } from '../destination/destination-choice.ts';
import { identityProviders } from './destination-trial.ts';

/** A session that is not stored yet. */
export interface SignedIn {
  readonly kind: 'signed-in';
  readonly url: string;
  readonly email: string;
  readonly session: UnsavedSession;
}

/** A second factor is required. */
interface FactorsRequired {
  readonly kind: 'factors';
  readonly factors: Factor[];
}

type Stage =
  | { readonly kind: 'challenged'; readonly url: string; readonly email?: string; readonly challenge: MfaChallenge }
  | SignedIn;

export interface PersonSignInOptions {
  /** Opens an address in the system's browser. */
  readonly browse: (url: string) => void;
  /** The longest wait of a sign-in or a session for the next step, in milliseconds. */
  readonly lifetimeMs: number;
  /** Called with a session that was given up or has expired. */
  readonly dropped?: (signedIn: SignedIn) => void;
}

/**
 * Signs one person in by a password or an identity provider. The session is held in memory only. A new sign-in ends the one
 * before.
 */
export class PersonSignIn {
  readonly #parts: AgentParts;
  readonly #options: PersonSignInOptions;
  #stage: { readonly stage: Stage; readonly since: number } | undefined;
  #forget: NodeJS.Timeout | undefined;
  /** Aborted when a new sign-in begins. */
  #attempt = new AbortController();

  constructor(parts: AgentParts, options: PersonSignInOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  /** Aborted when the current sign-in is given up or replaced. */
  get signal(): AbortSignal {
    return this.#attempt.signal;
  }

  /** @throws HoldfastError `password_wrong`, `usage` (`factor-missing`), `service_*` */
  begin(text: string, email: string, password: string): Promise<FactorsRequired | SignedIn> {
    const signal = this.#restart();
    return this.#at(serviceAddress(text), async ({ calls }) => {
      const answer = await beginSignIn(calls, { email: email.trim(), password }, signal);
      if ('access_token' in answer) return this.#signedIn(calls.baseUrl, answer, signal);
      if (answer.factors.length === 0) throw factorMissing(calls.baseUrl);
      return this.#challenged({ kind: 'challenged', url: calls.baseUrl, email, challenge: answer }, signal);
    });
  }

  /** Resolves when the browser has returned. @throws HoldfastError `provider_refused`, `usage`, `signed_out`, `service_*` */
  beginWithProvider(text: string): Promise<FactorsRequired | SignedIn> {
    const signal = this.#restart();
    return this.#at(serviceAddress(text), async ({ calls }) => {
      const [provider] = (await identityProviders(calls)) ?? [];
      if (provider === undefined) throw new HoldfastError('provider_refused', { address: calls.baseUrl });
      const expired = AbortSignal.timeout(this.#options.lifetimeMs);
      const ending = AbortSignal.any([signal, expired]);
      const returned = await returnFromProvider(calls, provider, this.#options.browse, ending).catch(
        (error: unknown) => {
          throw expired.aborted ? signInExpired(calls.baseUrl) : error;
        },
      );
      const challenge = await redeemProviderCode(calls, returned, signal);
      return this.#challenged({ kind: 'challenged', url: calls.baseUrl, challenge }, signal);
    });
  }

  /**
   * Accepts any code once signed in, since only the step after it may have failed.
   *
   * @throws HoldfastError `code_wrong`, after which another code may be tried; `signed_out`, `service_*`
   */
  async verify(factorId: string, code: string): Promise<SignedIn> {
    const stage = this.#current();
    if (!stage) throw signInExpired();
    if (stage.kind === 'signed-in') return stage;
    const { signal } = this.#attempt;
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

  /** Returns the session at that service, if any. */
  signedInAt(text: string): SignedIn | undefined {
    const stage = this.#current();
    return stage?.kind === 'signed-in' && stage.url === serviceAddress(text) ? stage : undefined;
  }

  /** Gives up the current sign-in or session. */
  drop(): void {
    this.#restart();
  }

  /** Gives up a session without ending it: it is stored elsewhere now. */
  handOver(): void {
    this.#keep(undefined);
  }

  #restart(): AbortSignal {
    this.#attempt.abort(new HoldfastError('interrupted'));
    this.#attempt = new AbortController();
    this.#end();
    return this.#attempt.signal;
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
    // Timers are late after a computer slept.
    if (this.#parts.clock.now() - this.#stage.since > this.#options.lifetimeMs) this.#end();
    return this.#stage?.stage;
  }

  #challenged(stage: Extract<Stage, { kind: 'challenged' }>, signal: AbortSignal): FactorsRequired {
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

/** Ends a session at the service. If that fails, the session expires there. */
export async function endAtService({ url, session }: SignedIn, parts: AgentParts): Promise<void> {
  const path = `${ACCOUNT_ENDPOINTS.logout}?scope=local`;
  const ended = withConnection(url, parts, async (connection) => {
    const { calls } = await connectAsUser(connection, session);
    await calls.call({ method: 'POST', path, once: true, read: discardResponse });
  });
  await ended.catch(() => undefined);
}

/** The error of a sign-in that took too long. */
export function signInExpired(address?: string): HoldfastError {
  return new HoldfastError('signed_out', { address });
}

function factorMissing(address: string): HoldfastError {
  return new HoldfastError('usage', { problem: 'factor-missing', address });
}
