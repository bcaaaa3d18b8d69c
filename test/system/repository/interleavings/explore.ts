import type { Random } from '../../../helpers/random.ts';

/** A call that waits for its turn. */
export interface Call {
  readonly kind: 'list' | 'get' | 'put' | 'delete' | 'advance';
  /** The file or the prefix. */
  readonly name: string;
}

/** The calls of one device that are made next, together. */
interface Turn {
  readonly device: number;
  readonly calls: readonly Call[];
}

interface Waiting {
  readonly call: Call;
  readonly go: (error?: Error) => void;
}

class Abandoned extends Error {}

/** Lets one device at a time run up to its next calls. */
export class Scheduler {
  readonly #waiting = new Map<number, Waiting[]>();
  readonly #finished = new Set<number>();
  readonly #failures: unknown[] = [];
  #isOver = false;

  /** Resolves when it is this device's turn; at once when all have finished. */
  gate(device: number, call: Call): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(device) ?? [];
      waiting.push({ call, go: (error) => (error ? reject(error) : resolve()) });
      this.#waiting.set(device, waiting);
    });
  }

  /**
   * Runs the devices to their ends.
   *
   * @param choose returns the device whose turn it is; `undefined` abandons the run
   * @returns false if it was abandoned
   */
  async run(
    actions: readonly (() => Promise<void>)[],
    choose: (turns: readonly Turn[]) => number | undefined,
  ): Promise<boolean> {
    for (const [device, action] of actions.entries()) {
      void action()
        .catch((error: unknown) => this.#failures.push(error))
        .finally(() => this.#finished.add(device));
      await this.#settle(device);
    }
    while (this.#finished.size < actions.length) {
      const turns = [...this.#waiting]
        .map(([device, waiting]) => ({ device, calls: waiting.map(({ call }) => call) }))
        .toSorted((a, b) => a.device - b.device);
      const device = choose(turns);
      if (device === undefined) {
        await this.#abandon(actions.length);
        return false;
      }
      // Calls that come from a thread may arrive with others than in the run whose order is repeated.
      await this.#settle(device);
      const waiting = this.#waiting.get(device);
      if (!waiting) {
        await this.#abandon(actions.length);
        return false;
      }
      this.#waiting.delete(device);
      for (const { go } of waiting) go();
      await this.#settle(device);
    }
    this.#isOver = true;
    if (this.#failures.length > 0) throw this.#failures[0];
    return true;
  }

  async #settle(device: number): Promise<void> {
    while (!this.#waiting.has(device) && !this.#finished.has(device)) await tick();
    // Calls that are made together.
    await tick();
    await tick();
  }

  async #abandon(count: number): Promise<void> {
    while (this.#finished.size < count) {
      for (const [device, waiting] of this.#waiting) {
        this.#waiting.delete(device);
        for (const { go } of waiting) go(new Abandoned('abandoned'));
      }
      await tick();
    }
  }
}

function tick(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Returns whether two calls of different devices have the same result in both orders. */
function areIndependent(one: Call, other: Call): boolean {
  const kinds = new Set([one.kind, other.kind]);
  if (kinds.has('advance')) return false;
  if (kinds.has('list') && kinds.has('put'))
    return !one.name.startsWith(other.name) && !other.name.startsWith(one.name);
  if (kinds.has('get') && kinds.has('delete')) return one.name !== other.name;
  return true;
}

function commute(one: Turn, other: Turn): boolean {
  return (
    one.device !== other.device &&
    one.calls.every((call) => other.calls.every((second) => areIndependent(call, second)))
  );
}

interface Node {
  readonly turns: readonly Turn[];
  /** Turns that need not be taken here: what follows was explored in an equivalent order. */
  asleep: Turn[];
  chosen: Turn;
}

export interface Explored {
  /** Interleavings that were run to their ends. Those that differ only in the order of independent calls count once. */
  readonly interleavings: number;
  /** True if there are no others. */
  readonly isComplete: boolean;
}

/**
 * Runs a scenario in all orders of its calls, up to a number: depth first, with sleep sets (Godefroid 1996).
 *
 * @param start prepares a run, and returns the actions of the devices and a check of the end
 */
export async function explore(
  start: (scheduler: Scheduler) => Promise<{ actions: readonly (() => Promise<void>)[]; check: () => Promise<void> }>,
  most: number,
): Promise<Explored> {
  const path: Node[] = [];
  let interleavings = 0;
  for (;;) {
    let depth = 0;
    const scheduler = new Scheduler();
    const { actions, check } = await start(scheduler);
    const isRun = await scheduler.run(actions, (turns) => {
      depth += 1;
      const known = path[depth - 1];
      if (known) return known.chosen.device;
      const parent = path.at(-1);
      const asleep = parent ? parent.asleep.filter((turn) => commute(turn, parent.chosen)) : [];
      const chosen = turns.find(({ device }) => !asleep.some((turn) => turn.device === device));
      if (!chosen) return undefined;
      path.push({ turns, asleep, chosen });
      return chosen.device;
    });
    if (isRun) {
      interleavings += 1;
      await check();
      if (interleavings === most) return { interleavings, isComplete: false };
    }
    for (;;) {
      const last = path.at(-1);
      if (!last) return { interleavings, isComplete: true };
      last.asleep.push(last.chosen);
      const next = last.turns.find(({ device }) => !last.asleep.some((turn) => turn.device === device));
      if (next) {
        last.chosen = next;
        break;
      }
      path.pop();
    }
  }
}

/** Runs a scenario in random orders. */
export async function sample(start: Parameters<typeof explore>[0], times: number, random: Random): Promise<Explored> {
  for (let run = 0; run < times; run += 1) {
    const scheduler = new Scheduler();
    const { actions, check } = await start(scheduler);
    let last: number | undefined;
    await scheduler.run(actions, (turns) => {
      // Long stretches of one device find other errors than constant changes.
      if (last === undefined || !turns.some(({ device }) => device === last) || random.chance(0.4)) {
        last = random.pick(turns).device;
      }
      return last;
    });
    await check();
  }
  return { interleavings: times, isComplete: false };
}

/**
 * Runs a scenario in the orders in which one device stops once, at each of its calls, until all others have ended. Most errors need no more
 * stops than that (Musuvathi and Qadeer 2007).
 *
 * @param calls the first call at which it stops, and after how many more it stops in the next run
 */
export async function exploreStops(
  start: Parameters<typeof explore>[0],
  device: number,
  calls: { readonly first: number; readonly step: number } = { first: 0, step: 1 },
): Promise<Explored> {
  let interleavings = 0;
  for (let before = calls.first; ; before += calls.step) {
    const scheduler = new Scheduler();
    const { actions, check } = await start(scheduler);
    let taken = 0;
    await scheduler.run(actions, (turns) => {
      const isWaiting = turns.some((turn) => turn.device === device);
      const other = turns.find((turn) => turn.device !== device)?.device;
      if (other !== undefined && (taken === before || !isWaiting)) return other;
      taken += 1;
      return device;
    });
    await check();
    interleavings += 1;
    if (taken <= before) return { interleavings, isComplete: false };
  }
}
