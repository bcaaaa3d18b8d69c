import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HOUR, MINUTE, SchedulerSimulation, type RunPlan } from './scheduler-simulation.ts';
import { orThorough } from '../../../helpers/thorough.ts';

process.env['TZ'] = 'UTC';

const HOURS = 5;
const TICK = MINUTE / 2;
const ids = ['00000001', '00000002', '00000003'] as const;
const sets = ['documents', 'pictures'] as const;

/** `undefined` for the schedule of the set. */
const interval = fc.option(fc.constantFrom(0, 10, 20, 30, 60, 90, 120), { nil: undefined });

const world = fc.record({
  ofSets: fc.tuple(fc.constantFrom(0, 20, 30, 60), fc.constantFrom(0, 30, 60, 90)),
  ofDestinations: fc.tuple(interval, interval, interval),
  /** Minutes at which a destination leaves or returns. */
  moves: fc.array(fc.tuple(fc.nat(2), fc.nat(HOURS * 60)), { maxLength: 8 }),
  /** The outcomes of the backups to each destination, over and over. */
  failures: fc.tuple(...ids.map(() => fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 6 }))),
  /** How long each backup to the last destination takes, in minutes. */
  slow: fc.constantFrom(0, 0, 45, 600),
});
type World = typeof world extends fc.Arbitrary<infer Value> ? Value : never;

/** One backup of a set to one destination, with the run that it is part of. */
interface Backup {
  readonly run: number;
  readonly at: number;
  end: 'succeeded' | 'failed' | 'preempted' | undefined;
}

/**
 * The reference: each set at each destination as if it were alone. It demands no more of a schedule than its interval.
 */
class Pair {
  readonly backups: Backup[] = [];
  readonly set: string;
  readonly id: string;
  /** In milliseconds; 0 for by hand. */
  readonly interval: number;
  /** Whether the destination has been there for long enough to have to be backed up to. */
  presentSince: number;

  constructor(set: string, id: string, minutes: number, start: number) {
    this.set = set;
    this.id = id;
    this.interval = minutes * MINUTE;
    this.presentSince = start;
  }

  /** When the pair must have begun by itself at the latest. */
  dueAt(start: number): number {
    const last = this.backups.at(-1);
    if (!last) return start + this.interval;
    if (last.end === 'succeeded') return last.at + this.interval;
    if (last.end === 'preempted') return last.at;
    return Number.POSITIVE_INFINITY;
  }
}

async function simulate(given: World, check: (pairs: readonly Pair[], facts: Simulated) => void): Promise<void> {
  await using simulation = new SchedulerSimulation('2026-11-02T00:00Z');
  const start = simulation.now;
  simulation.destinations = ids.map((id, index) => {
    const minutes = given.ofDestinations[index];
    const location = `/media/${id}`;
    return minutes === undefined ? { id, location } : { id, location, schedule: spec(minutes) };
  });
  for (const [index, name] of sets.entries()) simulation.set(name, spec(given.ofSets[index]!));
  const pairs = sets.flatMap((set, ofSet) =>
    ids.map((id, index) => new Pair(set, id, given.ofDestinations[index] ?? given.ofSets[ofSet]!, start)),
  );
  const counts = new Map<string, number>();
  simulation.plan = ({ set, destinations }) => {
    const parts = destinations.map((id): [string, NonNullable<RunPlan['at']>[string]] => {
      const index = ids.indexOf(id as (typeof ids)[number]);
      const count = counts.get(`${id} ${set}`) ?? 0;
      counts.set(`${id} ${set}`, count + 1);
      const outcomes = given.failures[index]!;
      const outcome = outcomes[count % outcomes.length] === 0 ? 'failed' : 'succeeded';
      return [id, { outcome, takes: index === 2 ? given.slow * MINUTE : 0 }];
    });
    return { at: Object.fromEntries(parts) };
  };
  await simulation.start();
  let seen = 0;
  for (let tick = 0; tick <= (HOURS * HOUR) / TICK; tick += 1) {
    for (const [index, minute] of given.moves) {
      if (minute * MINUTE !== tick * TICK) continue;
      const id = ids[index]!;
      if (!simulation.absent.delete(id)) simulation.absent.add(id);
      for (const pair of pairs) if (pair.id === id) pair.presentSince = simulation.now;
    }
    await simulation.pass(TICK);
    const runs = simulation.started.slice(seen);
    for (const [index, run] of runs.entries()) {
      for (const pair of pairs) {
        if (pair.set !== run.set || !run.destinations.includes(pair.id)) continue;
        pair.backups.push({ run: seen + index, at: run.at, end: undefined });
      }
    }
    seen = simulation.started.length;
    for (const pair of pairs) {
      const last = pair.backups.at(-1);
      const ended = simulation.journal.get(`${pair.id} ${pair.set}`);
      if (last && ended?.startedAt === last.at) {
        last.end = ended.outcome === 'interrupted' ? 'preempted' : ended.outcome === 'failed' ? 'failed' : 'succeeded';
      }
    }
    check(pairs, { simulation, start });
  }
}

