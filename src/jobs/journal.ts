import type { Database } from 'better-sqlite3';
import type {
  JobEnd,
  JobFilter,
  JobProgress,
  JobRecord,
  JobTransition,
  JournalTotals,
  StoredAt,
  NewJob,
  RestoreRecord,
} from './job-record.ts';
import type { RunKind } from '../model/run.ts';
import { ACTIVE_STATES, canTransition, isFinal, PENDING_STATES, SUCCEEDED_STATES } from './job-state.ts';
import type { JobPhase, JobState } from './job-state.ts';
import type { RunWarning } from './run-warning.ts';
import { DAY } from '../model/units.ts';

interface TransitionOptions {
  readonly reason?: string;
  readonly report?: unknown;
}

const COLUMNS = `id, kind, backup_set AS backupSet, destination, state, started_at AS startedAt, ended_at AS endedAt, report,
  began_by AS "trigger", request`;
const RESTORE_COLUMNS = `${COLUMNS}, resumes, kills, target_volume AS targetVolume, waits_for AS waitsFor`;
const END_COLUMNS = 'id, backup_set AS backupSet, destination, state, started_at AS startedAt, ended_at AS endedAt';
/** Jobs of one run: one for each of its destinations. */
const MOST_AT_ONCE = 100;
const NEWEST_FIRST = 'ORDER BY started_at DESC, id DESC';

const ACTIVE = `state IN (${ACTIVE_STATES.map((state) => `'${state}'`).join()})`;
const PENDING = `state IN (${PENDING_STATES.map((state) => `'${state}'`).join()})`;
const SUCCEEDED = `state IN (${SUCCEEDED_STATES.map((state) => `'${state}'`).join()})`;

