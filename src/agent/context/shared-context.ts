import { fileIdentitySync, fileVersionSync } from '../home/file-version.ts';
import { loadSettings, type Settings } from '../home/settings.ts';
import type { AgentParts } from './agent-parts.ts';
import { openContext } from './open-context.ts';
import type { OperationContext } from './operation-context.ts';

/** Long enough for the next click of a person who browses, and short enough for a disk to be unplugged afterwards. */
const IDLE_MS = 15_000;

export interface SharedContextOptions {
  /** They name the destination. */
  readonly parts: AgentParts;
  /** Returns whether the context may stay open after a query, for now. */
  readonly mayKeep: (settings: Settings) => boolean;
  readonly idleMs?: number;
}

interface Opened {
  /** The version of the home's files that it was opened with. */
  readonly key: string;
  readonly opening: Promise<OperationContext & AsyncDisposable>;
  users: number;
  state: 'kept' | 'dropped' | 'closing';
  /** Settles when it is closed. */
  readonly closed: PromiseWithResolvers<void>;
}

/**
 * One context for consecutive queries of a destination, since opening a destination takes far longer than any of them. It is closed soon
 * after the last query, after a failure, and when the settings, the secrets or the catalog were replaced.
 */
export class SharedContext {
  readonly #options: SharedContextOptions;
  readonly #open = new Set<Opened>();
  #newest: Opened | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: SharedContextOptions) {
    this.#options = options;
  }

  /** @throws what `openContext` and `work` throw */
  async use<Result>(work: (context: OperationContext) => Promise<Result>): Promise<Result> {
    const opened = this.#current();
    opened.users += 1;
    clearTimeout(this.#idle);
    try {
      return await work(await opened.opening);
    } catch (error) {
      // The next query starts with a new context.
      this.#drop(opened);
      throw error;
    } finally {
      opened.users -= 1;
      this.#left(opened);
    }
  }

  /** Waits for the queries that are in flight, and closes the destination. The next query opens it again. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    if (this.#newest) this.#drop(this.#newest);
    await Promise.all(Array.from(this.#open, ({ closed }) => closed.promise));
  }

  #current(): Opened {
    const { parts } = this.#options;
    const { home } = parts;
    const key = [
      fileVersionSync(home.settingsFile),
      fileVersionSync(home.secretsFile),
      fileIdentitySync(home.catalogFile),
    ].join(' ');
    if (this.#newest?.key === key) return this.#newest;
    if (this.#newest) this.#drop(this.#newest);
    const opening = openContext(parts, {});
    const opened: Opened = { key, opening, users: 0, state: 'kept', closed: Promise.withResolvers() };
    this.#open.add(opened);
    this.#newest = opened;
    return opened;
  }

  #left(opened: Opened): void {
    if (opened.users > 0) return;
    const settings = loadSettingsOrUndefined(this.#options.parts);
    if (opened.state === 'dropped' || !settings || !this.#options.mayKeep(settings)) return this.#drop(opened);
    this.#idle = setTimeout(() => this.#drop(opened), this.#options.idleMs ?? IDLE_MS).unref();
  }

  #drop(opened: Opened): void {
    if (this.#newest === opened) this.#newest = undefined;
    if (opened.state === 'kept') opened.state = 'dropped';
    if (opened.users > 0 || opened.state === 'closing') return;
    opened.state = 'closing';
    void opened.opening
      .then((context) => context[Symbol.asyncDispose]())
      // A context that could not be opened, or whose disk is missing, has nothing to close.
      .catch(() => undefined)
      .finally(() => {
        this.#open.delete(opened);
        opened.closed.resolve();
      });
  }
}

function loadSettingsOrUndefined({ home, destination }: AgentParts): Settings | undefined {
  try {
    return loadSettings(home, destination);
  } catch {
    return undefined;
  }
}