interface Simulated {
  readonly simulation: SchedulerSimulation;
  readonly start: number;
}

function spec(minutes: number): string {
  return minutes === 0 ? 'manual' : `every ${minutes} minutes`;
}

/** Everything may begin a turn later than alone, if it has to wait for uploads that are preempted; with two sets, for both. */
const LATE = 2 * 5 * MINUTE + 3 * TICK;

test('no set waits at one destination for another, whatever is absent, slow or fails', async () => {
  await fc.assert(
    fc.asyncProperty(world, async (given) => {
      await simulate(given, (pairs, { simulation, start }) => {
        for (const pair of pairs) {
          // The slow one waits for its own uploads.
          const isSlow = pair.id === ids[2] && given.slow > 0;
          if (pair.interval === 0 || simulation.absent.has(pair.id) || isSlow) continue;
          const since = Math.max(pair.dueAt(start), pair.presentSince);
          expect(simulation.now - since).toBeLessThanOrEqual(LATE);
        }
      });
    }),
    { numRuns: orThorough(4, 8) },
  );
}, 300_000);

test('a slow destination gets its backups, too', async () => {
  await fc.assert(
    fc.asyncProperty(world, async (given) => {
      let pairs: readonly Pair[] = [];
      await simulate({ ...given, slow: 45, moves: [] }, (all) => (pairs = all));
      for (const pair of pairs) {
        if (pair.id !== ids[2] || pair.interval === 0) continue;
        expect(pair.backups.length).toBeGreaterThan(0);
      }
    }),
    { numRuns: 3 },
  );
}, 300_000);

test('nothing is backed up to a destination that is absent or by hand only, or too early', async () => {
  await fc.assert(
    fc.asyncProperty(world, async (given) => {
      let seen = 0;
      await simulate(given, (pairs, { simulation }) => {
        const { started } = simulation;
        for (const run of started.slice(seen)) {
          for (const id of run.destinations) {
            expect(simulation.absent.has(id)).toBe(false);
            const pair = pairs.find((other) => other.set === run.set && other.id === id)!;
            expect(pair.interval).toBeGreaterThan(0);
            const previous = pair.backups.at(-2);
            if (previous?.end !== 'succeeded') continue;
            const isShared = pairs.some(
              (other) => other !== pair && other.set === pair.set && other.interval === pair.interval,
            );
            const early = isShared ? pair.interval / 2 : Math.min(5 * MINUTE, pair.interval / 4);
            expect(run.at - previous.at).toBeGreaterThanOrEqual(pair.interval - early);
          }
        }
        seen = started.length;
      });
    }),
    { numRuns: 6 },
  );
}, 300_000);

test('a set is read once for all that is due at about the same time', async () => {
  await fc.assert(
    fc.asyncProperty(world, async (given) => {
      const smooth: World = { ...given, failures: [[1], [1], [1]], moves: [], slow: 0 };
      await simulate(smooth, (_, { simulation: { started } }) => {
        const last = started.at(-1);
        const before = started.slice(0, -1).findLast(({ set }) => set === last?.set);
        if (last && before) expect(last.at - before.at).toBeGreaterThan(2 * MINUTE);
      });
    }),
    { numRuns: 6 },
  );
}, 300_000);
