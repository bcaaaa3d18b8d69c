import type { Database } from 'better-sqlite3';
import { type ErrorCode, isHoldfastError } from '../../base/errors.ts';
import type { Failure } from '../../base/failure.ts';
import { canStep, isFinal, type JobState } from './job-state.ts';

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
  /** Why it began, a word of whoever asked for it. */
  readonly trigger: string | null;
  /** Where a restore went to. */
  readonly target: string | null;
  /** Of a restore, a `JournalledRequest` in JSON. */
  readonly request: string | null;
}

/** What a restore was asked for, beside its set and its target. */
export interface JournalledRequest {
  readonly deviceId: string;
  /** Milliseconds since the epoch. */
  readonly at: number | 'latest';
  /** Entry paths, as those left out of them; none is everything. */
  readonly paths: readonly string[];
  readonly without: readonly string[];
  readonly conflict?: string;
}

/** Where a job comes from. */
export interface JobOrigin {
  /** Why it began, a word of whoever asks for it. */
  readonly trigger?: string;
  /** Of a restore, an absolute path of this operating system. */
  readonly target?: string;
  readonly request?: JournalledRequest;
}

/** A job that ended, without its report. */
export interface JobEnd {
  readonly id: number;
  readonly backupSet: string;
  readonly state: JobState;
  /** Milliseconds since the epoch, like `endedAt`. */
  readonly startedAt: number;
  readonly endedAt: number;
}

/** Of backups that succeeded. */
export interface JournalTotals {
  /** The number of the newest; 0 where there is none. */
  readonly last: number;
  /** Bytes of their files. */
  readonly scanned: number;
  /** Bytes that they sent. */
  readonly uploaded: number;
  /** What everything takes at the destination, by the newest of them; nothing where that was not noted. */
  readonly stored: number | undefined;
}

/** What stands in the report of a job that ended with an error. */
export interface JournalledError {
  /** `bug` where it is none that we expect. */
  readonly error: ErrorCode | 'bug';
  readonly message: string;
  readonly details: Failure['details'];
}

export function journalledError(error: unknown): JournalledError {
  const known = isHoldfastError(error) ? { error: error.code, details: error.details } : undefined;
  return { error: 'bug', details: {}, ...known, message: String(error) };
}

/** Which jobs `list` answers; everything that is said has to hold. */
export interface JobFilter {
  readonly backupSet?: string | undefined;
  readonly kind?: JobKind | undefined;
  readonly states?: readonly JobState[] | undefined;
  /** Only jobs that began before the one of this number. */
  readonly before?: number | undefined;
}

export interface JobTransition {
  readonly state: JobState;
  readonly at: number;
  readonly reason: string | null;
}

const COLUMNS = `id, kind, backup_set AS backupSet, state, started_at AS startedAt, ended_at AS endedAt, report,
  began_by AS "trigger", target, request`;
const WHOLE = `kind = 'backup' AND state IN ('succeeded', 'succeeded-with-warnings')`;
const END_COLUMNS = 'id, backup_set AS backupSet, state, started_at AS startedAt, ended_at AS endedAt';

/** What every job did and when; survives the process that ran it. */
export class Journal {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  start(kind: JobKind, backupSet: string, at: number, { trigger, target, request }: JobOrigin = {}): number {
    return this.#database.transaction(() => {
      const { lastInsertRowid } = this.#database
        .prepare(
          `INSERT INTO job (kind, backup_set, state, started_at, began_by, target, request)
           VALUES (?, ?, 'queued', ?, ?, ?, ?)`,
        )
        .run(kind, backupSet, at, trigger ?? null, target ?? null, request ? JSON.stringify(request) : null);
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

