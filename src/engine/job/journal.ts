import type { Database } from 'better-sqlite3';
import { isHoldfastError, type ErrorCode } from '../../base/errors.ts';
import type { Failure } from '../../base/failure.ts';
import type { JobRequest } from './job-request.ts';
import { ACTIVE_STATES, canTransition, isFinal, PENDING_STATES, SUCCEEDED_STATES } from './job-state.ts';
import type { JobPhase, JobState } from './job-state.ts';

export type JobKind = 'backup' | 'restore' | 'verify';

export interface JobRecord {
  readonly id: number;
  readonly kind: JobKind;
  readonly backupSet: string;
  readonly state: JobState;
  /** Milliseconds since the epoch, like `endedAt`; of a job that has not begun, the time of the request. */
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** JSON: the report of a job that ended, or the `JobError` of one that failed or is blocked. */
  readonly report: string | null;
  /** Why the job was started, as the caller calls it; `null` when it was started on the command line. */
  readonly trigger: string | null;
  /** JSON, see job-request.ts. */
  readonly request: string | null;
}

/** A restore that has not begun, or that continues one that was interrupted. */
export interface RestoreRecord extends JobRecord {
  /** The interrupted job that this one continues. */
  readonly resumes: number | null;
  /** Counts the continued jobs that ended with their process. */
  readonly kills: number;
  /** The mount point of the target's disk at the time of the request. */
  readonly targetVolume: string | null;
  /** The path that must exist before a waiting job can begin. */
  readonly waitsFor: string | null;
}

