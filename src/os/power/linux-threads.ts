import { readdirSync, readFileSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';
import type { PriorityControl } from './ports.ts';

const TASKS = '/proc/self/task';
const LOW = constants.priority.PRIORITY_BELOW_NORMAL;

/** libuv's pool is shared by the whole process and lives as long as it does. */
const SHARED_POOL = 'libuv-worker';

/**
 * Sets nice values of threads. On Linux they belong to a thread (setpriority(2), "C library/kernel differences"), determine the
 * I/O priority (ioprio_set(2)), and can only be restored by privileged processes. So threads that outlive the run are lowered
 * only if they can be raised again, or if the process ends with the run.
 */
export class LinuxThreads implements PriorityControl {
  readonly #own: ReadonlySet<number>;
  readonly #endsWithRun: boolean;
  readonly #before = getPriority();
  readonly #lowered = new Set<number>();
  /** `undefined` before the first attempt. */
  #mayRaise: boolean | undefined;

  /**
   * Must be created before the run starts threads: existing ones are the process's own.
   *
   * @param endsWithRun whether the process does nothing after the run
   */
  constructor(endsWithRun: boolean) {
    this.#own = new Set(threads());
    this.#endsWithRun = endsWithRun;
  }

  lower(): boolean {
    const present = threads();
    // Thread ids may be reused.
    for (const thread of this.#lowered) if (!present.includes(thread)) this.#lowered.delete(thread);
    for (const thread of present) if (this.#endsWithRun || this.#belongsToRun(thread)) this.#lowerThread(thread);
    if (!this.#endsWithRun) {
      // Tested on a thread that ends with the run.
      const tried = present.find((thread) => this.#lowered.has(thread));
      if (tried !== undefined) this.#mayRaise ??= this.#canRaise(tried);
      if (this.#mayRaise) for (const thread of present) this.#lowerThread(thread);
    }
    return this.#lowered.size > 0;
  }

  restore(): boolean {
    // The id of a thread that has ended may belong to another process now.
    const present = new Set(threads());
    for (const thread of this.#lowered) {
      if (!present.has(thread) || trySetPriority(thread, this.#before)) this.#lowered.delete(thread);
    }
    return this.#lowered.size === 0;
  }

  #belongsToRun(thread: number): boolean {
    return !this.#own.has(thread) && nameOf(thread) !== SHARED_POOL;
  }

  /** Threads inherit a low priority, so these have to be restored, too. */
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
