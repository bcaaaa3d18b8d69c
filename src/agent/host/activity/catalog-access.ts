import { Catalog } from '../../../catalog/catalog.ts';
import type { Clock } from '../../../base/clock.ts';
import { isHoldfastError } from '../../../base/errors/errors.ts';
import { failureOf, INTERNAL } from '../../../base/errors/failure.ts';
import type { JobProgress } from '../../../jobs/job-record.ts';
import { fileIdentitySync } from '../../home/file-version.ts';
import { HomeLock, lockHolder } from '../../home/home-lock.ts';
import type { Home } from '../../home/home.ts';
import { loadSettings } from '../../home/settings.ts';
import { listedRunOf } from '../../history/finished-runs.ts';
import { recordRefused } from '../../history/refused-runs.ts';
import type { RunJournal } from '../runs/run-queue.ts';
import type { EndedRun, RunRequest } from '../runs/run-request.ts';

/** Keeps the catalog open between the queries of this process. Runs open it for themselves. */
export class CatalogAccess implements RunJournal, Disposable {
  readonly #home: Home;
  readonly #clock: Clock;
  #open: { readonly catalog: Catalog; readonly file: string } | undefined;

  constructor(home: Home, clock: Clock) {
    this.#home = home;
    this.#clock = clock;
  }

  /**
   * Queries the catalog, which is opened anew if its file was replaced.
   *
   * @throws HoldfastError `home_damaged`, `home_unwritable`
   */
  read<Answer>(query: (catalog: Catalog) => Answer): Answer {
    return query(this.#catalog());
  }

  /** Marks runs as interrupted if their process was killed. To be called only while this process runs none. */
  markInterrupted(): void {
    if (this.read(({ journal }) => journal.active()).length === 0 || lockHolder(this.#home)) return;
    try {
      // Holding the lock proves that no other process works on the jobs that are still active.
      using _lock = HomeLock.acquire(this.#home, 'a look at what was interrupted', this.#clock.now());
      this.read(({ journal }) => journal.markInterrupted(this.#clock.now()));
    } catch (error) {
      if (!isHoldfastError(error, 'home_busy')) throw error;
    }
  }

  unfinishedProgress(set: string, destinations: readonly string[] | undefined): JobProgress | undefined {
    const settings = loadSettings(this.#home);
    if (!settings) return undefined;
    const now = this.#clock.now();
    const found = this.read(({ journal }) =>
      (destinations ?? [settings.id]).flatMap((id) => journal.unfinishedProgress(set, id, now) ?? []),
    );
    if (found.length === 0) return undefined;
    // The files are read once, and the bytes are sent to each.
    return {
      filesDone: Math.max(...found.map(({ filesDone }) => filesDone)),
      bytesDone: found.reduce((sum, { bytesDone }) => sum + bytesDone, 0),
    };
  }

  ended(id: number, request: RunRequest, error: unknown): EndedRun {
    const job = this.#unlessFull(() => this.read(({ journal }) => journal.get(id)));
    if (job?.endedAt) return { ...listedRunOf(job), ...request };
    // Its end could not be recorded, but can be reported.
    return { ...this.#failed(request, job?.startedAt ?? this.#clock.now(), error), id };
  }

  refused(request: RunRequest, startedAt: number, error: unknown): EndedRun {
    const run = this.#failed(request, startedAt, error);
    const { endedAt, failure } = run;
    const id = this.#unlessFull(() => {
      const settings = loadSettings(this.#home);
      // A home that was never set up has no journal.
      if (!settings) return undefined;
      const { kind, set, trigger, job } = request;
      const destinations = (request.place ? [request.place] : (request.targets ?? [settings])).map(({ id: at }) => at);
      return this.read(({ journal }) =>
        recordRefused(journal, { kind, set, destinations, trigger, job, startedAt, endedAt, failure: failure! }),
      );
    });
    return { ...run, id: id ?? 0 };
  }

  [Symbol.dispose](): void {
    this.#open?.catalog.close();
    this.#open = undefined;
  }

  #failed(request: RunRequest, startedAt: number, error: unknown): EndedRun {
    const failure = failureOf(error) ?? INTERNAL;
    const outcome = isHoldfastError(error, 'interrupted') ? 'interrupted' : 'failed';
    return { ...request, id: 0, outcome, startedAt, endedAt: this.#clock.now(), warnings: 0, failure };
  }

  /** A full disk has no room for the journal either: the run has failed, and is reported anyway. */
  #unlessFull<Answer>(access: () => Answer): Answer | undefined {
    try {
      return access();
    } catch {
      return undefined;
    }
  }

  #catalog(): Catalog {
    const file = fileIdentitySync(this.#home.catalogFile);
    if (this.#open && this.#open.file !== file) this[Symbol.dispose]();
    if (!this.#open) {
      const catalog = new Catalog(this.#home.catalogFile);
      this.#open = { catalog, file: fileIdentitySync(this.#home.catalogFile) };
    }
    return this.#open.catalog;
  }
}
