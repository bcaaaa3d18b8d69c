import { statSync } from 'node:fs';
import { Catalog } from '../../../engine/catalog/catalog.ts';
import type { Clock } from '../../../base/clock.ts';
import { isHoldfastError } from '../../../base/errors.ts';
import { failureOf } from '../../../base/failure.ts';
import { HomeLock, lockHolder } from '../../home/home-lock.ts';
import type { Home } from '../../home/home.ts';
import { loadSettings } from '../../home/settings.ts';
import { listedRunOf } from '../../history/finished-runs.ts';
import type { EndedRun, RunEnds, RunRequest } from '../runs/run-queue.ts';

/** What this computer remembers of its runs, held open between questions; the runs themselves open their own. */
export class Records implements RunEnds, Disposable {
  readonly #home: Home;
  readonly #clock: Clock;
  #open: { readonly catalog: Catalog; readonly file: string } | undefined;

  constructor(home: Home, clock: Clock) {
    this.#home = home;
    this.#clock = clock;
  }

  /**
   * Asks the catalog. A file that was put in its place is opened anew.
   *
   * @throws HoldfastError `home_damaged`, `home_unwritable`
   */
  read<Answer>(question: (catalog: Catalog) => Answer): Answer {
    return question(this.#catalog());
  }

  /** Marks runs as interrupted that nobody is at work on: their process was killed. Not while this process is at work. */
  settle(): void {
    if (this.read(({ journal }) => journal.open()).length === 0 || lockHolder(this.#home)) return;
    try {
      // Whoever holds the lock knows that no other process works on what still stands as active.
      using _lock = HomeLock.acquire(this.#home, 'a look at what was interrupted', this.#clock.now());
      this.read(({ journal }) => journal.markInterrupted(this.#clock.now()));
    } catch (error) {
      if (!isHoldfastError(error, 'home_busy')) throw error;
    }
  }

  ended(id: number, request: RunRequest, error: unknown): EndedRun {
    const known = this.#noted(() => this.read(({ journal }) => journal.get(id)));
    if (known?.endedAt) return { ...listedRunOf(known), ...request };
    // Its end could not be written down; the person hears of it all the same.
    return { ...this.#failed(request, known?.startedAt ?? this.#clock.now(), error), id };
  }

  refused(request: RunRequest, startedAt: number, error: unknown): EndedRun {
    const { kind, set, trigger } = request;
    const run = this.#failed(request, startedAt, error);
    const { code, details } = run.failure!;
    const report = { error: code, message: code, details };
    const id = this.#noted(() =>
      // What was never set up has no journal.
      loadSettings(this.#home) === undefined
        ? undefined
        : this.read(({ journal }) => {
            const job = journal.start(kind, set, startedAt, { trigger });
            journal.step(job, 'failed', run.endedAt, { report });
            return job;
          }),
    );
    return { ...run, id: id ?? 0 };
  }

  [Symbol.dispose](): void {
    this.#open?.catalog.close();
    this.#open = undefined;
  }

  #failed(request: RunRequest, startedAt: number, error: unknown): EndedRun {
    const failure = failureOf(error) ?? { code: 'internal', details: {} };
    const outcome = isHoldfastError(error, 'interrupted') ? 'interrupted' : 'failed';
    return { ...request, id: 0, outcome, startedAt, endedAt: this.#clock.now(), warnings: 0, failure };
  }

  /** A disk that is full has no room for the journal either: the run has failed, and that is told anyway. */
  #noted<Answer>(write: () => Answer): Answer | undefined {
    try {
      return write();
    } catch {
      return undefined;
    }
  }

  #catalog(): Catalog {
    const file = fileIdentity(this.#home.catalogFile);
    if (this.#open && this.#open.file !== file) this[Symbol.dispose]();
    if (!this.#open) {
      const catalog = new Catalog(this.#home.catalogFile);
      this.#open = { catalog, file: fileIdentity(this.#home.catalogFile) };
    }
    return this.#open.catalog;
  }
}

function fileIdentity(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat ? `${stat.dev}:${stat.ino}` : '';
}
