import type { BackupReport } from '../../archive/backup/types.ts';
import type { DestinationCatalog } from '../../catalog/catalog.ts';
import { SUCCEEDED_STATES, type JobState } from '../../jobs/job-state.ts';
import type { JobEnd } from '../../jobs/job-record.ts';
import type { RunKind, LastRun } from '../../model/run.ts';
import type { SetState } from '../../ipc/state.ts';
import { absentFoldersIn, isAboutAbsentFolder, type AbsentFolder } from './absent-folders.ts';
import { RANSOMWARE_SIGNS } from '../../jobs/run-warning.ts';
import { listedRunOf, outcomeOf, reportIn } from './finished-runs.ts';
import { foundDamage, verifiedDamage } from './verified-damage.ts';
import { timeOfPoint } from '../../base/point-time.ts';
import { DAY } from '../../model/units.ts';

/** The newest runs and restore points of a set. */
export interface SetHistory {
  readonly lastBackup: LastRun | undefined;
  /** The end of the newest complete backup, in milliseconds since the epoch. */
  readonly lastGoodAt: number | undefined;
  readonly lastPoint: SetState['lastPoint'];
  readonly isResumable: boolean;
  /** Warnings of the newest backup that were not there a day before, as texts that identify them. */
  readonly newWarnings: readonly string[];
  /** True if the command after the newest backup failed. */
  readonly hasCommandFailed: boolean;
  /** The folders of the set that the newest backup did without. */
  readonly absentFolders: readonly AbsentFolder[];
  /** The newest verification that found damage still to be found, or the newest test restore if it found damage. */
  readonly damageFoundBy: number | undefined;
  readonly lastVerify: LastRun | undefined;
  /** The newest finished test restore, with what it compared. */
  readonly lastDrill: LastDrill | undefined;
  /** True if the app started the newest backup. At a terminal, a person resumes it. */
  readonly wasBegunHere: boolean;
  /** True if a person started the newest backup, in the window or at a terminal. */
  readonly wasByPerson: boolean;
}

/** `compared` is missing if it ended before it compared anything. */
export interface LastDrill extends LastRun {
  readonly compared?: { readonly files: number; readonly bytes: number; readonly failures: number };
}

/** Files that restore points of a destination lack. */
export interface KnownLosses {
  /** The check or repair that says so, and its end in milliseconds since the epoch. */
  readonly run: number;
  readonly at: number;
  readonly files: number;
  /** Restore points that a repair gave up. */
  readonly points: number;
  /** The sets of this computer among those that lack any. */
  readonly sets: readonly string[];
}

interface KnownRun {
  readonly run: LastRun;
  readonly wasBegunHere: boolean;
  readonly wasByPerson: boolean;
}

/** The number of cached parsed reports, enough for the state of a few sets. */
const CACHED = 64;

/** Reads the history of sets from the journal. Caches parsed reports, since the state is built several times per second. */
export class SetHistories {
  readonly #runs = new Map<string, KnownRun>();
  readonly #commands = new Map<string, boolean>();
  readonly #warnings = new Map<string, readonly string[]>();
  readonly #absent = new Map<number, readonly AbsentFolder[]>();
  readonly #damage = new Map<number, boolean>();
  readonly #verified = new Map<string, { readonly run: number | undefined }>();
  readonly #losses = new Map<number, KnownLosses>();
  readonly #drills = new Map<number, Pick<LastDrill, 'compared'>>();

