import type { CatalogDatabase } from '../catalog/database.ts';
import { canStep, isActive, isFinal, type JobState } from './job-state.ts';

export type JobKind = 'backup' | 'restore' | 'verify';

export interface JobRecord {
  readonly id: number;
  readonly kind: JobKind;
  readonly backupSet: string;
  readonly state: JobState;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** What the job reported at its end, or its error; JSON. */
  readonly report: string | null;
}

export interface JobTransition {
  readonly state: JobState;
  readonly at: number;
  readonly reason: string | null;
}

const COLUMNS = `id, kind, backup_set AS backupSet, state, started_at AS startedAt, ended_at AS endedAt, report`;

/** What every job did and when; survives the process that ran it. */
export class Journal {
  readonly #database: CatalogDatabase;

  constructor(database: CatalogDatabase) {
    this.#database = database;
  }

  start(kind: JobKind, backupSet: string, at: number): number {
    return this.#database.transaction(() => {
      const { lastInsertRowid } = this.#database
        .prepare(`INSERT INTO job (kind, backup_set, state, started_at) VALUES (?, ?, 'queued', ?)`)
        .run(kind, backupSet, at);
      this.#note(Number(lastInsertRowid), 'queued', at, undefined);
      return Number(lastInsertRowid);
    })();
  }

  /** A step that the states do not know is a bug of the caller and throws. The same state again is no step. */
  step(id: number, state: JobState, at: number, options: { reason?: string; report?: unknown } = {}): void {
    this.#database.transaction(() => {
      const { state: from } = this.#database.prepare('SELECT state FROM job WHERE id = ?').get(id) as {
        state: JobState;
      };
      if (from === state) return;
      if (!canStep(from, state)) throw new Error(`a job cannot go from ${from} to ${state}`);
      const report = options.report === undefined ? null : JSON.stringify(options.report);
      this.#database
        .prepare('UPDATE job SET state = ?, ended_at = ?, report = coalesce(?, report) WHERE id = ?')
        .run(state, isFinal(state) || state === 'interrupted' ? at : null, report, id);
      this.#note(id, state, at, options.reason);
    })();
  }

  /** At start, when no other process works on this home: what still stands as active was interrupted. */
  markInterrupted(at: number): number {
    const jobs = this.#database.prepare(`SELECT ${COLUMNS} FROM job WHERE ended_at IS NULL`).all() as JobRecord[];
    const active = jobs.filter((job) => isActive(job.state));
    for (const job of active) {
      this.#database.transaction(() => {
        this.#database.prepare(`UPDATE job SET state = 'interrupted', ended_at = ? WHERE id = ?`).run(at, job.id);
        this.#note(job.id, 'interrupted', at, 'the process ended');
      })();
    }
    return active.length;
  }

  /** Newest first. */
  recent(backupSet: string, limit: number): JobRecord[] {
    return this.#database
      .prepare(`SELECT ${COLUMNS} FROM job WHERE backup_set = ? ORDER BY started_at DESC, id DESC LIMIT ?`)
      .all(backupSet, limit) as JobRecord[];
  }

  transitions(id: number): JobTransition[] {
    return this.#database
      .prepare('SELECT state, at, reason FROM job_transition WHERE job = ? ORDER BY number')
      .all(id) as JobTransition[];
  }

  #note(id: number, state: JobState, at: number, reason: string | undefined): void {
    this.#database
      .prepare(
        `INSERT INTO job_transition (job, number, state, at, reason)
         SELECT ?, coalesce(max(number), 0) + 1, ?, ?, ? FROM job_transition WHERE job = ?`,
      )
      .run(id, state, at, reason ?? null, id);
  }
}
