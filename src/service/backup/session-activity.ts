import type { BackupSession, SessionStore } from '../store/backup/session-store.ts';

/** Milliseconds for which a session that was heard of is not written down again. */
const INTERVAL = 5 * 60_000;

/** Sessions that are remembered; forgetting one costs a write. */
const REMEMBERED = 1_000;

/** Writes down that sessions go on, so that they are not ended as forgotten ones, without a write for each request. */
export class SessionActivity {
  readonly #sessions: Pick<SessionStore, 'touch'>;
  readonly #noted = new Map<number, number>();

  constructor(sessions: Pick<SessionStore, 'touch'>) {
    this.#sessions = sessions;
  }

  /** @param now milliseconds since the epoch */
  async note({ number, createdAt }: Pick<BackupSession, 'number' | 'createdAt'>, now: number): Promise<void> {
    if (now - (this.#noted.get(number) ?? createdAt) < INTERVAL) return;
    if (this.#noted.size >= REMEMBERED) this.#noted.clear();
    this.#noted.set(number, now);
    await this.#sessions.touch(number, now);
  }
}
