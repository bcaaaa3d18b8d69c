import { isDeepStrictEqual } from 'node:util';
import { SUCCEEDED_STATES } from '../../../engine/job/job-state.ts';
import { isHoldfastError } from '../../../base/errors.ts';
import { ALARM_REASONS, type AlarmReason } from '../../../ipc/contract/alarm.ts';
import type { Notice } from '../../../ipc/agent-events.ts';
import type { RetentionState } from '../../../protocol/retention.ts';
import type { Agent } from '../../agent.ts';
import type { Home } from '../../home/home.ts';
import type { Settings } from '../../home/settings.ts';
import { loadAlarms, noAlarms, saveAlarms, type Alarm, type AlarmRecord } from './alarm-file.ts';
import type { CatalogAccess } from '../activity/catalog-access.ts';
import type { HomeSettings } from '../home-settings.ts';
import { reportUnexpected } from '../report-error.ts';
import type { RunQueue } from '../runs/run-queue.ts';
import type { StateChanges } from '../state-changes.ts';

/** A backup to be checked. */
interface Due {
  readonly set: string;
  /** Its id in the journal. */
  readonly backup: number;
}

/** When a failed check is repeated. */
const RETRY_MS = 5 * 60_000;
/** The interval of checks of a hold: somebody may release it elsewhere. */
const HELD_CHECK_MS = 60 * 60_000;
/** The service's clock may be ahead of this computer's. */
const CLOCKS_APART_MS = 60_000;

export interface AlarmWatchParts {
  readonly home: Home;
  readonly clock: { now(): number };
  readonly agent: Pick<Agent, 'retention'>;
  readonly catalog: Pick<CatalogAccess, 'read'>;
  readonly settings: HomeSettings;
  readonly runs: Pick<RunQueue, 'busySet'>;
  readonly changes: StateChanges;
  readonly send: (notice: Notice) => void;
}

/**
 * Checks after each backup, by any process, whether the destination suspects ransomware. It then removes nothing until a
 * person releases the hold. The result is stored for the next start.
 */
export class AlarmWatch {
  readonly #parts: AlarmWatchParts;
  #record: AlarmRecord;
  #checking: Promise<void> | undefined;
  readonly #closing = new AbortController();
  #nextCheckAt = 0;

  constructor(parts: AlarmWatchParts) {
    this.#parts = parts;
    this.#record = loadAlarms(parts.home) ?? noAlarms('');
  }

  /** The alarms because of which removals are held. */
  get alarms(): readonly Alarm[] {
    return this.#record.alarms;
  }

  /** A set through which the hold can be queried and released. */
  get heldThrough(): string | undefined {
    return this.alarms.find(({ set }) => set !== undefined)?.set ?? Object.keys(this.#record.checked)[0];
  }

  /** Starts a check if one is due. To be called periodically; cheap. */
  check(): void {
    if (
      this.#checking ||
      this.#closing.signal.aborted ||
      this.#parts.runs.busySet !== undefined ||
      this.#parts.clock.now() < this.#nextCheckAt
    )
      return;
    const settings = this.#parts.settings.loadIfIntact();
    if (!settings) return;
    if (settings.deviceId !== this.#record.device) this.#store(noAlarms(settings.deviceId));
    const due = this.#due(settings.sets);
    if (due.length > 0) this.#checking = this.#checkAll(due).finally(() => (this.#checking = undefined));
  }

  /** Aborts the active check, and resolves when it has ended. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#checking;
  }

  /** Must be called when a person has released the hold. */
  released(): void {
    this.#store({ ...this.#record, alarms: [], notified: [] });
  }

  /** Sets with a new backup; while removals are held, any set. */
  #due(sets: Settings['sets']): readonly Due[] {
    const newest = sets.flatMap(({ name }) => {
      const end = this.#parts.catalog.read(({ journal }) => journal.newestEnd(name, 'backup', SUCCEEDED_STATES));
      return end ? [{ set: name, backup: end.id }] : [];
    });
    const unchecked = newest.filter(({ set, backup }) => this.#record.checked[set] !== backup);
    if (unchecked.length > 0 || this.alarms.length === 0) return unchecked;
    return newest.slice(0, 1);
  }

  async #checkAll(due: readonly Due[]): Promise<void> {
    const { clock } = this.#parts;
    this.#nextCheckAt = clock.now() + HELD_CHECK_MS;
    try {
      const before = this.#record;
      let record = before;
      for (const { set, backup } of due) record = this.#updated(record, set, backup, await this.#stateOf(set));
      // When a person released the hold meanwhile, the answers may be older: the next check asks again.
      const isOutdated = this.#record !== before;
      if (!isOutdated) this.#store(record);
      if (isOutdated || record.alarms.length === 0) this.#nextCheckAt = 0;
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      reportUnexpected(error);
      this.#nextCheckAt = clock.now() + RETRY_MS;
    }
  }

  /** Returns `undefined` if the destination holds nothing for anybody. */
  async #stateOf(set: string): Promise<RetentionState | undefined> {
    try {
      return (await this.#parts.agent.retention({ set }, { action: 'show' }, this.#closing.signal)).state;
    } catch (error) {
      if (isHoldfastError(error, 'service_error') && error.details['status'] === 404) return undefined;
      throw error;
    }
  }

  #updated(record: AlarmRecord, set: string, backup: number, state: RetentionState | undefined): AlarmRecord {
    const checked = { ...record.checked, [set]: backup };
    // A hold applies to the whole account.
    if (!state || state.held_since === null) return { ...record, checked, alarms: [], notified: [] };
    const own = this.#alarmOf(set, state);
    const others = record.alarms.filter((alarm) => alarm.set !== undefined && alarm.set !== set);
    const named = own ? [...others, own] : others;
    const unnamed: Alarm = { at: Date.parse(state.held_since), reasons: [] };
    return { ...record, checked, alarms: named.length > 0 ? named : [unnamed] };
  }

  /** Describes the first of several suspicious runs: the restore points before it are safe. */
  #alarmOf(set: string, { held_for: runs = [], points }: RetentionState): Alarm | undefined {
    const first = runs.at(-1);
    if (!first) return undefined;
    const at = Date.parse(first.detected_at);
    const run = this.#parts.catalog.read(({ journal }) =>
      journal.newestEndUntil({ backupSet: set, kind: 'backup', states: SUCCEEDED_STATES }, at + CLOCKS_APART_MS),
    );
    const safePoint = points.find(({ restore_point: time }) => Date.parse(time) < at)?.restore_point;
    return {
      set,
      at,
      reasons: ALARM_REASONS.filter((reason: AlarmReason) => runs.some(({ reasons }) => reasons.includes(reason))),
      ...(run ? { run: run.id } : {}),
      ...(safePoint === undefined ? {} : { safePoint }),
    };
  }

  #store(record: AlarmRecord): void {
    const { home, changes, send } = this.#parts;
    const before = structuredClone(this.#record);
    const unnotified = record.alarms.filter((alarm) => !record.notified.includes(keyOf(alarm)));
    this.#record = { ...record, notified: record.alarms.map(keyOf) };
    if (isDeepStrictEqual(this.#record, before)) return;
    saveAlarms(home, this.#record);
    changes.notify();
    for (const { set } of unnotified) send({ kind: 'suspicious-run', ...(set === undefined ? {} : { set }) });
  }
}

function keyOf({ set, at }: Alarm): string {
  return `${at} ${set ?? ''}`;
}
