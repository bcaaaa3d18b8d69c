import { expect, test } from 'vitest';
import { ChangeCollection, type Changes } from '../../../../../src/archive/scan/watch/changes.ts';
import type { WatchLimitation } from '../../../../../src/archive/scan/watch/change-watcher.ts';
import { WatchLoop } from '../../../../../src/archive/scan/watch/watch-loop.ts';
import { ManualClock, settled } from '../../../service/webhooks/manual-clock.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** A loop over the test's changes; `runs` are the starts in minutes, with the folders to scan first. */
class WatchFixture implements AsyncDisposable {
  readonly clock = new ManualClock(0);
  readonly runs: [minute: number, first: readonly string[]][] = [];
  limitation: WatchLimitation | undefined;
  succeeds = true;
  during: (fixture: WatchFixture) => Promise<void> | void;
  readonly #changes = new ChangeCollection();
  readonly #stop = new AbortController();
  readonly #loop = new WatchLoop({ quiet: MINUTE, interval: 5 * MINUTE }, this.clock);
  readonly #ended: Promise<void>;

  constructor(during: (fixture: WatchFixture) => Promise<void> | void = () => undefined) {
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
  await using fixture = new WatchFixture();
  await fixture.clock.advance(10 * MINUTE);
  fixture.change('/a');
  await fixture.clock.advance(MINUTE / 2);
  fixture.change('/b');
  await fixture.clock.advance(DAY);
  expect(fixture.runs).toEqual([
    [0, []],
    [11.5, ['/a', '/b']],
  ]);
  await fixture.clock.advance(DAY);
  expect(fixture.runs.slice(2)).toEqual([[11.5 + 24 * 60, []]]);
});

test('assigns changes during a run to the next', async () => {
  await using fixture = new WatchFixture((first) => {
    first.during = () => undefined;
    first.change('/late');
  });
  await fixture.clock.advance(10 * MINUTE);
  expect(fixture.runs).toEqual([
    [0, []],
    [5, ['/late']],
  ]);
});

test('starts again after 15 minutes when a run failed or not all folders are watched', async () => {
  await using fixture = new WatchFixture();
  fixture.succeeds = false;
  await fixture.clock.advance(16 * MINUTE);
  fixture.succeeds = true;
  fixture.limitation = 'watch-limit';
  await fixture.clock.advance(30 * MINUTE);
  expect(fixture.runs.map(([minute]) => minute)).toEqual([0, 15, 30, 45]);
});

test('ends with the current run when it is stopped', async () => {
  const finish = Promise.withResolvers<void>();
  const fixture = new WatchFixture(() => finish.promise);
  const ended: string[] = [];
  const disposed = (async () => {
    await fixture[Symbol.asyncDispose]();
    ended.push('loop');
  })();
  await settled();
  expect(ended).toEqual([]);
  finish.resolve();
  await disposed;
  await fixture.clock.advance(2 * DAY);
  expect(fixture.runs).toHaveLength(1);
});
