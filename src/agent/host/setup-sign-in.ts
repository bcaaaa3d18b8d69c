import type { MfaChallenge, UserSession } from '../../protocol/auth.ts';
import { HoldfastError } from '../../engine/errors.ts';
import { asUser, type Connection } from '../../engine/transfer/connection.ts';
import { redeemProviderCode } from '../../engine/transfer/provider-sign-in.ts';
import { beginSignIn, verifyFactor } from '../../engine/transfer/sign-in.ts';
import type { SignInStep } from '../../ipc/setup.ts';
import type { AgentParts } from '../agent.ts';
import { storedSets } from '../destination/account-keys.ts';
import { UnsavedSession } from '../key-store/stored-session.ts';
import { listDevices, storedSession, withConnection } from '../setup/join-service.ts';
import { returnFromProvider } from '../setup/provider-session.ts';
import { serviceAddress } from './setup-destination.ts';
import { identityProviders } from './setup-trial.ts';

/** Nobody's password and nobody's session wait longer than that for the next step. */
export const SIGN_IN_LIFETIME_MS = 15 * 60 * 1000;

/** Signed in, and not yet anything saved. */
export interface SignedIn {
  readonly kind: 'signed-in';
  readonly url: string;
  readonly email: string;
  readonly session: UnsavedSession;
}

type Stage =
  | { readonly kind: 'challenged'; readonly url: string; readonly email?: string; readonly challenge: MfaChallenge }
  | SignedIn;

/** One person's way from a password, or an identity provider, to a session. A new way ends the one before. */
export class SetupSignIn {
  readonly #parts: AgentParts;
  readonly #browse: (url: string) => void;
  #stage: { readonly stage: Stage; readonly since: number } | undefined;
  #forget: NodeJS.Timeout | undefined;
  /** Aborted when a new way begins. */
  #way = new AbortController();

  constructor(parts: AgentParts, browse: (url: string) => void) {
    this.#parts = parts;
    this.#browse = browse;
  }

  /** @throws HoldfastError `password_wrong`, `usage` (`factor-missing`), `service_*` */
  begin(text: string, email: string, password: string): Promise<SignInStep> {
    const signal = this.#restart();
    return this.#at(serviceAddress(text), async (connection) => {
      const { calls } = connection;
      const answer = await beginSignIn(calls, { email: email.trim(), password }, signal);
      if ('access_token' in answer) return this.#signedIn(connection, answer, signal);
      if (answer.factors.length === 0) throw factorMissing(calls.baseUrl);
      return this.#challenged({ kind: 'challenged', url: calls.baseUrl, email, challenge: answer }, signal);
    });
  }

  /** Answers when the browser is back. @throws HoldfastError `provider_refused`, `usage`, `signed_out`, `service_*` */
  beginWithProvider(text: string): Promise<SignInStep> {
    const signal = this.#restart();
    return this.#at(serviceAddress(text), async ({ calls }) => {
      const [provider] = (await identityProviders(calls)) ?? [];
      if (provider === undefined) throw new HoldfastError('provider_refused', { address: calls.baseUrl });
      const timeOver = AbortSignal.timeout(SIGN_IN_LIFETIME_MS);
      const ending = AbortSignal.any([signal, timeOver]);
      const returned = await returnFromProvider(calls, provider, this.#browse, ending).catch((error: unknown) => {
        throw timeOver.aborted ? this.#timeOver(calls.baseUrl) : error;
      });
      const challenge = await redeemProviderCode(calls, returned, signal);
      return this.#challenged({ kind: 'challenged', url: calls.baseUrl, challenge }, signal);
    });
  }

  /** @throws HoldfastError `code_wrong`, after which another code may be tried; `signed_out`, `service_*` */
  async verify(factorId: string, code: string): Promise<SignInStep> {
    const stage = this.#current();
    if (!stage) throw this.#timeOver();
    const { signal } = this.#way;
    return this.#at(stage.url, async (connection) => {
      // The code was right before, and what came after it failed.
      if (stage.kind === 'signed-in') return this.#look(connection, stage, signal);
      const { challenge, email } = stage;
      const given = { token: challenge.mfa_token, factorId, code, email };
      try {
        return await this.#signedIn(connection, await verifyFactor(connection.calls, given, signal), signal);
      } catch (error) {
        if (error instanceof HoldfastError && error.code === 'signed_out') this.drop();
        throw error;
      }
    });
  }

  /** The session that was come by, for the setup. @throws HoldfastError `signed_out` where there is none */
  signedInAt(text: string): SignedIn {
    const stage = this.#current();
    const url = serviceAddress(text);
    if (stage?.kind !== 'signed-in' || stage.url !== url) throw this.#timeOver(url);
    return stage;
  }

  /** Gives up whatever is under way. */
  drop(): void {
    this.#restart();
  }

  #restart(): AbortSignal {
    this.#way.abort(new HoldfastError('interrupted'));
    this.#way = new AbortController();
    this.#keep(undefined);
    return this.#way.signal;
  }

  #keep(stage: Stage | undefined): void {
    clearTimeout(this.#forget);
    this.#stage = stage && { stage, since: this.#parts.clock.now() };
    if (stage) this.#forget = setTimeout(() => this.#keep(undefined), SIGN_IN_LIFETIME_MS).unref();
  }

  #current(): Stage | undefined {
    if (!this.#stage) return undefined;
    // A computer that slept has timers that are late.
    if (this.#parts.clock.now() - this.#stage.since > SIGN_IN_LIFETIME_MS) this.#keep(undefined);
    return this.#stage?.stage;
  }

  #challenged(stage: Extract<Stage, { kind: 'challenged' }>, signal: AbortSignal): SignInStep {
    signal.throwIfAborted();
    this.#keep(stage);
    const factors = stage.challenge.factors.map(({ id, type, friendly_name: name }) => ({
      id,
      kind: type,
      name: name || undefined,
    }));
    return { kind: 'factors', factors };
  }

  async #signedIn(connection: Connection, session: UserSession, signal: AbortSignal): Promise<SignInStep> {
    signal.throwIfAborted();
    const { baseUrl: url } = connection.calls;
    const stage: SignedIn = {
      kind: 'signed-in',
      url,
      email: session.user.email,
      session: new UnsavedSession(storedSession(session, this.#parts)),
    };
    this.#keep(stage);
    return this.#look(connection, stage, signal);
  }

  async #look(connection: Connection, { email, session }: SignedIn, signal: AbortSignal): Promise<SignInStep> {
    const signedIn = await asUser(connection, session);
    const devices = await listDevices(signedIn, signal);
    const ids = devices.map(({ id }) => id);
    const sets = (await storedSets(signedIn, ids, signal)) ?? [];
    return {
      kind: 'signed-in',
      email,
      holdsBackups: sets.length > 0,
      devices: devices.map(({ id, name, last_seen: seen, last_backup: last }) => ({
        id,
        name,
        lastSeen: seen ?? last ?? undefined,
      })),
    };
  }

  #at(url: string, work: (connection: Connection) => Promise<SignInStep>): Promise<SignInStep> {
    return withConnection(url, this.#parts, work);
  }

  #timeOver(address?: string): HoldfastError {
    return new HoldfastError('signed_out', { address });
  }
}

function factorMissing(address: string): HoldfastError {
  return new HoldfastError('usage', { problem: 'factor-missing', address });
}