  of(catalog: DestinationCatalog, deviceId: string, set: string): SetHistory {
    const { journal, history, destination } = catalog;
    const newest = (kind: RunKind, states?: readonly JobState[]): JobEnd | undefined =>
      journal.newestEnd(set, kind, states, destination);
    const backup = newest('backup');
    const good = newest('backup', SUCCEEDED_STATES);
    const verify = newest('verify', ['succeeded', 'succeeded-with-warnings', 'failed']);
    const drill = newest('drill', ['succeeded', 'succeeded-with-warnings', 'failed']);
    const point = history.newestPoint(deviceId, set);
    const lastPoint = point && { at: Date.parse(timeOfPoint(point)), files: point.files, bytes: point.bytes };
    const lastGoodAt = good?.endedAt ?? lastPoint?.at;
    const outcome = backup && outcomeOf(backup.state);
    const lastBackup = backup && this.#run(catalog, backup);
    return {
      lastBackup: lastBackup?.run,
      lastGoodAt,
      lastPoint,
      isResumable: outcome === 'interrupted' || outcome === 'cancelled',
      newWarnings: backup ? this.#newWarnings(catalog, set, backup) : [],
      hasCommandFailed: backup !== undefined && this.#hasCommandFailed(catalog, backup),
      absentFolders: backup ? this.#absentFolders(catalog, backup) : [],
      damageFoundBy: this.#verifiedDamage(catalog, set, verify) ?? this.#drillDamage(catalog, drill),
      lastVerify: verify && this.#run(catalog, verify).run,
      lastDrill: drill && { ...this.#run(catalog, drill).run, ...this.#compared(catalog, drill) },
      wasBegunHere: lastBackup?.wasBegunHere === true,
      wasByPerson: lastBackup?.wasByPerson === true,
    };
  }

  /** Returns the newest check of the destination if it found what a repair mends; `undefined` after a repair. */
  damageFoundBy({ journal, destination }: DestinationCatalog): number | undefined {
    const check = journal.newestEnd('', 'check', [...SUCCEEDED_STATES, 'failed'], destination);
    const repair = journal.newestEnd('', 'repair', SUCCEEDED_STATES, destination);
    if (check?.state !== 'failed' || (repair && repair.id > check.id)) return undefined;
    const isDamaged = cached(this.#damage, check.id, () => {
      const { findingsTotal = 0, isProjectionSound = true } = reportIn(journal.get(check.id) ?? NOTHING) ?? {};
      return findingsTotal > 0 || !isProjectionSound;
    });
    return isDamaged ? check.id : undefined;
  }

