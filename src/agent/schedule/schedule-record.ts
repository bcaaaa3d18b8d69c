import { isHoldfastError } from '../../base/errors.ts';
import type { Memory } from '../../engine/schedule/memory.ts';
import type { Home } from '../home/home.ts';
import { loadScheduleState, saveScheduleState, type ScheduleState } from './schedule-file.ts';
import type { SetMemory } from './set-decisions.ts';

/** Milliseconds. A write wakes the disk, so a record that is unchanged except for its time is written this rarely. */
const REWRITE_AFTER_MS = 10 * 60_000;

/** The memory of the scheduler: of each set, and of the pause. The home stores what a restart needs of it. */
export class ScheduleRecord {
  pause: ScheduleState['pause'];
  /** The last evaluation of an earlier process, if known. */
  readonly evaluatedAt: number | undefined;
  readonly #home: Home;
  readonly #memories: Map<string, SetMemory>;
  #isEvaluated = false;
  #savedAt = 0;
  #savedKey: string | undefined;

  constructor(home: Home) {
    this.#home = home;
    const state = loadScheduleState(home);
    this.#memories = new Map(state?.sets.map(({ name, ...memory }) => [name, memory]));
    this.pause = state?.pause;
    this.evaluatedAt = state?.seenAt;
    if (state) this.#savedKey = this.#key();
  }

  memoryOf(set: string): SetMemory {
    return this.#memories.get(set) ?? {};
  }

  remember(set: string, memory: SetMemory): void {
    this.#memories.set(set, { ...this.#memories.get(set), ...memory });
  }

  forgetAllBut(sets: readonly string[]): void {
    for (const name of this.#memories.keys()) if (!sets.includes(name)) this.#memories.delete(name);
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
    const sets = [...this.#memories].map(([name, { backup, verify }]) => ({ name, backup, verify }));
    try {
      saveScheduleState(this.#home, { version: 1, seenAt: now, pause: this.pause, sets });
      this.#savedKey = key;
      this.#savedAt = now;
    } catch (error) {
      // Runs report a home that cannot be written. Schedules continue without a record.
      if (!isHoldfastError(error, 'home_unwritable')) throw error;
    }
  }

  /** Changes with everything that is worth an immediate write. */
  #key(): string {
    const sets = [...this.#memories].map(([name, { backup, verify }]) => [name, lasting(backup), lasting(verify)]);
    return JSON.stringify([sets, this.pause ?? null]);
  }
}

/** The key of a record without sets and pause. */
const EMPTY = JSON.stringify([[], null]);

function lasting(memory: Memory | undefined): object | null {
  if (!memory) return null;
  const { hold, changes } = memory;
  return { ...memory, hold: hold && [hold.since, hold.reason.kind], changes: changes !== undefined };
}
