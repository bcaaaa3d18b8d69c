import type { RestorePoint } from '../../protocol/extensions.ts';
import { Catalog } from '../../catalog/catalog.ts';
import type { KnownAlarm } from '../../catalog/history.ts';
import type { JobState } from '../../jobs/job-state.ts';
import type { JobRecord } from '../../jobs/job-record.ts';
import { EARLIER_DOUBT } from '../../repository/doubt.ts';
import type { AgentParts } from '../context/agent-parts.ts';
import { readDestinationOf } from '../context/watch-doubt.ts';
import { lockHolder, type LockHolder } from '../home/home-lock.ts';
import type { ConfiguredSet } from '../../model/set.ts';
import type { DestinationEntry } from '../home/destination-entry.ts';
import type { Destination } from '../../model/destination.ts';
import type { KeyStore } from '../key-store/key-store.ts';
import { requireSettings } from '../home/settings.ts';
import { SetHistories, setThatLacks, type KnownLosses } from '../history/set-history.ts';
import { drillReportIn } from './drill/certificate.ts';

/** The status of a home, from local data only. */
export interface AgentStatus {
  readonly home: string;
  /** The first destination, which `device` and `sets` are about. */
  readonly destination: Destination;
  readonly device: { readonly id: string; readonly name: string };
  readonly secrets: KeyStore['protection'];
  /** The holder of the home's lock. */
  readonly busy: Partial<LockHolder> | undefined;
  readonly sets: readonly SetStatus[];
  /** In order of preference. */
  readonly destinations: readonly DestinationStatus[];
}

export interface DestinationStatus {
  readonly entry: DestinationEntry;
  /** The end of the newest check if it found what a repair mends, in milliseconds since the epoch; `undefined` after a repair. */
  readonly damageFoundAt: number | undefined;
  /** Since when it may have restore points that it does not list, as far as this computer has read it; in milliseconds since the epoch. */
  readonly doubtSince: number | undefined;
  /** Since when it removes nothing because a run showed signs of ransomware, as far as this computer has read it; in milliseconds since the epoch. */
  readonly heldSince: number | undefined;
  /** What restore points of this computer's sets lack, until the next backup of such a set. */
  readonly losses: KnownLosses | undefined;
  readonly sets: readonly SetStatus[];
}

export interface SetStatus {
  readonly set: ConfiguredSet;
  readonly lastRun: RunStatus | undefined;
  readonly lastRestorePoint: RestorePoint | undefined;
  /** True if the newest backup was interrupted or stopped, so that the next one continues it. */
  readonly resumable: boolean;
  /** The newest test restore that compared anything. */
  readonly lastDrill: DrillStatus | undefined;
  /** The end of the newest verification or test restore that found damage, in milliseconds since the epoch. */
  readonly damageFoundAt: number | undefined;
  /** Signs of ransomware that a run of the set showed, until a person dismisses them. */
  readonly alarm: KnownAlarm | undefined;
}

export interface DrillStatus {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly restorePoint: string;
  readonly files: number;
  readonly bytes: number;
  readonly failures: number;
}

export interface RunStatus {
  readonly state: JobState;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  readonly warnings: number;
  /** True if the run found damaged or missing files in the destination, or an older state of it. */
  readonly foundDamage: boolean;
  /** The code of its failure. */
  readonly error: string | undefined;
}

/** The number of jobs searched for the newest backup, among restores and verifications. */
const RECENT_JOBS = 50;

/** @throws HoldfastError `not_set_up`, `home_damaged` */
export function statusOf({ home, keyStore, onDoubt }: AgentParts): AgentStatus {
  const { id, destination, deviceId, deviceName, all, sets } = requireSettings(home);
  const busy = lockHolder(home);
  using catalog = new Catalog(home.catalogFile);
  const destinations = all.map((entry) => destinationStatus(catalog, entry, sets, busy !== undefined));
  for (const { entry, doubtSince } of destinations) {
    if (doubtSince !== undefined) onDoubt?.(readDestinationOf(all, entry.id), EARLIER_DOUBT);
  }
  return {
    home: home.folder,
    destination,
    device: { id: deviceId, name: deviceName },
    secrets: keyStore.protection,
    busy,
    sets: destinations.find(({ entry }) => entry.id === id)!.sets,
    destinations,
  };
}

function destinationStatus(
  catalog: Catalog,
  entry: DestinationEntry,
  sets: readonly ConfiguredSet[],
  isBusy: boolean,
): DestinationStatus {
  const there = catalog.at(entry.id);
  const histories = new SetHistories();
  const endOf = (run: number | undefined): number | undefined =>
    run === undefined ? undefined : (there.journal.get(run)?.endedAt ?? undefined);
  const known = sets.map(({ name }) => ({ name, ...histories.of(there, entry.deviceId, name) }));
  const losses = histories.lossesFoundBy(there, entry.deviceId);
  return {
    entry,
    damageFoundAt: endOf(histories.damageFoundBy(there)),
    doubtSince: there.history.doubtSince(),
    heldSince: there.history.heldSince(),
    losses: losses && setThatLacks(losses, known) ? losses : undefined,
    sets: sets.map((set, index) => ({
      ...setStatus(catalog, set, entry, isBusy),
      damageFoundAt: endOf(known[index]!.damageFoundBy),
    })),
  };
}

function setStatus(
  catalog: Catalog,
  set: ConfiguredSet,
  { id, deviceId }: DestinationEntry,
  isBusy: boolean,
): Omit<SetStatus, 'damageFoundAt'> {
  const recent = catalog.journal.recent(set.name, RECENT_JOBS, id);
  const job = recent.find(({ kind }) => kind === 'backup');
  const lastRun = job && runStatus(job, isBusy);
  const { history } = catalog.at(id);
  return {
    set,
    lastRun,
    lastRestorePoint: history.restorePoints(deviceId, set.name)[0],
    alarm: history.alarm(set.name),
    resumable: lastRun?.state === 'interrupted' || lastRun?.state === 'cancelled',
    lastDrill: drillStatus(catalog, set.name, id),
  };
}

function drillStatus({ journal }: Catalog, set: string, destination: string): DrillStatus | undefined {
  const end = journal.newestEnd(set, 'drill', ['succeeded', 'succeeded-with-warnings', 'failed'], destination);
  const job = end && journal.get(end.id);
  const report = job && drillReportIn(job);
  if (!report) return undefined;
  const { restorePoint, filesCompared: files, bytesWritten: bytes, failuresTotal: failures } = report;
  return { at: end.endedAt, restorePoint, files, bytes, failures };
}

/** A job that is marked as active while nobody holds the home's lock was killed. */
function runStatus({ state, startedAt, endedAt, report }: JobRecord, busy: boolean): RunStatus {
  const known = (report === null ? {} : JSON.parse(report)) as {
    warnings?: readonly { readonly reason?: string }[];
    error?: string;
  };
  return {
    state: endedAt === null && !busy ? 'interrupted' : state,
    startedAt,
    endedAt: endedAt ?? undefined,
    warnings: known.warnings?.length ?? 0,
    foundDamage: known.warnings?.some(({ reason }) => reason === 'destination-damaged') ?? false,
    error: known.error,
  };
}
