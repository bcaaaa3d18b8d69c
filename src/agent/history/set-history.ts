import type { BackupReport } from '../../engine/backup/types.ts';
import type { Catalog } from '../../engine/catalog/catalog.ts';
import type { JobState } from '../../engine/job/job-state.ts';
import type { JobEnd, JobKind } from '../../engine/job/journal.ts';
import type { LastRun, SetState } from '../../ipc/state.ts';
import { listedRunOf, outcomeOf, reportIn } from './finished-runs.ts';

/** What is known of a set's runs. */
export interface SetHistory {
  readonly lastBackup: LastRun | undefined;
  /** When the newest backup that is whole ended, in milliseconds since the epoch. */
  readonly lastGoodAt: number | undefined;
  readonly lastPoint: SetState['lastPoint'];
  readonly isResumable: boolean;
  /** Warnings of the newest backup that one of the day before did not have. */
  readonly newWarnings: number;
  /** The newest verification that came to its end, where it found damage. */
  readonly damageFoundBy: number | undefined;
  readonly lastVerify: LastRun | undefined;
  /** The newest backup was begun by the app: at a terminal, somebody sees to it that it goes on. */
  readonly wasBegunHere: boolean;
}

/** Of a run that ended. */
interface KnownRun {
  readonly run: LastRun;
  readonly wasBegunHere: boolean;
}

const GOOD: readonly JobState[] = ['succeeded', 'succeeded-with-warnings'];
const DAY_MS = 86_400_000;
/** Reports that are kept read: those that the state of a few sets needs. */
const KEPT = 64;

/** What the journal says of sets. Reports are read once: the state is made several times a second. */
export class SetHistories {
  readonly #runs = new Map<number, KnownRun>();
  readonly #warnings = new Map<string, number>();
  readonly #damage = new Map<number, boolean>();

  /** @param since when backups began to go to where they go now: an earlier run says nothing of that; milliseconds */
  of(catalog: Catalog, deviceId: string, set: string, since = 0): SetHistory {
    const { journal, history } = catalog;
    const newest = (kind: JobKind, states?: readonly JobState[]): JobEnd | undefined => {
      const end = journal.newestEnd(set, kind, states);
      return end && end.endedAt >= since ? end : undefined;
    };
    const backup = newest('backup');
    const good = newest('backup', GOOD);
    const verify = newest('verify', ['succeeded', 'succeeded-with-warnings', 'failed']);
    const point = history.newestPoint(deviceId, set);
    const lastPoint = point && { at: Date.parse(point.restore_point), files: point.files, bytes: point.bytes };
    const lastGoodAt = good?.endedAt ?? lastPoint?.at;
    const outcome = backup && outcomeOf(backup.state);
    const lastBackup = backup && this.#run(catalog, backup);
    return {
      lastBackup: lastBackup?.run,
      lastGoodAt,
      lastPoint,
      isResumable: outcome === 'interrupted' || outcome === 'cancelled',
      newWarnings: backup ? this.#newWarnings(catalog, set, backup) : 0,
      damageFoundBy: verify && this.#foundDamage(catalog, verify) ? verify.id : undefined,
      lastVerify: verify && this.#run(catalog, verify).run,
      wasBegunHere: lastBackup?.wasBegunHere === true,
    };
  }

  #run(catalog: Catalog, { id }: JobEnd): KnownRun {
    return remembered(this.#runs, id, () => {
      const run = listedRunOf(catalog.journal.get(id)!);
      const { kind, outcome, startedAt, endedAt, warnings, failure, trigger } = run;
      return {
        run: { id, kind, outcome, startedAt, endedAt, warnings, ...(failure ? { failure } : {}) },
        wasBegunHere: trigger !== undefined,
      };
    });
  }

  /** Those that stand in every run of a day are known by then. */
  #newWarnings({ journal }: Catalog, set: string, newest: JobEnd): number {
    if (newest.state !== 'succeeded-with-warnings') return 0;
    const before = journal.newestEndUntil(set, 'backup', GOOD, newest.endedAt - DAY_MS);
    return remembered(this.#warnings, `${newest.id} ${before?.id}`, () => {
      const known = new Set(before ? warningsOf(journal.get(before.id)) : []);
      return warningsOf(journal.get(newest.id)).filter((warning) => !known.has(warning)).length;
    });
  }

  /** A verification that could not reach the service has failed, and has found nothing. */
  #foundDamage({ journal }: Catalog, { id, state }: JobEnd): boolean {
    if (state !== 'failed') return false;
    return remembered(this.#damage, id, () => (reportIn(journal.get(id) ?? NOTHING)?.failuresTotal ?? 0) > 0);
  }
}

const NOTHING = { report: null };

function warningsOf(job: { readonly report: string | null } | undefined): string[] {
  const report = reportIn(job ?? NOTHING) as Partial<BackupReport> | undefined;
  return (report?.warnings ?? []).map(({ path, reason }) => `${reason} ${path}`);
}

function remembered<Key, Value>(known: Map<Key, Value>, key: Key, make: () => Value): Value {
  const before = known.get(key);
  if (before !== undefined) return before;
  const value = make();
  known.set(key, value);
  if (known.size > KEPT) known.delete(known.keys().next().value!);
  return value;
}
