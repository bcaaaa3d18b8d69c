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

/** A backup that the destination is to be asked about. */
interface Due {
  readonly set: string;
  /** Its number in the journal. */
  readonly backup: number;
}

/** A destination that could not be asked is asked again after so long. */
const AGAIN_MS = 5 * 60_000;
/** While something is held, somebody may release it elsewhere. */
const HELD_AGAIN_MS = 60 * 60_000;
/** The service's clock may be ahead of ours. */
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
 * Asks after each backup, whoever made it, whether the destination took it for ransomware at work: it judges runs, and then
 * removes nothing until a person releases it. What it said is kept over a restart.
 */
export class AlarmWatch {
  readonly #parts: AlarmWatchParts;
  #record: AlarmRecord;
  #asking: Promise<void> | undefined;
  readonly #closing = new AbortController();
  #againAt = 0;

  constructor(parts: AlarmWatchParts) {
    this.#parts = parts;
    this.#record = loadAlarms(parts.home) ?? noAlarms('');
  }

  /** What is held for; empty where nothing is. */
  get alarms(): readonly Alarm[] {
    return this.#record.alarms;
  }

  /** A set that the destination can be asked about what it holds; nothing where there is none. */
  get heldThrough(): string | undefined {
    return this.alarms.find(({ set }) => set !== undefined)?.set ?? Object.keys(this.#record.asked)[0];
  }

  /** Asks where there is something to ask about. To be called now and then; cheap where there is nothing. */
  check(): void {
    if (
      this.#asking ||
      this.#closing.signal.aborted ||
      this.#parts.runs.busySet !== undefined ||
      this.#parts.clock.now() < this.#againAt
    )
      return;
    const settings = this.#parts.settings.loadIfIntact();
    if (!settings) return;
    if (settings.deviceId !== this.#record.device) this.#take(noAlarms(settings.deviceId));
    const due = this.#due(settings.sets);
    if (due.length > 0) this.#asking = this.#ask(due).finally(() => (this.#asking = undefined));
  }

  /** Asks nothing more; resolves when nothing is asked any more. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#asking;
  }

  /** A person has released what was held. */
  released(): void {
    this.#take({ ...this.#record, alarms: [], told: [] });
  }

  /** Sets with a backup that the destination was not asked about; where something is held and its time has come, any one. */
  #due(sets: Settings['sets']): readonly Due[] {
    const newest = sets.flatMap(({ name }) => {
      const end = this.#parts.catalog.read(({ journal }) => journal.newestEnd(name, 'backup', SUCCEEDED_STATES));
      return end ? [{ set: name, backup: end.id }] : [];
    });
    const unasked = newest.filter(({ set, backup }) => this.#record.asked[set] !== backup);
    if (unasked.length > 0 || this.alarms.length === 0) return unasked;
    return newest.slice(0, 1);
  }

  async #ask(due: readonly Due[]): Promise<void> {
    const { clock } = this.#parts;
    this.#againAt = clock.now() + HELD_AGAIN_MS;
    try {
      let record = this.#record;
      for (const { set, backup } of due) record = this.#after(record, set, backup, await this.#stateOf(set));
      this.#take(record);
      if (record.alarms.length === 0) this.#againAt = 0;
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      reportUnexpected(error);
      this.#againAt = clock.now() + AGAIN_MS;
    }
  }

  /** Nothing where the destination holds nothing for anybody. */
  async #stateOf(set: string): Promise<RetentionState | undefined> {
    try {
      return (await this.#parts.agent.retention({ set }, { action: 'show' }, this.#closing.signal)).state;
    } catch (error) {
      if (isHoldfastError(error, 'service_error') && error.details['status'] === 404) return undefined;
      throw error;
    }
  }

  #after(record: AlarmRecord, set: string, backup: number, state: RetentionState | undefined): AlarmRecord {
    const asked = { ...record.asked, [set]: backup };
    // What holds, holds for the whole account.
    if (!state || state.held_since === null) return { ...record, asked, alarms: [], told: [] };
    const own = this.#alarmOf(set, state);
    const others = record.alarms.filter((alarm) => alarm.set !== undefined && alarm.set !== set);
    const named = own ? [...others, own] : others;
    const unnamed: Alarm = { at: Date.parse(state.held_since), reasons: [] };
    return { ...record, asked, alarms: named.length > 0 ? named : [unnamed] };
  }

  /** Of several runs the first counts: what was there before it is whole. */
  #alarmOf(set: string, { held_for: runs = [], points }: RetentionState): Alarm | undefined {
    const first = runs.at(-1);
    if (!first) return undefined;
    const at = Date.parse(first.detected_at);
    const run = this.#parts.catalog.read(({ journal }) =>
      journal.newestEndUntil(set, 'backup', SUCCEEDED_STATES, at + CLOCKS_APART_MS),
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

  #take(record: AlarmRecord): void {
    const { home, changes, send } = this.#parts;
    const before = JSON.stringify(this.#record);
    const untold = record.alarms.filter((alarm) => !record.told.includes(keyOf(alarm)));
    this.#record = { ...record, told: record.alarms.map(keyOf) };
    if (JSON.stringify(this.#record) === before) return;
    saveAlarms(home, this.#record);
    changes.notify();
    for (const { set } of untold) send({ kind: 'suspicious-run', ...(set === undefined ? {} : { set }) });
  }
}

function keyOf({ set, at }: Alarm): string {
  return `${at} ${set ?? ''}`;
}
