import { expect, test } from 'vitest';
import { ChangeCollection, type Changes } from '../../../../src/engine/scan/watch/changes.ts';
import type { WatchLimitation } from '../../../../src/engine/scan/watch/change-watcher.ts';
import { WatchLoop } from '../../../../src/engine/scan/watch/watch-loop.ts';
import { ManualClock, settled } from '../../../service/webhooks/manual-clock.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** A loop over the test's changes; `runs` are the starts in minutes, with the folders to scan first. */
class World implements AsyncDisposable {
  readonly clock = new ManualClock(0);
  readonly runs: [minute: number, first: readonly string[]][] = [];
  limitation: WatchLimitation | undefined;
  succeeds = true;
  during: (world: World) => Promise<void> | void;
  readonly #changes = new ChangeCollection();
  readonly #stop = new AbortController();
  readonly #loop = new WatchLoop({ quiet: MINUTE, interval: 5 * MINUTE }, this.clock);
  readonly #ended: Promise<void>;

  constructor(during: (world: World) => Promise<void> | void = () => undefined) {
    const { clock } = this;
    this.during = during;
    this.#ended = this.#loop.until(this.#stop.signal, this, async (first) => {
      this.runs.push([clock.now() / MINUTE, first]);
      await this.during(this);
      return this.succeeds;
    });
  }

  pending(): Changes | undefined {
    return this.#changes.pending();
  }

  take(): Changes | undefined {
    return this.#changes.take();
  }

  change(directory: string): void {
    this.#changes.add(directory, this.clock.now());
    this.#loop.onChange();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }
}

test('starts at once, after changes have settled, and once a day', async () => {
  await using world = new World();
  await world.clock.advance(10 * MINUTE);
  world.change('/a');
  await world.clock.advance(MINUTE / 2);
  world.change('/b');
  await world.clock.advance(DAY);
  expect(world.runs).toEqual([
    [0, []],
    [11.5, ['/a', '/b']],
  ]);
  await world.clock.advance(DAY);
  expect(world.runs.slice(2)).toEqual([[11.5 + 24 * 60, []]]);
});

test('assigns changes during a run to the next', async () => {
  await using world = new World((first) => {
    first.during = () => undefined;
    first.change('/late');
  });
  await world.clock.advance(10 * MINUTE);
  expect(world.runs).toEqual([
    [0, []],
    [5, ['/late']],
  ]);
});

test('starts again after 15 minutes when a run failed or not all folders are watched', async () => {
  await using world = new World();
  world.succeeds = false;
  await world.clock.advance(16 * MINUTE);
  world.succeeds = true;
  world.limitation = 'watch-limit';
  await world.clock.advance(30 * MINUTE);
  expect(world.runs.map(([minute]) => minute)).toEqual([0, 15, 30, 45]);
});

test('ends with the current run when it is stopped', async () => {
  const finish = Promise.withResolvers<void>();
  const world = new World(() => finish.promise);
  const ended: string[] = [];
  const disposed = (async () => {
    await world[Symbol.asyncDispose]();
    ended.push('loop');
  })();
  await settled();
  expect(ended).toEqual([]);
  finish.resolve();
  await disposed;
  await world.clock.advance(2 * DAY);
  expect(world.runs).toHaveLength(1);
});
