import { statSync } from 'node:fs';
import type { AgentParts } from '../agent.ts';
import { loadSettings, type Settings } from '../home/settings.ts';
import { openSession, type Session } from './open-context.ts';

/** Somebody who browses asks again within that time; a disk that nobody looks at any more can be taken out after it. */
const IDLE_MS = 15_000;

export interface SharedSessionParts {
  readonly parts: AgentParts;
  /** Whether a session may stay open behind a question, as things are just now. */
  readonly mayKeep: (settings: Settings) => boolean;
  readonly idleMs?: number;
}

interface Kept {
  /** What it was opened by; others need another session. */
  readonly key: string;
  readonly opening: Promise<Session & AsyncDisposable>;
  users: number;
  isDropped: boolean;
  /** Set once nobody uses it. */
  closing: Promise<void> | undefined;
}

/**
 * One session for the questions that follow upon each other, since opening the place where backups go takes far longer than
 * any of them. It is closed soon after the last one, after a failure, and as soon as the home is set up otherwise.
 */
export class SharedSession {
  readonly #parts: SharedSessionParts;
  readonly #open = new Set<Kept>();
  #newest: Kept | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(parts: SharedSessionParts) {
    this.#parts = parts;
  }

  /** @throws what `openSession` and `work` throw */
  async use<Answer>(work: (session: Session) => Promise<Answer>): Promise<Answer> {
    const kept = this.#current();
    kept.users += 1;
    clearTimeout(this.#idle);
    try {
      return await work(await kept.opening);
    } catch (error) {
      // Whatever is wrong, the next question finds out for itself.
      this.#drop(kept);
      throw error;
    } finally {
      kept.users -= 1;
      this.#left(kept);
    }
  }

  /** Lets go of the destination; where a question is being answered, right after it. A later one opens it again. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    if (this.#newest) this.#drop(this.#newest);
    for (const { closing } of this.#open) await closing;
  }

  #current(): Kept {
    const { parts } = this.#parts;
    const { home } = parts;
    // The settings say where to, the secrets as whom, and a catalog may be put in the place of another.
    const key = [versionOf(home.settingsFile), versionOf(home.secretsFile), identityOf(home.catalogFile)].join(' ');
    if (this.#newest?.key === key) return this.#newest;
    if (this.#newest) this.#drop(this.#newest);
    const opening = openSession(parts, {});
    const kept: Kept = { key, opening, users: 0, isDropped: false, closing: undefined };
    this.#open.add(kept);
    this.#newest = kept;
    return kept;
  }

  #left(kept: Kept): void {
    if (kept.users > 0) return;
    const settings = loadSettingsOrNothing(this.#parts.parts);
    if (kept.isDropped || !settings || !this.#parts.mayKeep(settings)) return this.#drop(kept);
    this.#idle = setTimeout(() => this.#drop(kept), this.#parts.idleMs ?? IDLE_MS).unref();
  }

  #drop(kept: Kept): void {
    kept.isDropped = true;
    if (this.#newest === kept) this.#newest = undefined;
    if (kept.users > 0) return;
    kept.closing ??= kept.opening
      .then((session) => session[Symbol.asyncDispose]())
      // One that could not be opened, or whose disk has gone, has nothing to be closed.
      .catch(() => undefined)
      .finally(() => this.#open.delete(kept));
  }
}

function loadSettingsOrNothing({ home }: AgentParts): Settings | undefined {
  try {
    return loadSettings(home);
  } catch {
    return undefined;
  }
}

/** A file that is replaced as a whole is another one each time. */
function versionOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat ? `${stat.dev}:${stat.ino}:${stat.mtimeMs}` : '';
}

function identityOf(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat ? `${stat.dev}:${stat.ino}` : '';
}
