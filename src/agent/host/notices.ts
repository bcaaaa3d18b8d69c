import { join } from 'node:path';
import { z } from 'zod';
import { JsonFile } from '../../base/files/json-file.ts';
import { INTERNAL } from '../../base/errors/failure.ts';
import type { AppState } from '../../ipc/state.ts';
import type { Place } from '../../model/destination.ts';
import type { Preferences } from '../../ipc/contract/preferences.ts';
import type { Notice } from '../../ipc/agent-events.ts';
import type { JobRecord } from '../../jobs/job-record.ts';
import type { Home } from '../home/home.ts';
import { listedRunOf, outcomeOf, runReportOf } from '../history/finished-runs.ts';
import { runsOf } from '../history/run-jobs.ts';
import type { CatalogAccess } from './activity/catalog-access.ts';
import type { HomeSettings } from './home-settings.ts';
import type { PreferencesStore } from './preferences.ts';
import type { EndedRun } from './runs/run-request.ts';

const fileForm = z.object({ version: z.literal(1), noBackup: z.record(z.string(), z.string()) });

export interface NoticeParts {
  readonly home: Home;
  readonly clock: { now(): number };
  readonly catalog: Pick<CatalogAccess, 'read'>;
  readonly settings: Pick<HomeSettings, 'entries'>;
  readonly preferences: Pick<PreferencesStore, 'get'>;
  readonly send: (notice: Notice) => void;
}

/** Enough for the jobs of one run. */
const JOBS = 100;

/** Both settings apply to a failed restore. */
function isWanted({ kind }: Notice, { failures, restores }: Preferences['notifications']): boolean {
  if (kind === 'restore-failed') return failures || restores;
  return kind === 'restored' ? restores : failures;
}

/** Sends the system notifications: failures, and restores that have ended. */
export class Notices {
  readonly #parts: NoticeParts;
  readonly #file: JsonFile<typeof fileForm>;
  /** By set and destination: the day of the last notice that there is no recent backup. */
  #noBackup: Record<string, string> | undefined;

  constructor(parts: NoticeParts) {
    this.#parts = parts;
    this.#file = new JsonFile(join(parts.home.folder, 'notices.json'), fileForm);
  }

  ended(run: EndedRun): void {
    const { preferences, send } = this.#parts;
    const notice = this.#noticeOf(run);
    if (!notice) return;
    if (isWanted(notice, preferences.get().notifications)) send(notice);
  }

  /** Sends a notice once a day for each set without a recent backup, at a destination or anywhere. */
  stateChanged({ needs, preferences }: AppState): void {
    const late = needs.filter((need) => need.kind === 'no-backup-for');
    if (late.length === 0 || preferences.notifications.noBackupDays === 0) return;
    const today = new Date(this.#parts.clock.now()).toDateString();
    this.#noBackup ??= this.#load();
    const unsent = late.filter((need) => this.#noBackup![keyOf(need)] !== today);
    if (unsent.length === 0) return;
    this.#noBackup = Object.fromEntries(late.map((need) => [keyOf(need), today]));
    this.#save(this.#noBackup);
    for (const { set, days, destination } of unsent) {
      this.#parts.send({ kind: 'no-backup-for', set, days, ...(destination ? { destination: destination.name } : {}) });
    }
  }

  #noticeOf(run: EndedRun): Notice | undefined {
    const { set, kind, outcome, id } = run;
    if (kind === 'restore') {
      if (outcome === 'cancelled' || outcome === 'interrupted') return undefined;
      const report = this.#report(id);
      const { files = 0, filesFailed = 0 } = report ?? {};
      if (outcome === 'failed' && files === 0) {
        return { kind: 'restore-failed', set, ...(run.failure && { failure: run.failure }) };
      }
      // A restore that ended in the middle does not list all files that are missing.
      return { kind: 'restored', set, files, failures: Math.max(filesFailed, outcome === 'failed' ? 1 : 0) };
    }
    if (kind === 'backup') return this.#failedBackup(run);
    // A person started it and sees its result.
    if (kind === 'check' || kind === 'repair' || kind === 'copy' || outcome !== 'failed') return undefined;
    if (kind === 'verify' || kind === 'drill') {
      return (this.#report(id)?.failuresTotal ?? 0) > 0 ? { kind: 'verification-failed', set } : undefined;
    }
    return undefined;
  }

  /** One notice for all destinations where a run failed, and the run before did not. */
  #failedBackup(run: EndedRun): Notice | undefined {
    const { set, id, outcome, failure } = run;
    const jobs = this.#jobsOf(run);
    if (jobs.length < 2) {
      const { destination } = jobs[0] ?? {};
      if (outcome !== 'failed' || this.#failedBefore(set, id, destination)) return undefined;
      return { kind: 'backup-failed', set, failure: failure ?? INTERNAL };
    }
    const failed = jobs.filter((job) => outcomeOf(job.state) === 'failed');
    const unsent = failed.filter((job) => !this.#failedBefore(set, job.id, job.destination));
    const [first] = unsent;
    if (!first) return undefined;
    const cause = listedRunOf(first).failure ?? INTERNAL;
    if (failed.length === jobs.length && unsent.length === failed.length) {
      return { kind: 'backup-failed', set, failure: cause };
    }
    return {
      kind: 'backup-failed',
      set,
      failure: cause,
      destinations: unsent.map(({ destination }) => this.#nameOf(destination)),
    };
  }

  /** The jobs of a run at its destinations, in their order; none if the run could not be recorded. */
  #jobsOf({ set, id }: EndedRun): readonly JobRecord[] {
    if (id === 0) return [];
    const newest = this.#parts.catalog.read(({ journal }) => journal.list({ backupSet: set, kind: 'backup' }, JOBS));
    const jobs = runsOf(newest).find((of) => of.some((job) => job.id === id)) ?? [];
    return jobs.toSorted((a, b) => a.id - b.id);
  }

  #nameOf(destination: string): string {
    return this.#parts.settings.entries.find(({ id }) => id === destination)?.name ?? destination;
  }

  /** Returns whether the backup before failed there too: only the first of several failures is reported. */
  #failedBefore(set: string, id: number, destination: string | undefined): boolean {
    if (id === 0) return false;
    const [before] = this.#parts.catalog.read(({ journal }) =>
      journal.list({ backupSet: set, kind: 'backup', before: id, destination }, 1),
    );
    return before !== undefined && outcomeOf(before.state) === 'failed';
  }

  #report(id: number): ReturnType<typeof runReportOf> {
    const job = this.#parts.catalog.read(({ journal }) => journal.get(id));
    return job && runReportOf(job);
  }

  /** Without the file a notice may be sent twice. */
  #load(): Record<string, string> {
    return this.#file.readSync(() => undefined)?.noBackup ?? {};
  }

  #save(noBackup: Record<string, string>): void {
    try {
      this.#file.writeSync({ version: 1, noBackup });
    } catch {
      // The notice is sent again after the next start.
    }
  }
}

function keyOf({ set, destination }: { readonly set: string; readonly destination?: Place | undefined }): string {
  return destination ? `${destination.id} ${set}` : set;
}
