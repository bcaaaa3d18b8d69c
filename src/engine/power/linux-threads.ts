import { readdirSync, readFileSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import type { PriorityControl } from './ports.ts';

const TASKS = '/proc/self/task';
const LOW = constants.priority.PRIORITY_BELOW_NORMAL;

/** libuv's pool is shared by everything in the process and lives as long as it does. */
const SHARED_POOL = 'libuv-worker';

/**
 * On Linux a nice value belongs to a thread (setpriority(2), "C library/kernel differences"), the I/O priority follows it
 * (ioprio_set(2)), and only privileged processes get it back: what outlives the run is lowered only where it can be raised
 * again, or where the process ends with the run.
 */
export class LinuxThreads implements PriorityControl {
  readonly #own: ReadonlySet<number>;
  readonly #endsWithRun: boolean;
  readonly #before = getPriority();
  readonly #lowered = new Set<number>();
  /** Nothing while it was not tried. */
  #mayRaise: boolean | undefined;

  /**
   * To be made before the run starts threads: those that exist now are the process's own.
   *
   * @param endsWithRun whether the process does nothing after the run
   */
  constructor(endsWithRun: boolean) {
    this.#own = new Set(threads());
    this.#endsWithRun = endsWithRun;
  }

  lower(): boolean {
    const present = threads();
    // A number may come back for another thread.
    for (const thread of this.#lowered) if (!present.includes(thread)) this.#lowered.delete(thread);
    for (const thread of present) if (this.#endsWithRun || this.#belongsToRun(thread)) this.#lowerThread(thread);
    if (!this.#endsWithRun) {
      // Tried on a thread that ends with the run, where it does no harm.
      const tried = present.find((thread) => this.#lowered.has(thread));
      if (tried !== undefined) this.#mayRaise ??= this.#canRaise(tried);
      if (this.#mayRaise) for (const thread of present) this.#lowerThread(thread);
    }
    return this.#lowered.size > 0;
  }

  restore(): boolean {
    // A number that is no longer ours may be another process's thread by now.
    const present = new Set(threads());
    for (const thread of this.#lowered) {
      if (!present.has(thread) || trySetPriority(thread, this.#before)) this.#lowered.delete(thread);
    }
    return this.#lowered.size === 0;
  }

  #belongsToRun(thread: number): boolean {
    return !this.#own.has(thread) && nameOf(thread) !== SHARED_POOL;
  }

  /** Threads that a lowered one starts are low from the beginning: they have to be raised with it. */
  #lowerThread(thread: number): void {
    if (this.#before < LOW && !this.#lowered.has(thread) && trySetPriority(thread, LOW)) this.#lowered.add(thread);
  }

  #canRaise(thread: number): boolean {
    const isRaised = trySetPriority(thread, this.#before);
    if (isRaised) trySetPriority(thread, LOW);
    return isRaised;
  }
}

function threads(): readonly number[] {
  return readdirSync(TASKS).map(Number);
}

function nameOf(thread: number): string | undefined {
  try {
    return readFileSync(`${TASKS}/${thread}/comm`, 'utf8').trim();
  } catch {
    return undefined;
  }
}

function trySetPriority(thread: number, priority: number): boolean {
  try {
    setPriority(thread, priority);
    return true;
  } catch {
    return false;
  }
}
