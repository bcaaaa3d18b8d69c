import { INTERNAL, type Failure } from '../../../base/errors/failure.ts';
import { Catalog } from '../../../catalog/catalog.ts';
import type { JobRecord } from '../../../jobs/job-record.ts';
import type { AgentParts } from '../../context/agent-parts.ts';
import { listedRunOf, outcomeOf, reportIn } from '../../history/finished-runs.ts';
import { requireSettings } from '../../home/settings.ts';
import type { DestinationEntry } from '../../home/destination-entry.ts';
import type { PeriodReport, ReportedDestination, ReportedSet, ReportedWarning } from '../../../ipc/contract/report.ts';
import { RANSOMWARE_SIGNS } from '../../../jobs/run-warning.ts';
import { statusOf, type SetStatus } from '../status.ts';
import { timeOfPoint } from '../../../base/point-time.ts';
import { DAY } from '../../../model/units.ts';

export type { PeriodReport, ReportedSet } from '../../../ipc/contract/report.ts';

/** Runs of a set at a destination that are counted: one every five minutes for a week. */
const MOST_RUNS = 2_100;
/** Files of a reason that are named, if names are wanted. */
const MOST_NAMES = 20;

export interface ReportOptions {
  readonly days: number;
  /** Names files, which a report otherwise only counts. */
  readonly withNames: boolean;
}

/** Makes a report from local data only. @throws HoldfastError `not_set_up`, `home_damaged` */
export function periodReport(parts: AgentParts, { days, withNames }: ReportOptions): PeriodReport {
  const { home, clock } = parts;
  const status = statusOf(parts);
  const to = clock.now();
  const from = to - days * DAY;
  requireSettings(home);
  using catalog = new Catalog(home.catalogFile);
  return {
    device: status.device.name,
    from,
    to,
    destinations: status.destinations.map(({ entry, sets }) => {
      const reported = sets.map((set) => ({ set, jobs: newestJobs(catalog, set, entry) }));
      const all = reported.flatMap(({ jobs }) => jobs);
      const { storedBytes, grownBytes } = growth(all, from);
      const isInPeriod = ({ startedAt }: JobRecord): boolean => startedAt >= from;
      return {
        name: entry.name,
        sets: reported.map(({ set, jobs }) => setReport(set, jobs.filter(isInPeriod), withNames)),
        storedBytes,
        grownBytes,
      };
    }),
  };
}

/** Newest first. */
function newestJobs({ journal }: Catalog, { set }: SetStatus, { id }: DestinationEntry): readonly JobRecord[] {
  return journal.list({ backupSet: set.name, kind: 'backup', destination: id }, MOST_RUNS);
}

function setReport(
  { set, lastRestorePoint, lastDrill, alarm }: SetStatus,
  jobs: readonly JobRecord[],
  withNames: boolean,
): ReportedSet {
  const outcomes = jobs.map(({ state }) => outcomeOf(state));
  const count = (...wanted: readonly (typeof outcomes)[number][]): number =>
    outcomes.filter((outcome) => wanted.includes(outcome)).length;
  const [last] = jobs;
  const complete = jobs.find((_job, index) => outcomes[index] === 'succeeded' || outcomes[index] === 'warnings');
  return {
    name: set.name,
    lastPoint: lastRestorePoint && {
      at: timeOfPoint(lastRestorePoint),
      files: lastRestorePoint.files,
      bytes: lastRestorePoint.bytes,
    },
    runs: {
      succeeded: count('succeeded'),
      warned: count('warnings'),
      failed: count('failed'),
      stopped: count('cancelled', 'interrupted'),
    },
    bytesUploaded: jobs.reduce((sum, job) => sum + (reportIn(job)?.bytesUploaded ?? 0), 0),
    failure: last && outcomes[0] === 'failed' ? failureIn(last, withNames) : undefined,
    warnings: complete ? warningsOf(complete, withNames) : [],
    ...(alarm && { alarm: { since: alarm.since, reasons: [...alarm.reasons] } }),
    drill: lastDrill,
  };
}

/** Without names, no part of a sentence is a path. */
function failureIn(job: JobRecord, withNames: boolean): Failure {
  const failure = listedRunOf(job).failure ?? INTERNAL;
  if (withNames) return failure;
  const details = Object.entries<unknown>({ ...failure.details }).map(([name, value]) => [
    name,
    typeof value === 'string' && /[/\\]/.test(value) ? '…' : value,
  ]);
  return { ...failure, details: Object.fromEntries(details) as unknown } as Failure;
}

function warningsOf(job: JobRecord, withNames: boolean): ReportedWarning[] {
  // It stands until it is dismissed, whatever the newest run says.
  const others = (reportIn(job)?.warnings ?? []).filter(({ reason }) => reason !== RANSOMWARE_SIGNS);
  const byReason = Map.groupBy(others, ({ reason }) => reason);
  return [...byReason].map(([reason, all]) => ({
    reason,
    files: all.length,
    names: withNames ? all.slice(0, MOST_NAMES).map(({ path }) => path) : undefined,
  }));
}

/**
 * A destination stores all sets together, and each run says how much. It has grown since the last run before the period; if there
 * is none, since what was there before the first run.
 */
function growth(jobs: readonly JobRecord[], from: number): Pick<ReportedDestination, 'storedBytes' | 'grownBytes'> {
  const stored = jobs
    .toSorted((a, b) => a.startedAt - b.startedAt)
    .flatMap((job) => {
      const { storageUsedBytes: bytes, bytesUploaded = 0 } = reportIn(job) ?? {};
      return bytes === undefined ? [] : [{ at: job.startedAt, bytes, before: Math.max(0, bytes - bytesUploaded) }];
    });
  const last = stored.at(-1);
  if (!last || last.at < from) return { storedBytes: undefined, grownBytes: undefined };
  const before = stored.findLast(({ at }) => at < from)?.bytes ?? stored[0]!.before;
  return { storedBytes: last.bytes, grownBytes: last.bytes - before };
}