/** A job to be added. */
export interface NewJob {
  readonly kind: JobKind;
  readonly backupSet: string;
  readonly trigger?: string | undefined;
  readonly request?: JobRequest | undefined;
  readonly targetVolume?: string | undefined;
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

/** Progress of a job: files and bytes done since it began. */
export interface JobProgress {
  readonly filesDone: number;
  readonly bytesDone: number;
}

/** Sums over successful backups. */
export interface JournalTotals {
  /** The id of the newest; 0 if there is none. */
  readonly last: number;
  /** Bytes of their files. */
  readonly scanned: number;
  /** Bytes of the chunks that they sent, before compression. */
  readonly fresh: number;
  /** Bytes that they sent. */
  readonly uploaded: number;
  /** Bytes stored at the destination in total, as reported by the newest of them. */
  readonly stored: number | undefined;
}

/** The report of a job that ended with an error. */
export interface JobError {
  /** `bug` for an error without a code. */
  readonly error: ErrorCode | 'bug';
  readonly message: string;
  readonly details: Failure['details'];
}

export function jobErrorOf(error: unknown): JobError {
  const known = isHoldfastError(error) ? { error: error.code, details: error.details } : undefined;
  return { error: 'bug', details: {}, ...known, message: String(error) };
}

/** Selects the jobs that `list` returns; every condition given has to hold. */
export interface JobFilter {
  readonly backupSet?: string | undefined;
  readonly kind?: JobKind | undefined;
  readonly states?: readonly JobState[] | undefined;
  /** Only jobs that began before the job with this id. */
  readonly before?: number | undefined;
}

export interface JobTransition {
  readonly state: JobState;
  readonly at: number;
  readonly reason: string | null;
}

interface TransitionOptions {
  readonly reason?: string;
  readonly report?: unknown;
}

const COLUMNS = `id, kind, backup_set AS backupSet, state, started_at AS startedAt, ended_at AS endedAt, report,
  began_by AS "trigger", request`;
const RESTORE_COLUMNS = `${COLUMNS}, resumes, kills, target_volume AS targetVolume, waits_for AS waitsFor`;
const END_COLUMNS = 'id, backup_set AS backupSet, state, started_at AS startedAt, ended_at AS endedAt';
const NEWEST_FIRST = 'ORDER BY started_at DESC, id DESC';

const ACTIVE = `state IN (${ACTIVE_STATES.map((state) => `'${state}'`).join()})`;
const PENDING = `state IN (${PENDING_STATES.map((state) => `'${state}'`).join()})`;
const SUCCEEDED = `state IN (${SUCCEEDED_STATES.map((state) => `'${state}'`).join()})`;

/** Progress older than this is not continued visibly: the destination deletes unfinished uploads after some days. */
const PROGRESS_LASTS_MS = 24 * 3_600_000;

/** The jobs of this computer, with every transition of their states. Outlives the processes that run them. */
export class Journal {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Adds a job that begins now with a phase, in one transaction. Returns its id. */
  begin(job: NewJob, phase: JobPhase, at: number): number {
    return this.#database.transaction(() => {
      const id = this.queue(job, at);
      this.transition(id, phase, at);
      return id;
    })();
  }

  /** Adds a job that is to begin now or as soon as possible. Returns its id. */
  queue({ kind, backupSet, trigger, request, targetVolume }: NewJob, at: number): number {
    return this.#insert(
      `INSERT INTO job (kind, backup_set, state, started_at, began_by, request, target_volume)
       VALUES (?, ?, 'queued', ?, ?, ?, ?)`,
      [kind, backupSet, at, trigger ?? null, request ? JSON.stringify(request) : null, targetVolume ?? null],
      at,
    );
  }

  /** Adds a job that continues another with the same request, and returns its id. */
  queueResumption(resumed: number, trigger: string, wasKilled: boolean, at: number): number {
    return this.#insert(
      `INSERT INTO job (kind, backup_set, state, started_at, began_by, request, target_volume, resumes, kills)
       SELECT kind, backup_set, 'queued', ?, ?, request, target_volume, id, kills + ? FROM job WHERE id = ?`,
      [at, trigger, Number(wasKilled), resumed],
      at,
    );
  }

  /**
   * Does nothing if the job has that state already.
   *
   * @throws Error for a transition that job-state.ts does not allow, which is a bug of the caller
   */
  transition(id: number, state: JobState, at: number, { reason, report }: TransitionOptions = {}): void {
    this.#database.transaction(() => {
      const from = this.#database.prepare('SELECT state FROM job WHERE id = ?').pluck().get(id) as JobState;
      if (from === state) return;
      if (!canTransition(from, state)) throw new Error(`a job cannot go from ${from} to ${state}`);
      const begins = PENDING_STATES.includes(from) && ACTIVE_STATES.includes(state);
      this.#database
        .prepare(
          `UPDATE job SET state = @state, ended_at = @endedAt, started_at = coalesce(@startedAt, started_at),
             report = coalesce(@report, report), waits_for = NULL WHERE id = @id`,
        )
        .run({
          id,
          state,
          startedAt: begins ? at : null,
          endedAt: isFinal(state) ? at : null,
          report: report === undefined ? null : JSON.stringify(report),
        });
      this.#recordTransition(id, state, at, reason);
    })();
  }

  /** Lets a queued job wait. @param waitsFor a path that must exist before it can begin, if any */
  wait(id: number, waitsFor: string | undefined, at: number): void {
    this.#database.transaction(() => {
      this.transition(id, 'waiting', at);
      this.#database.prepare('UPDATE job SET waits_for = ? WHERE id = ?').run(waitsFor ?? null, id);
    })();
  }

  /** Stores how far a job is. */
  recordProgress(id: number, { filesDone, bytesDone }: JobProgress, at: number): void {
    this.#database
      .prepare('UPDATE job SET files_done = ?, bytes_done = ?, progress_at = ? WHERE id = ?')
      .run(filesDone, bytesDone, at, id);
  }

  /**
   * Returns the progress of the newest backups of a set that were interrupted or cancelled, which the next one continues;
   * `undefined` if there is nothing to continue, or nothing recent.
   *
   * @param since ignores backups that began earlier
   */
  unfinishedProgress(backupSet: string, since: number, now: number): JobProgress | undefined {
    const { at, ...progress } = this.#database
      .prepare(
        `SELECT coalesce(max(files_done), 0) AS filesDone, coalesce(sum(bytes_done), 0) AS bytesDone,
                max(progress_at) AS at
         FROM job WHERE kind = 'backup' AND backup_set = @backupSet AND started_at >= @since AND id > coalesce(
           (SELECT max(id) FROM job WHERE kind = 'backup' AND backup_set = @backupSet
              AND state NOT IN ('interrupted', 'cancelled')), 0)`,
      )
      .get({ backupSet, since }) as JobProgress & { readonly at: number | null };
    return at !== null && Math.abs(now - at) < PROGRESS_LASTS_MS ? progress : undefined;
  }

  /**
   * Marks active jobs as interrupted. To be called only by a process that holds the home's lock, since no other process
   * works on them then. Returns how many there were.
   */
  markInterrupted(at: number): number {
    const jobs = this.active();
    for (const { id } of jobs) this.transition(id, 'interrupted', at, { reason: 'the process ended' });
    return jobs.length;
  }

  /** Jobs that a process works on, or worked on when it was killed. */
  active(): { readonly id: number; readonly backupSet: string }[] {
    return this.#database.prepare(`SELECT id, backup_set AS backupSet FROM job WHERE ${ACTIVE}`).all() as {
      id: number;
      backupSet: string;
    }[];
  }

  /** Restores of the app that have not begun: those that continue another one first, then in the order of their requests. */
  pendingRestores(): RestoreRecord[] {
    return this.#database
      .prepare(`SELECT ${RESTORE_COLUMNS} FROM job WHERE ${PENDING} AND kind = 'restore' AND began_by IS NOT NULL
         ORDER BY resumes IS NULL, id`)
      .all() as RestoreRecord[];
  }

  /** Restores started by the app whose process ended in the middle, and that no other job continues. */
  unresumedRestores(): RestoreRecord[] {
    return this.#database
      .prepare(
        `SELECT ${RESTORE_COLUMNS} FROM job WHERE kind = 'restore' AND began_by IS NOT NULL
         AND (state = 'interrupted' OR ${ACTIVE})
         AND NOT EXISTS (SELECT 1 FROM job AS later WHERE later.resumes = job.id) ORDER BY id`,
      )
      .all() as RestoreRecord[];
  }

  /** Newest first. */
  recent(backupSet: string, limit: number): JobRecord[] {
    return this.#database
      .prepare(`SELECT ${COLUMNS} FROM job WHERE backup_set = ? ${NEWEST_FIRST} LIMIT ?`)
      .all(backupSet, limit) as JobRecord[];
  }

  /** Returns `undefined` if there is no such job. */
  get(id: number): JobRecord | undefined {
    return this.#database.prepare(`SELECT ${COLUMNS} FROM job WHERE id = ?`).get(id) as JobRecord | undefined;
  }

  /** The newest job of a kind that ended. Does not read its report. */
  newestEnd(backupSet: string, kind: JobKind, states?: readonly JobState[]): JobEnd | undefined {
    return this.newestEndUntil(backupSet, kind, states, Number.MAX_SAFE_INTEGER);
  }

  /** Like `newestEnd`, of the jobs that began at a time or before it. */
  newestEndUntil(
    backupSet: string,
    kind: JobKind,
    states: readonly JobState[] | undefined,
    at: number,
  ): JobEnd | undefined {
    return this.#database
      .prepare(
        `SELECT ${END_COLUMNS} FROM job WHERE backup_set = @backupSet AND kind = @kind AND started_at <= @at
         AND ended_at IS NOT NULL AND (@states IS NULL OR state IN (SELECT value FROM json_each(@states)))
         ${NEWEST_FIRST} LIMIT 1`,
      )
      .get({ backupSet, kind, at, states: states ? JSON.stringify(states) : null }) as JobEnd | undefined;
  }

  /** When the last job ended, in milliseconds since the epoch. */
  lastEnd(): number | undefined {
    return (this.#database.prepare('SELECT max(ended_at) FROM job').pluck().get() as number | null) ?? undefined;
  }

  /** Jobs that began and ended, newest first. */
  list({ backupSet, kind, states, before }: JobFilter, limit: number): JobRecord[] {
    return this.#database
      .prepare(
        `SELECT ${COLUMNS} FROM job WHERE ended_at IS NOT NULL AND state <> 'withdrawn'
         AND (@before IS NULL OR (started_at, id) < (SELECT started_at, id FROM job WHERE id = @before))
         AND (@backupSet IS NULL OR backup_set = @backupSet) AND (@kind IS NULL OR kind = @kind)
         AND (@states IS NULL OR state IN (SELECT value FROM json_each(@states)))
         ${NEWEST_FIRST} LIMIT @limit`,
      )
      .all({
        before: before ?? null,
        backupSet: backupSet ?? null,
        kind: kind ?? null,
        states: states ? JSON.stringify(states) : null,
        limit,
      }) as JobRecord[];
  }

  /** Jobs of a kind that ended since a time, oldest first. Does not read their reports. */
  endsSince(kind: JobKind, at: number): Pick<JobEnd, 'backupSet' | 'state' | 'endedAt'>[] {
    return this.#database
      .prepare(
        `SELECT backup_set AS backupSet, state, ended_at AS endedAt FROM job
         WHERE ended_at >= ? AND kind = ? ORDER BY ended_at`,
      )
      .all(at, kind) as JobEnd[];
  }

  /**
   * Sums over all successful backups with a greater id than `after`. Reads their reports.
   *
   * @param since ignores backups that began earlier; milliseconds since the epoch
   */
  totals(after: number, since = 0): JournalTotals {
    const { stored, ...totals } = this.#database
      .prepare(
        `SELECT coalesce(max(id), 0) AS last,
                coalesce(sum(report ->> '$.bytesScanned'), 0) AS scanned,
                coalesce(sum(report ->> '$.bytesNew'), 0) AS fresh,
                coalesce(sum(report ->> '$.bytesUploaded'), 0) AS uploaded,
                (SELECT report ->> '$.storageUsedBytes' FROM job
                 WHERE id > @after AND started_at >= @since AND kind = 'backup' AND ${SUCCEEDED}
                 ORDER BY id DESC LIMIT 1) AS stored
         FROM job WHERE id > @after AND started_at >= @since AND kind = 'backup' AND ${SUCCEEDED}`,
      )
      .get({ after, since }) as Omit<JournalTotals, 'stored'> & { readonly stored: number | null };
    return { ...totals, stored: stored ?? undefined };
  }

  /** The transitions of a job, in order. */
  transitions(id: number): JobTransition[] {
    return this.#database
      .prepare('SELECT state, at, reason FROM job_transition WHERE job = ? ORDER BY number')
      .all(id) as JobTransition[];
  }

  #insert(sql: string, values: readonly unknown[], at: number): number {
    return this.#database.transaction(() => {
      const id = Number(this.#database.prepare(sql).run(...values).lastInsertRowid);
      this.#recordTransition(id, 'queued', at, undefined);
      return id;
    })();
  }

  #recordTransition(id: number, state: JobState, at: number, reason: string | undefined): void {
    this.#database
      .prepare(
        `INSERT INTO job_transition (job, number, state, at, reason)
         SELECT ?, coalesce(max(number), 0) + 1, ?, ?, ? FROM job_transition WHERE job = ?`,
      )
      .run(id, state, at, reason ?? null, id);
  }
}