/** Progress older than this is not continued visibly: the destination deletes unfinished uploads after some days. */
const PROGRESS_LASTS_MS = DAY;

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
  queue({ kind, backupSet, destination, trigger, request, targetVolume }: NewJob, at: number): number {
    return this.#insert(
      `INSERT INTO job (kind, backup_set, destination, state, started_at, began_by, request, target_volume)
       VALUES (?, ?, ?, 'queued', ?, ?, ?, ?)`,
      [
        kind,
        backupSet,
        destination,
        at,
        trigger ?? null,
        request ? JSON.stringify(request) : null,
        targetVolume ?? null,
      ],
      at,
    );
  }

  /** Adds a job that continues another with the same request, and returns its id. */
  queueResumption(resumed: number, trigger: string, wasKilled: boolean, at: number): number {
    return this.#insert(
      `INSERT INTO job
         (kind, backup_set, destination, state, started_at, began_by, request, target_volume, resumes, kills)
       SELECT kind, backup_set, destination, 'queued', ?, ?, request, target_volume, id, kills + ? FROM job WHERE id = ?`,
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

  /** Adds a warning to the backups of a set that began since a time and succeeded: their run went on until now. */
  addWarning(backupSet: string, since: number, warning: RunWarning, at: number): void {
    this.#database.transaction(() => {
      const jobs = this.list({ backupSet, kind: 'backup', states: SUCCEEDED_STATES }, MOST_AT_ONCE);
      for (const { id, state } of jobs.filter(({ startedAt }) => startedAt >= since)) {
        this.#database
          .prepare(
            `UPDATE job SET state = 'succeeded-with-warnings', ended_at = @at, report = json_set(coalesce(report, '{}'), '$.warnings',
               json_insert(coalesce(report -> '$.warnings', '[]'), '$[#]', json(@warning))) WHERE id = @id`,
          )
          .run({ id, at, warning: JSON.stringify(warning) });
        if (state === 'succeeded') this.#recordTransition(id, 'succeeded-with-warnings', at, warning.reason);
      }
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
   */
  unfinishedProgress(backupSet: string, destination: string, now: number): JobProgress | undefined {
    const { at, ...progress } = this.#database
      .prepare(
        `SELECT coalesce(max(files_done), 0) AS filesDone, coalesce(sum(bytes_done), 0) AS bytesDone,
                max(progress_at) AS at
         FROM job WHERE kind = 'backup' AND backup_set = @backupSet AND destination = @destination AND id > coalesce(
           (SELECT max(id) FROM job WHERE kind = 'backup' AND backup_set = @backupSet
              AND destination = @destination AND state NOT IN ('interrupted', 'cancelled')), 0)`,
      )
      .get({ backupSet, destination }) as JobProgress & { readonly at: number | null };
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
  active(): Pick<JobRecord, 'id' | 'backupSet' | 'destination'>[] {
    return this.#database
      .prepare(`SELECT id, backup_set AS backupSet, destination FROM job WHERE ${ACTIVE}`)
      .all() as Pick<JobRecord, 'id' | 'backupSet' | 'destination'>[];
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
  recent(backupSet: string, limit: number, destination?: string): JobRecord[] {
    return this.#database
      .prepare(
        `SELECT ${COLUMNS} FROM job WHERE backup_set = @backupSet
         AND (@destination IS NULL OR destination = @destination) ORDER BY id DESC LIMIT @limit`,
      )
      .all({ backupSet, destination: destination ?? null, limit }) as JobRecord[];
  }

  /** Returns `undefined` if there is no such job. */
  get(id: number): JobRecord | undefined {
    return this.#database.prepare(`SELECT ${COLUMNS} FROM job WHERE id = ?`).get(id) as JobRecord | undefined;
  }

  /** The newest job of a kind that ended, whatever the clock was when it began. Does not read its report. */
  newestEnd(backupSet: string, kind: RunKind, states?: readonly JobState[], destination?: string): JobEnd | undefined {
    return this.newestEndUntil({ backupSet, kind, states, destination }, Number.MAX_SAFE_INTEGER);
  }

  /** Like `newestEnd`, of the jobs that began at a time or before it. */
  newestEndUntil(
    { backupSet, kind, states, destination }: Omit<JobFilter, 'before'> & { backupSet: string; kind: RunKind },
    at: number,
  ): JobEnd | undefined {
    return this.#database
      .prepare(
        `SELECT ${END_COLUMNS} FROM job WHERE backup_set = @backupSet AND kind = @kind AND started_at <= @at
         AND ended_at IS NOT NULL AND (@states IS NULL OR state IN (SELECT value FROM json_each(@states)))
         AND (@destination IS NULL OR destination = @destination) ORDER BY id DESC LIMIT 1`,
      )
      .get({
        backupSet,
        kind,
        at,
        states: states ? JSON.stringify(states) : null,
        destination: destination ?? null,
      }) as JobEnd | undefined;
  }

  /** When the last job ended, in milliseconds since the epoch. */
  lastEnd(): number | undefined {
    return (this.#database.prepare('SELECT max(ended_at) FROM job').pluck().get() as number | null) ?? undefined;
  }

  /** Jobs that began and ended, newest first. */
  list({ backupSet, destination, kind, states, before }: JobFilter, limit: number): JobRecord[] {
    return this.#database
      .prepare(
        `SELECT ${COLUMNS} FROM job WHERE ended_at IS NOT NULL AND state <> 'withdrawn'
         AND (@before IS NULL OR (started_at, id) < (SELECT started_at, id FROM job WHERE id = @before))
         AND (@backupSet IS NULL OR backup_set = @backupSet) AND (@kind IS NULL OR kind = @kind)
         AND (@states IS NULL OR state IN (SELECT value FROM json_each(@states)))
         AND (@destination IS NULL OR destination = @destination) ${NEWEST_FIRST} LIMIT @limit`,
      )
      .all({
        before: before ?? null,
        backupSet: backupSet ?? null,
        destination: destination ?? null,
        kind: kind ?? null,
        states: states ? JSON.stringify(states) : null,
        limit,
      }) as JobRecord[];
  }

  /** Jobs of a kind that ended since a time, oldest first. Does not read their reports. */
  endsSince(kind: RunKind, at: number, destination?: string): Omit<JobEnd, 'id'>[] {
    return this.#database
      .prepare(
        `SELECT backup_set AS backupSet, destination, state, started_at AS startedAt, ended_at AS endedAt FROM job
         WHERE ended_at >= @at AND kind = @kind AND (@destination IS NULL OR destination = @destination)
         ORDER BY ended_at`,
      )
      .all({ at, kind, destination: destination ?? null }) as JobEnd[];
  }

  /** What each backup that ended since a time has sent, oldest first. Reads their reports. */
  uploadsSince(at: number): { readonly endedAt: number; readonly bytes: number }[] {
    return this.#database
      .prepare(
        `SELECT ended_at AS endedAt, coalesce(report ->> '$.bytesUploaded', 0) AS bytes FROM job
         WHERE ended_at >= @at AND kind = 'backup' ORDER BY ended_at`,
      )
      .all({ at }) as { readonly endedAt: number; readonly bytes: number }[];
  }

  /** Sums over the successful backups to a destination with a greater id than `after`. Reads their reports. */
  totals(after: number, destination: string): JournalTotals {
    const { stored, ...totals } = this.#database
      .prepare(
        `SELECT coalesce(max(id), 0) AS last,
                coalesce(sum(report ->> '$.bytesScanned'), 0) AS scanned,
                coalesce(sum(report ->> '$.bytesNew'), 0) AS fresh,
                coalesce(sum(report ->> '$.bytesUploaded'), 0) AS uploaded,
                json_group_array(json_object('at', ended_at, 'bytes', report -> '$.storageUsedBytes') ORDER BY id)
                  FILTER (WHERE report ->> '$.storageUsedBytes' IS NOT NULL) AS stored
         FROM job WHERE id > @after AND destination = @destination AND kind = 'backup' AND ${SUCCEEDED}`,
      )
      .get({ after, destination }) as Omit<JournalTotals, 'stored'> & { readonly stored: string };
    return { ...totals, stored: JSON.parse(stored) as StoredAt[] };
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
