import type { RefreshedSession } from '../../protocol/auth.ts';
import { ENDPOINTS } from '../../protocol/endpoints.ts';
import type { Clock } from '../../base/clock.ts';
import { HoldfastError, isHoldfastError } from '../../base/errors/errors.ts';
import { refreshAnswer } from '../client/answers.ts';
import { jsonResponse } from '../client/responses.ts';
import type { TokenSource } from '../client/authorised-calls.ts';
import { RenewingTokenSource } from './renewing-token-source.ts';
import type { Grant } from './renewing-token-source.ts';
import type { ServiceCalls } from '../client/service-calls.ts';

/** A sign-in as it is kept between processes. Both tokens are secrets. */
export interface StoredSession {
  readonly refreshToken: string;
  readonly accessToken: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

export interface SessionStore {
  /** Loads the session, which another process may have renewed; `undefined` after signing out. */
  load(): Promise<StoredSession | undefined>;
  /** Resolves when the session would survive a power loss. */
  persist(session: StoredSession): Promise<void>;
}

/**
 * Supplies tokens for a signed-in person. A refresh token works once: its successor is stored before the response is used, so
 * that a crash never leaves a spent one.
 */
export async function userTokenSource(
  calls: ServiceCalls,
  store: SessionStore,
  clock: Pick<Clock, 'now'>,
): Promise<TokenSource> {
  const refresh = new SessionRefresh(calls, store, clock);
  const stored = await store.load();
  return new RenewingTokenSource({
    rejectionCode: 'signed_out',
    clock,
    renew: (abandoned) => refresh.renew(abandoned),
    initial: stored && { token: stored.accessToken, expiresAt: stored.expiresAt },
  });
}

class SessionRefresh {
  readonly #calls: ServiceCalls;
  readonly #store: SessionStore;
  readonly #clock: Pick<Clock, 'now'>;
  /** A session that could not be stored. It is the only valid one, since its predecessor is spent. */
  #unsaved: StoredSession | undefined;

  constructor(calls: ServiceCalls, store: SessionStore, clock: Pick<Clock, 'now'>) {
    this.#calls = calls;
    this.#store = store;
    this.#clock = clock;
  }

  async renew(abandoned: AbortSignal): Promise<Grant> {
    if (this.#unsaved) return this.#save(this.#unsaved);
    const stored = await this.#stored();
    try {
      return await this.#refresh(stored.refreshToken, abandoned);
    } catch (error) {
      if (!isHoldfastError(error, 'signed_out')) throw error;
      // Another process may have used the same token first. Then its successor is on the disk.
      const newer = await this.#stored();
      if (newer.refreshToken === stored.refreshToken) throw error;
      return await this.#refresh(newer.refreshToken, abandoned);
    }
  }

  async #stored(): Promise<StoredSession> {
    const stored = await this.#store.load();
    if (!stored) throw new HoldfastError('signed_out', { address: this.#calls.baseUrl });
    return stored;
  }

  async #refresh(refreshToken: string, abandoned: AbortSignal): Promise<Grant> {
    const session: RefreshedSession = await this.#calls.call({
      method: 'POST',
      path: `${ENDPOINTS.token}?grant_type=refresh_token`,
      json: () => ({ refresh_token: refreshToken }),
      isSignIn: true,
      // Never within an attempt: its response contains the only valid refresh token.
      stopRetrying: abandoned,
      read: jsonResponse(refreshAnswer),
      errorFor: ({ status, address, code, detail }) =>
        [400, 401, 403, 422].includes(status)
          ? new HoldfastError('signed_out', { address, status, reason: code, detail })
          : undefined,
    });
    return this.#save({
      refreshToken: session.refresh_token,
      accessToken: session.access_token,
      expiresAt: this.#clock.now() + session.expires_in * 1000,
    });
  }

  async #save(session: StoredSession): Promise<Grant> {
    this.#unsaved = session;
    await this.#store.persist(session);
    this.#unsaved = undefined;
    return { token: session.accessToken, expiresAt: session.expiresAt };
  }
}
