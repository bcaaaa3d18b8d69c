import { isHoldfastError } from '../../base/errors/errors.ts';
import type { Memory } from '../../schedule/memory.ts';
import type { Home } from '../home/home.ts';
import type { Scheduled } from './ports.ts';
import { loadScheduleState, saveScheduleState, type ScheduleState } from './schedule-file.ts';
import { MINUTE } from '../../model/units.ts';

/** Milliseconds. A write wakes the disk, so a record that is unchanged except for its time is written this rarely. */
const REWRITE_AFTER_MS = 10 * MINUTE;

type Entry = ScheduleState['memories'][number];

/** The memory of the scheduler: of each schedule, and of the pause. The home stores what a restart needs of it. */
export class ScheduleRecord {
  pause: ScheduleState['pause'];
  /** The last evaluation of an earlier process, if known. */
  readonly evaluatedAt: number | undefined;
  readonly #home: Home;
  readonly #entries: Map<string, Entry>;
  #isEvaluated = false;
  #savedAt = 0;
  #savedKey: string | undefined;

  constructor(home: Home) {
    this.#home = home;
    const state = loadScheduleState(home);
    this.#entries = new Map(state?.memories.map((entry) => [keyOf(entry), entry]));
    this.pause = state?.pause;
    this.evaluatedAt = state?.seenAt;
    if (state) this.#savedKey = this.#key();
  }

  memoryOf(scheduled: Scheduled): Memory | undefined {
    return this.#entries.get(keyOf(scheduled))?.memory;
  }

  remember({ set, destination, kind }: Scheduled, memory: Memory): void {
    this.#entries.set(keyOf({ set, destination, kind }), {
      set,
      ...(destination === undefined ? {} : { destination }),
      ...(kind === undefined ? {} : { kind }),
      memory,
    });
  }

  /** Returns what has a memory of the backups of a set. */
  backupsOf(set: string): readonly Scheduled[] {
    return [...this.#entries.values()].filter((entry) => entry.set === set && entry.destination !== undefined);
  }

  /** Keeps the memories of these sets and destinations only. */
  forgetAllBut(sets: readonly string[], destinations: readonly string[]): void {
    for (const [key, { set, destination }] of this.#entries) {
      const isKnown = sets.includes(set) && (destination === undefined || destinations.includes(destination));
      if (!isKnown) this.#entries.delete(key);
    }
  }

  /** Saves the record after an evaluation. */
  save(now: number): void {
    this.#isEvaluated = true;
    const key = this.#key();
    // A home without schedules gets no file.
    if (key === EMPTY && this.#savedKey === undefined) return;
    if (key === this.#savedKey && Math.abs(now - this.#savedAt) < REWRITE_AFTER_MS) return;
    this.#write(now, key);
  }

  close(now: number): void {
    if (this.#isEvaluated && this.#savedKey !== undefined) this.#write(now, this.#key());
  }

  #write(now: number, key: string): void {
    const memories = [...this.#entries.values()];
    try {
      saveScheduleState(this.#home, { version: 1, seenAt: now, pause: this.pause, memories });
      this.#savedKey = key;
      this.#savedAt = now;
    } catch (error) {
      // Runs report a home that cannot be written. Schedules continue without a record.
      if (!isHoldfastError(error, 'home_unwritable')) throw error;
    }
  }

  /** Changes with everything that is worth an immediate write. */
  #key(): string {
    const memories = [...this.#entries].map(([key, { memory }]) => [key, lasting(memory)]);
    return JSON.stringify([memories, this.pause ?? null]);
  }
}

/** The key of a record without memories and pause. */
const EMPTY = JSON.stringify([[], null]);

/** An id has no spaces. */
function keyOf({ set, destination, kind }: Scheduled): string {
  return `${destination ?? kind ?? ''} ${set}`;
}

function lasting(memory: Memory): object {
  const { hold, changes } = memory;
  return { ...memory, hold: hold && [hold.since, hold.reason.kind], changes: changes !== undefined };
}
