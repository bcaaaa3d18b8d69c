import { join } from 'node:path';
import { z } from 'zod';
import { JsonFile } from '../../base/json-file.ts';
import type { AppState } from '../../ipc/state.ts';
import type { Preferences } from '../../ipc/contract/preferences.ts';
import type { Notice } from '../../ipc/agent-events.ts';
import type { Home } from '../home/home.ts';
import { outcomeOf, runReportOf } from '../history/finished-runs.ts';
import type { CatalogAccess } from './activity/catalog-access.ts';
import type { PreferencesStore } from './preferences.ts';
import type { EndedRun } from './runs/run-request.ts';

const fileForm = z.object({ version: z.literal(1), noBackup: z.record(z.string(), z.string()) });

export interface NoticeParts {
  readonly home: Home;
  readonly clock: { now(): number };
  readonly catalog: Pick<CatalogAccess, 'read'>;
  readonly preferences: Pick<PreferencesStore, 'get'>;
  readonly send: (notice: Notice) => void;
}

/** Both settings apply to a failed restore. */
function isWanted({ kind }: Notice, { failures, restores }: Preferences['notifications']): boolean {
  if (kind === 'restore-failed') return failures || restores;
  return kind === 'restored' ? restores : failures;
}

/** Sends the system notifications: failures, and restores that have ended. */
export class Notices {
  readonly #parts: NoticeParts;
  readonly #file: JsonFile<typeof fileForm>;
  /** By set: the day of the last notice that it has no recent backup. */
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

  /** Sends a notice once a day for each set without a recent backup. */
  stateChanged({ needs, preferences }: AppState): void {
    const late = needs.filter((need) => need.kind === 'no-backup-for');
    if (late.length === 0 || preferences.notifications.noBackupDays === 0) return;
    const today = new Date(this.#parts.clock.now()).toDateString();
    this.#noBackup ??= this.#load();
    const unsent = late.filter(({ set }) => this.#noBackup![set] !== today);
    if (unsent.length === 0) return;
    this.#noBackup = Object.fromEntries(late.map(({ set }) => [set, today]));
    this.#save(this.#noBackup);
    for (const { set, days } of unsent) this.#parts.send({ kind: 'no-backup-for', set, days });
  }

  #noticeOf(run: EndedRun): Notice | undefined {
    const { set, kind, outcome, id } = run;
    if (kind === 'restore') {
      if (outcome === 'cancelled' || outcome === 'interrupted') return undefined;
      const report = this.#report(id);
      const { files = 0, failuresTotal = 0, failures = [] } = report ?? {};
      if (outcome === 'failed' && files === 0) {
        return { kind: 'restore-failed', set, code: run.failure?.code ?? failures[0]?.reason ?? 'internal' };
      }
      // A restore that ended in the middle does not list all files that are missing.
      return { kind: 'restored', set, files, failures: Math.max(failuresTotal, outcome === 'failed' ? 1 : 0) };
    }
    // A person started it and sees its result.
    if (kind === 'check' || kind === 'repair' || outcome !== 'failed') return undefined;
    if (kind === 'verify') {
      return (this.#report(id)?.failuresTotal ?? 0) > 0 ? { kind: 'verification-failed', set } : undefined;
    }
    if (this.#failedBefore(run)) return undefined;
    return { kind: 'backup-failed', set, code: run.failure?.code ?? 'internal' };
  }

  /** Returns whether the backup before failed too: only the first of several failures is reported. */
  #failedBefore({ set, id }: EndedRun): boolean {
    if (id === 0) return false;
    const [before] = this.#parts.catalog.read(({ journal }) =>
      journal.list({ backupSet: set, kind: 'backup', before: id }, 1),
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
