import { isHoldfastError } from '../../base/errors.ts';
import type { Memory } from '../../engine/schedule/memory.ts';
import type { Home } from '../home/home.ts';
import { loadScheduleState, saveScheduleState, type ScheduleState } from './schedule-file.ts';
import type { SetMemory } from './set-decisions.ts';

export interface Recorded {
  readonly memories: ReadonlyMap<string, SetMemory>;
  readonly pause?: ScheduleState['pause'];
  readonly seenAt: number;
}

/** Writing wakes a disk: times that only say that all is as it was are written so often. Milliseconds. */
const SEEN_EVERY = 10 * 60_000;

/** What a scheduler knows, kept in its home as far as a restart needs it. */
export class ScheduleRecord {
  readonly #home: Home;
  readonly memories: ReadonlyMap<string, SetMemory>;
  readonly pause: ScheduleState['pause'];
  /** Nothing where it is not known. */
  readonly seenAt: number | undefined;
  #last: Recorded | undefined;
  #savedAt = 0;
  #savedKey: string | undefined;

  constructor(home: Home) {
    this.#home = home;
    const state = loadScheduleState(home);
    this.memories = new Map(state?.sets.map(({ name, backup, verify }) => [name, { backup, verify }]));
    this.pause = state?.pause;
    this.seenAt = state?.seenAt;
    if (state) this.#savedKey = keyOf({ ...state, memories: this.memories });
  }

  save(record: Recorded): void {
    this.#last = record;
    const key = keyOf(record);
    // A home that was never set up stays as it is.
    if (key === EMPTY && this.#savedKey === undefined) return;
    if (key === this.#savedKey && Math.abs(record.seenAt - this.#savedAt) < SEEN_EVERY) return;
    this.#write(record, key);
  }

  close(now: number): void {
    if (this.#last && this.#savedKey !== undefined) this.#write({ ...this.#last, seenAt: now }, keyOf(this.#last));
  }

  #write({ memories, pause, seenAt }: Recorded, key: string): void {
    const sets = [...memories].map(([name, memory]) => ({ name, backup: memory.backup, verify: memory.verify }));
    try {
      saveScheduleState(this.#home, { version: 1, seenAt, pause, sets });
      this.#savedKey = key;
      this.#savedAt = seenAt;
    } catch (error) {
      // Runs tell of a home that cannot be written; schedules go on without it.
      if (!isHoldfastError(error, 'home_unwritable')) throw error;
    }
  }
}

/** What is worth being written at once. */
function keyOf({ memories, pause }: Pick<Recorded, 'memories' | 'pause'>): string {
  const sets = [...memories].map(([name, { backup, verify }]) => [name, lasting(backup), lasting(verify)]);
  return JSON.stringify([sets, pause ?? null]);
}

function lasting(memory: Memory | undefined): object | null {
  if (!memory) return null;
  const { hold, changes } = memory;
  return { ...memory, hold: hold && [hold.since, hold.reason.kind], changes: changes !== undefined };
}

const EMPTY = keyOf({ memories: new Map(), pause: undefined });
