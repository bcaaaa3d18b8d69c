import type { UserSession } from '../../protocol/auth.ts';
import type { Clock } from '../../base/clock.ts';
import type { SessionStore, StoredSession } from '../../remote/sign-in/user-token-source.ts';
import type { KeyStore } from './key-store.ts';

/** Stores a person's session among the secrets of the home, where other processes find the newest one. */
export class KeyStoreSession implements SessionStore {
  readonly #keyStore: KeyStore;

  constructor(keyStore: KeyStore) {
    this.#keyStore = keyStore;
  }

  async load(): Promise<StoredSession | undefined> {
    return (await this.#keyStore.load())?.session;
  }

  async persist(session: StoredSession): Promise<void> {
    await this.#keyStore.saveSession(session);
  }
}

/** A session in memory, for signing in before anything is saved. */
export class UnsavedSession implements SessionStore {
  session: StoredSession;

  constructor(session: StoredSession) {
    this.session = session;
  }

  load(): Promise<StoredSession> {
    return Promise.resolve(this.session);
  }

  persist(session: StoredSession): Promise<void> {
    this.session = session;
    return Promise.resolve();
  }
}

/** Converts a service's session into its stored form. */
export function storedSession(session: UserSession, clock: Clock): StoredSession {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds } = session;
  return { accessToken, refreshToken, expiresAt: clock.now() + seconds * 1000 };
}
