import type { BackupSession } from './store/session.ts';
import type { SessionStore } from './store/session-store.ts';
import { MINUTE } from '../../model/units.ts';

/** Milliseconds between two writes for one session. */
const INTERVAL = 5 * MINUTE;

/** Sessions kept in memory; forgetting one costs a write. */
const REMEMBERED = 1_000;

/** Records the activity of sessions, so that they do not expire, without a write for each request. */
export class SessionActivity {
  readonly #sessions: Pick<SessionStore, 'touch'>;
  readonly #recorded = new Map<number, number>();

  constructor(sessions: Pick<SessionStore, 'touch'>) {
    this.#sessions = sessions;
  }

  /** @param now milliseconds since the epoch */
  async record({ number, createdAt }: Pick<BackupSession, 'number' | 'createdAt'>, now: number): Promise<void> {
    if (now - (this.#recorded.get(number) ?? createdAt) < INTERVAL) return;
    if (this.#recorded.size >= REMEMBERED) this.#recorded.clear();
    this.#recorded.set(number, now);
    await this.#sessions.touch(number, now);
  }
}