  /** At start, when no other process works on this home: what has not ended was interrupted. */
  markInterrupted(at: number): number {
    const jobs = this.open();
    for (const job of jobs) {
      this.#database.transaction(() => {
        this.#database.prepare(`UPDATE job SET state = 'interrupted', ended_at = ? WHERE id = ?`).run(at, job.id);
        this.#note(job.id, 'interrupted', at, 'the process ended');
      })();
    }
    return jobs.length;
  }

  /** Newest first. */
  recent(backupSet: string, limit: number): JobRecord[] {
    return this.#database
      .prepare(`SELECT ${COLUMNS} FROM job WHERE backup_set = ? ORDER BY started_at DESC, id DESC LIMIT ?`)
      .all(backupSet, limit) as JobRecord[];
  }

  /** Nothing where there is no such job. */
  get(id: number): JobRecord | undefined {
    return this.#database.prepare(`SELECT ${COLUMNS} FROM job WHERE id = ?`).get(id) as JobRecord | undefined;
  }

  /** The newest job of a kind that ended; nothing where there was none. Its report is not read. */
  newestEnd(backupSet: string, kind: JobKind, states?: readonly JobState[]): JobEnd | undefined {
    return this.#database
      .prepare(
        `SELECT ${END_COLUMNS} FROM job WHERE backup_set = @set AND kind = @kind AND ended_at IS NOT NULL
         AND (@states IS NULL OR state IN (SELECT value FROM json_each(@states))) ORDER BY started_at DESC, id DESC LIMIT 1`,
      )
      .get({ set: backupSet, kind, states: states ? JSON.stringify(states) : null }) as JobEnd | undefined;
  }

  /** The same of those that began at a time or before it. */
  newestEndUntil(backupSet: string, kind: JobKind, states: readonly JobState[], at: number): JobEnd | undefined {
    return this.#database
      .prepare(
        `SELECT ${END_COLUMNS} FROM job WHERE backup_set = ? AND kind = ? AND started_at <= ? AND ended_at IS NOT NULL
         AND state IN (SELECT value FROM json_each(?)) ORDER BY started_at DESC, id DESC LIMIT 1`,
      )
      .get(backupSet, kind, at, JSON.stringify(states)) as JobEnd | undefined;
  }

  /** Jobs that have not ended, be it that a process is at work on them or that it was killed. */
  open(): { readonly id: number; readonly backupSet: string }[] {
    return this.#database.prepare('SELECT id, backup_set AS backupSet FROM job WHERE ended_at IS NULL').all() as {
      id: number;
      backupSet: string;
    }[];
  }

  /** When a job ended last, in milliseconds since the epoch; nothing where none has. */
  lastEnd(): number | undefined {
    return (this.#database.prepare('SELECT max(ended_at) FROM job').pluck().get() as number | null) ?? undefined;
  }

  /** Jobs that ended, newest first. */
  list({ backupSet, kind, states, before }: JobFilter, limit: number): JobRecord[] {
    return this.#database
      .prepare(
        `SELECT ${COLUMNS} FROM job WHERE ended_at IS NOT NULL AND id < @before
         AND (@set IS NULL OR backup_set = @set) AND (@kind IS NULL OR kind = @kind)
         AND (@states IS NULL OR state IN (SELECT value FROM json_each(@states)))
         ORDER BY id DESC LIMIT @limit`,
      )
      .all({
        before: before ?? Number.MAX_SAFE_INTEGER,
        set: backupSet ?? null,
        kind: kind ?? null,
        states: states ? JSON.stringify(states) : null,
        limit,
      }) as JobRecord[];
  }

  /** Jobs of a kind that ended since a time, oldest first; their reports are not read. */
  endsSince(kind: JobKind, at: number): Pick<JobEnd, 'backupSet' | 'state' | 'endedAt'>[] {
    return this.#database
      .prepare(
        `SELECT backup_set AS backupSet, state, ended_at AS endedAt FROM job
         WHERE ended_at >= ? AND kind = ? ORDER BY ended_at`,
      )
      .all(at, kind) as JobEnd[];
  }

  /**
   * Bytes over all backups that succeeded and whose number is greater than that; this reads their reports.
   *
   * @param since only of those that began then or later; milliseconds since the epoch
   */
  totals(after: number, since = 0): JournalTotals {
    const { stored, ...totals } = this.#database
      .prepare(
        `SELECT coalesce(max(id), 0) AS last,
                coalesce(sum(report ->> '$.bytesScanned'), 0) AS scanned,
                coalesce(sum(report ->> '$.bytesUploaded'), 0) AS uploaded,
                (SELECT report ->> '$.storageUsedBytes' FROM job
                 WHERE id > @after AND started_at >= @since AND ${WHOLE} ORDER BY id DESC LIMIT 1)
                AS stored
         FROM job WHERE id > @after AND started_at >= @since AND ${WHOLE}`,
      )
      .get({ after, since }) as Omit<JournalTotals, 'stored'> & { readonly stored: number | null };
    return { ...totals, stored: stored ?? undefined };
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
