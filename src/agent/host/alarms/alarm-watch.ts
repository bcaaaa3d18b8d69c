import { isDeepStrictEqual } from 'node:util';
import { SUCCEEDED_STATES } from '../../../jobs/job-state.ts';
import { isHoldfastError } from '../../../base/errors/errors.ts';
import { ALARM_REASONS, type AlarmReason } from '../../../model/need.ts';
import type { Notice } from '../../../ipc/agent-events.ts';
import type { RetentionState } from '../../../protocol/retention.ts';
import type { Agent } from '../../agent.ts';
import type { Home } from '../../home/home.ts';
import type { Settings } from '../../home/settings.ts';
import {
  combinedAlarms,
  loadAlarms,
  NO_ALARMS,
  NOTHING_KNOWN,
  saveAlarms,
  type Alarm,
  type AlarmRecord,
  type DestinationRecord,
} from './alarm-file.ts';
import type { CatalogAccess } from '../activity/catalog-access.ts';
import type { HomeSettings } from '../home-settings.ts';
import { reportUnexpected } from '../report-error.ts';
import type { RunQueue } from '../runs/run-queue.ts';
import type { StateChanges } from '../state-changes.ts';
import { timeOfPoint } from '../../../base/point-time.ts';
import { HOUR, MINUTE } from '../../../model/units.ts';

/** A backup to be checked. */
interface Due {
  readonly set: string;
  /** Its id in the journal. */
  readonly backup: number;
}

/** A set through which the hold of a destination can be queried and released. */
export interface Hold {
  /** Its id. */
  readonly destination: string;
  readonly set: string;
}

/** When a failed check is repeated. */
const RETRY_MS = 5 * MINUTE;
/** The interval of checks of a hold: somebody may release it elsewhere. */
const HELD_CHECK_MS = HOUR;
/** The service's clock may be ahead of this computer's. */
const CLOCKS_APART_MS = MINUTE;

export interface AlarmWatchParts {
  readonly home: Home;
  readonly clock: { now(): number };
  readonly agent: { at(destination: string): Pick<Agent, 'retention'> };
  readonly catalog: Pick<CatalogAccess, 'read'>;
  readonly settings: HomeSettings;
  readonly runs: Pick<RunQueue, 'busySet'>;
  readonly changes: StateChanges;
  readonly send: (notice: Notice) => void;
}

/**
 * Checks after each backup, by any process, whether a destination suspects ransomware. It then removes nothing until a
 * person releases the hold. Each destination is checked by itself. The result is stored for the next start.
 */
export class AlarmWatch {
  readonly #parts: AlarmWatchParts;
  #record: AlarmRecord;
  /** By the id of the destination. */
  readonly #checking = new Map<string, Promise<void>>();
  readonly #nextCheckAt = new Map<string, number>();
  readonly #closing = new AbortController();

  constructor(parts: AlarmWatchParts) {
    this.#parts = parts;
    this.#record = loadAlarms(parts.home) ?? NO_ALARMS;
  }

  /** The alarms because of which removals are held, one for each set. */
  get alarms(): readonly Alarm[] {
    return combinedAlarms(this.#record);
  }

  /** The destinations that hold removals. The hold is the account's: any of its sets will do. */
  get holds(): readonly Hold[] {
    return Object.entries(this.#record.destinations).flatMap(([destination, { alarms, checked }]) => {
      const set = alarms.find((alarm) => alarm.set !== undefined)?.set ?? Object.keys(checked)[0];
      return alarms.length === 0 || set === undefined ? [] : [{ destination, set }];
    });
  }

  /** Starts the checks that are due. To be called periodically; cheap. */
  check(): void {
    if (this.#closing.signal.aborted || this.#parts.runs.busySet !== undefined) return;
    const settings = this.#parts.settings.loadIfIntact();
    if (!settings) return;
    this.#forgetAllBut(settings.all.map(({ id }) => id));
    for (const { id } of settings.all) {
      if (this.#checking.has(id) || this.#parts.clock.now() < (this.#nextCheckAt.get(id) ?? 0)) continue;
      const due = this.#due(id, settings.sets);
      if (due.length === 0) continue;
      this.#checking.set(
        id,
        this.#checkAll(id, due).finally(() => this.#checking.delete(id)),
      );
    }
  }

  /** Aborts the active checks, and resolves when they have ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#checking.values());
  }

  /** Must be called when a person has released the hold of a destination. */
  released(destination: string): void {
    this.#store(destination, { ...this.#recordOf(destination), alarms: [] });
  }

  #recordOf(destination: string): DestinationRecord {
    return this.#record.destinations[destination] ?? NOTHING_KNOWN;
  }