  /**
   * Returns what restore points lack by the newest check or repair, unless it found damage that a repair mends first; else which restore points the
   * newest repair gave up: no later check misses them.
   */
  lossesFoundBy(catalog: DestinationCatalog, deviceId: string): KnownLosses | undefined {
    const { journal, destination } = catalog;
    if (this.damageFoundBy(catalog) !== undefined) return undefined;
    const check = journal.newestEnd('', 'check', [...SUCCEEDED_STATES, 'failed'], destination);
    const repair = journal.newestEnd('', 'repair', SUCCEEDED_STATES, destination);
    const isRepairNewer = repair !== undefined && repair.id > (check?.id ?? 0);
    const found: KnownLosses[] = [];
    if (check && !isRepairNewer) found.push(this.#lossesIn(catalog, check, deviceId));
    if (repair) {
      const given = this.#lossesIn(catalog, repair, deviceId);
      found.push(isRepairNewer ? given : { ...given, files: 0 });
    }
    return found.find(({ files, points }) => files + points > 0);
  }

  #lossesIn({ journal }: DestinationCatalog, { id, endedAt: at }: JobEnd, deviceId: string): KnownLosses {
    return cached(this.#losses, id, () => {
      const report = reportIn(journal.get(id) ?? NOTHING) ?? {};
      const { losses = [], lostFiles = 0 } = report.after ?? report;
      // A repair gives up restore points whose lists of files are gone.
      const { lostPoints = [] } = report;
      const own = [...losses, ...lostPoints].filter(({ device }) => device === deviceId);
      return {
        run: id,
        at,
        files: lostFiles,
        points: lostPoints.length,
        sets: [...new Set(own.map(({ set }) => set))],
      };
    });
  }

  /** A command that fails after a backup adds a warning to it, and moves its end. */
  #run(catalog: DestinationCatalog, { id, endedAt: end }: JobEnd): KnownRun {
    return cached(this.#runs, `${id} ${end}`, () => {
      const run = listedRunOf(catalog.journal.get(id)!);
      const { kind, outcome, startedAt, endedAt, warnings, failure, trigger } = run;
      return {
        run: { id, kind, outcome, startedAt, endedAt, warnings, ...(failure ? { failure } : {}) },
        wasBegunHere: trigger !== undefined,
        wasByPerson: trigger === undefined || trigger === 'person',
      };
    });
  }

  #compared({ journal }: DestinationCatalog, { id }: JobEnd): Pick<LastDrill, 'compared'> {
    return cached(this.#drills, id, () => {
      const {
        filesCompared: files,
        bytesWritten: bytes = 0,
        failuresTotal = 0,
      } = reportIn(journal.get(id) ?? NOTHING) ?? {};
      return files === undefined ? {} : { compared: { files, bytes, failures: failuresTotal } };
    });
  }

  /** Warnings that persist for a day are no longer new. */
  #newWarnings({ journal, destination }: DestinationCatalog, set: string, newest: JobEnd): readonly string[] {
    if (newest.state !== 'succeeded-with-warnings') return [];
    const good = { backupSet: set, kind: 'backup', states: SUCCEEDED_STATES, destination } as const;
    const before = journal.newestEndUntil(good, newest.endedAt - DAY);
    return cached(this.#warnings, `${newest.id} ${before?.id}`, () => {
      const known = new Set(before ? warningsOf(journal.get(before.id)) : []);
      return warningsOf(journal.get(newest.id)).filter((warning) => !known.has(warning));
    });
  }

  #hasCommandFailed({ journal }: DestinationCatalog, { id, state, endedAt }: JobEnd): boolean {
    if (state !== 'succeeded-with-warnings') return false;
    return cached(this.#commands, `${id} ${endedAt}`, () => {
      const report = reportIn(journal.get(id) ?? NOTHING) as Partial<BackupReport> | undefined;
      return (report?.warnings ?? []).some(({ reason }) => reason === AFTER_COMMAND);
    });
  }

  #absentFolders({ journal }: DestinationCatalog, { id, state }: JobEnd): readonly AbsentFolder[] {
    if (state !== 'succeeded-with-warnings') return [];
    return cached(this.#absent, id, () => absentFoldersIn(reportIn(journal.get(id) ?? NOTHING)));
  }

  #verifiedDamage(catalog: DestinationCatalog, set: string, newest: JobEnd | undefined): number | undefined {
    if (newest === undefined) return undefined;
    const repair = catalog.journal.newestEnd('', 'repair', SUCCEEDED_STATES, catalog.destination);
    return cached(this.#verified, `${newest.id} ${repair?.id}`, () => ({
      run: verifiedDamage(catalog, set, repair?.id),
    })).run;
  }

  #drillDamage({ journal }: DestinationCatalog, drill: JobEnd | undefined): number | undefined {
    if (drill?.state !== 'failed') return undefined;
    return cached(this.#damage, drill.id, () => foundDamage(journal.get(drill.id) ?? NOTHING)) ? drill.id : undefined;
  }
}

const NOTHING = { report: null };

/** Returns the first set without a complete backup since its losses were found: the next one stores again what is still on this computer. */
export function setThatLacks<Set extends { readonly name: string; readonly lastGoodAt?: number | undefined }>(
  { at, sets: lacking }: KnownLosses,
  sets: readonly Set[],
): Set | undefined {
  return sets.find(({ name, lastGoodAt = 0 }) => lacking.includes(name) && lastGoodAt <= at);
}

function warningsOf(job: { readonly report: string | null } | undefined): string[] {
  const report = reportIn(job ?? NOTHING) as Partial<BackupReport> | undefined;
  // Folders that are missing, commands that failed and signs of ransomware have needs of their own.
  const others = (report?.warnings ?? []).filter(
    (warning) =>
      !isAboutAbsentFolder(warning) && warning.reason !== AFTER_COMMAND && warning.reason !== RANSOMWARE_SIGNS,
  );
  return others.map(({ path, reason }) => `${reason} ${path}`);
}

/** The reason of the warning that the command after a backup failed. */
const AFTER_COMMAND = 'after-command';

function cached<Key, Value>(known: Map<Key, Value>, key: Key, make: () => Value): Value {
  const before = known.get(key);
  if (before !== undefined) return before;
  const value = make();
  known.set(key, value);
  if (known.size > CACHED) known.delete(known.keys().next().value!);
  return value;
}