  #forgetAllBut(ids: readonly string[]): void {
    const kept = Object.entries(this.#record.destinations).filter(([id]) => ids.includes(id));
    if (kept.length === Object.keys(this.#record.destinations).length) return;
    this.#update({ ...this.#record, destinations: Object.fromEntries(kept) });
  }

  /** Sets with a new backup; while removals are held, any set. */
  #due(destination: string, sets: Settings['sets']): readonly Due[] {
    const { checked, alarms } = this.#recordOf(destination);
    const newest = sets.flatMap(({ name }) => {
      const end = this.#parts.catalog.read(({ journal }) =>
        journal.newestEnd(name, 'backup', SUCCEEDED_STATES, destination),
      );
      return end ? [{ set: name, backup: end.id }] : [];
    });
    const unchecked = newest.filter(({ set, backup }) => checked[set] !== backup);
    if (unchecked.length > 0 || alarms.length === 0) return unchecked;
    return newest.slice(0, 1);
  }

  async #checkAll(destination: string, due: readonly Due[]): Promise<void> {
    const { clock } = this.#parts;
    this.#nextCheckAt.set(destination, clock.now() + HELD_CHECK_MS);
    try {
      const before = this.#recordOf(destination);
      let record = before;
      for (const { set, backup } of due) {
        record = this.#updated(record, { set, backup }, destination, await this.#stateOf(destination, set));
      }
      // When a person released the hold meanwhile, the answers may be older: the next check asks again.
      const isOutdated = this.#recordOf(destination) !== before;
      if (!isOutdated) this.#store(destination, record);
      if (isOutdated || record.alarms.length === 0) this.#nextCheckAt.delete(destination);
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      reportUnexpected(error);
      this.#nextCheckAt.set(destination, clock.now() + RETRY_MS);
    }
  }

  /** Returns `undefined` if the destination holds nothing for anybody. */
  async #stateOf(destination: string, set: string): Promise<RetentionState | undefined> {
    const there = this.#parts.agent.at(destination);
    try {
      return (await there.retention({ set, action: 'show' }, this.#closing)).state;
    } catch (error) {
      if (isHoldfastError(error, 'service_error') && error.details['status'] === 404) return undefined;
      throw error;
    }
  }

  #updated(
    record: DestinationRecord,
    { set, backup }: Due,
    destination: string,
    state: RetentionState | undefined,
  ): DestinationRecord {
    const checked = { ...record.checked, [set]: backup };
    // A hold applies to the whole account.
    if (!state || state.held_since === null) return { checked, alarms: [] };
    const own = this.#alarmOf(set, destination, state);
    const others = record.alarms.filter((alarm) => alarm.set !== undefined && alarm.set !== set);
    const named = own ? [...others, own] : others;
    const unnamed: Alarm = { at: Date.parse(state.held_since), reasons: [] };
    return { checked, alarms: named.length > 0 ? named : [unnamed] };
  }

  /** Describes the first of several suspicious runs: the restore points before it are safe. */
  #alarmOf(set: string, destination: string, { held_for: runs = [], points }: RetentionState): Alarm | undefined {
    const first = runs.at(-1);
    if (!first) return undefined;
    const at = Date.parse(first.detected_at);
    const backups = { backupSet: set, kind: 'backup', states: SUCCEEDED_STATES, destination } as const;
    const run = this.#parts.catalog.read(({ journal }) => journal.newestEndUntil(backups, at + CLOCKS_APART_MS));
    const safePoint = points.find((point) => Date.parse(timeOfPoint(point)) < at)?.restore_point;
    return {
      set,
      at,
      reasons: ALARM_REASONS.filter((reason: AlarmReason) => runs.some(({ reasons }) => reasons.includes(reason))),
      ...(run ? { run: run.id } : {}),
      ...(safePoint === undefined ? {} : { safePoint }),
    };
  }

  #store(destination: string, record: DestinationRecord): void {
    const { destinations } = this.#record;
    this.#update({ ...this.#record, destinations: { ...destinations, [destination]: record } });
  }

  /** Sends a notification for each set with a new alarm: one, although several destinations detect the same run. */
  #update(record: AlarmRecord): void {
    const { home, changes, send } = this.#parts;
    const before = this.#record;
    const alarms = combinedAlarms(record);
    const covered = (alarm: Alarm): number => before.notified.find(({ set }) => set === alarm.set)?.at ?? 0;
    const unnotified = alarms.filter((alarm) => alarm.at > covered(alarm));
    const notified = alarms.map((alarm) => ({ set: alarm.set, at: Math.max(alarm.at, covered(alarm)) }));
    this.#record = { ...record, notified };
    if (isDeepStrictEqual(this.#record, before)) return;
    saveAlarms(home, this.#record);
    changes.notify();
    for (const { set } of unnotified) send({ kind: 'suspicious-run', ...(set === undefined ? {} : { set }) });
  }
}
