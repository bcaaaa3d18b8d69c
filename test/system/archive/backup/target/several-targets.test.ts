import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../../src/base/clock.ts';
import { HoldfastError, isHoldfastError } from '../../../../../src/base/errors/errors.ts';
import type { BackupOutcome } from '../../../../../src/archive/backup/types.ts';
import type { BackupProgress } from '../../../../../src/jobs/progress.ts';
import { WorkerPool } from '../../../../../src/workers/pool.ts';
import { Computer, gate, hang, Place, SET, STEPS, type Step } from './places.ts';

let pool: WorkerPool;
let computer: Computer;
let home: Place;
let away: Place;
beforeAll(() => {
  pool = new WorkerPool(2);
});
afterAll(() => pool.close());
beforeEach(() => {
  computer = new Computer(pool);
  home = new Place('home');
  away = new Place('away');
});
afterEach(() => computer[Symbol.dispose]());

const codeOf = ({ error }: BackupOutcome): string | undefined =>
  error === undefined ? undefined : isHoldfastError(error) ? error.code : (error as Error).message;
const codes = (outcomes: readonly BackupOutcome[]): (string | undefined)[] => outcomes.map(codeOf);
const states = (place: Place): string[] =>
  computer.catalog.journal.list({ destination: place.id, kind: 'backup' }, 10).map(({ state }) => state);
const pointsOf = (place: Place): number =>
  computer.catalog.at(place.id).history.restorePoints(`device at ${place.id}`, SET).length;

/** Writes files of which no task of a run reads more than a few. */
function writeMany(count: number, bytes: number): void {
  for (let index = 0; index < count; index += 1) computer.write(`file ${index}`, randomBytes(bytes));
}

describe('a backup to two destinations', () => {
  test('reads each file once and stores the same blobs at both', async () => {
    computer.write('large', randomBytes(20_000_000));
    for (let index = 0; index < 600; index += 1) computer.write(`folder/${index}`, randomBytes(1 + index * 10));
    const outcomes = await computer.backUp([home, away]);
    expect(codes(outcomes)).toEqual([undefined, undefined]);
    const parts = computer.chunked.filter((path) => path.endsWith('/large')).length;
    const others = computer.chunked.filter((path) => !path.endsWith('/large'));
    expect(parts).toBe(Math.ceil(20_000_000 / (8 * 1024 * 1024)));
    expect(new Set(others).size).toBe(others.length);
    expect(others).toHaveLength(600);
    expect(computer.sealed.filter((path) => path.startsWith(computer.source))).toEqual([]);
    // Each sealing of a chunk has another IV.
    const chunks = home.points[0]!.files.flatMap((file) => (file.path.startsWith(computer.source) ? file.chunks : []));
    expect(new Set(chunks).size).toBeGreaterThan(600);
    for (const hash of chunks) expect(Buffer.from(home.blobs.get(hash)!).equals(away.blobs.get(hash)!)).toBe(true);
    for (const place of [home, away]) {
      await computer.expectRestored(place);
      expect(states(place)).toEqual(['succeeded']);
      expect(pointsOf(place)).toBe(1);
    }
  });

  test('sends each its own differences', async () => {
    computer.write('a', 'first');
    computer.write('folder/b', 'first');
    await computer.backUp([home, away]);
    computer.write('a', 'second', 2000);
    rmSync(join(computer.source, 'folder'), { recursive: true });
    await computer.backUp([home]);
    computer.write('folder/b', 'third', 3000);
    expect(codes(await computer.backUp([home, away]))).toEqual([undefined, undefined]);
    for (const place of [home, away]) await computer.expectRestored(place);
  });

  test('sends everything to one that was added later, without reading files to chunk them', async () => {
    writeMany(50, 5000);
    await computer.backUp([home]);
    await computer.untilTimesAreReliable();
    await computer.backUp([home]);
    const outcomes = await computer.backUp([home, away]);
    expect(codes(outcomes)).toEqual([undefined, undefined]);
    expect(computer.chunked).toEqual([]);
    expect(outcomes[0]!.report!.bytesNew).toBeLessThan(10_000);
    expect(outcomes[1]!.report!.bytesNew).toBeGreaterThan(50 * 5000);
    await computer.expectRestored(away);
  });

  test('reports the progress of each', async () => {
    writeMany(10, 5000);
    const seen: BackupProgress[] = [];
    const outcomes = await computer.backUp([home, away], { onProgress: (progress) => seen.push(progress) });
    const last = seen.filter(({ phase }) => phase === 'committing').map(({ bytesUploaded }) => bytesUploaded);
    // Either may be the first to complete.
    const ascending = (counts: readonly number[]): number[] => counts.toSorted((one, other) => one - other);
    expect(ascending(last)).toEqual(ascending(outcomes.map(({ report }) => report!.bytesNew)));
  });

  test('stops before anything is opened when a source is missing', async () => {
    computer.write('a', 'x');
    await computer.backUp([home, away]);
    renameSync(computer.source, join(computer.folder, 'elsewhere'));
    expect(codes(await computer.backUp([home, away]))).toEqual(['source_missing', 'source_missing']);
    expect([home.callsOf('open'), away.callsOf('open')]).toEqual([0, 0]);
    mkdirSync(computer.source);
  });

  test('stops for all when a source disappears while it is read, also for one that is not open yet', async () => {
    writeMany(3, 100);
    home.hooks.early = () => renameSync(computer.source, join(computer.folder, 'elsewhere'));
    away.hooks.open = () => hang(undefined);
    expect(codes(await computer.backUp([home, away]))).toEqual(['source_missing', 'source_missing']);
    expect(states(away)).toEqual(['failed']);
    mkdirSync(computer.source);
  });
});

describe('a destination that does not respond', () => {
  /** Runs to both until home is done, and then interrupts. */
  async function untilHomeIsDone(): Promise<readonly BackupOutcome[]> {
    const controller = new AbortController();
    const outcomes = await computer.backUp([home, away], {
      signal: controller.signal,
      onOutcome: ({ destination }) => {
        if (destination === 'home') controller.abort();
      },
    });
    expect(codes(outcomes)).toEqual([undefined, 'interrupted']);
    expect([states(home), states(away)]).toEqual([['succeeded'], ['interrupted']]);
    expect([pointsOf(home), pointsOf(away)]).toEqual([1, 0]);
    await computer.expectRestored(home);
    return outcomes;
  }

  async function expectNextRun(): Promise<void> {
    for (const step of STEPS) delete away.hooks[step];
    expect(codes(await computer.backUp([home, away]))).toEqual([undefined, undefined]);
    for (const place of [home, away]) await computer.expectRestored(place);
  }

  test('holds the other up neither when it opens', async () => {
    writeMany(20, 5000);
    away.hooks.open = () => hang(undefined);
    await untilHomeIsDone();
    await expectNextRun();
  });

  test.each(['previousTree', 'capabilities'] as const)('nor in %s', async (step) => {
    writeMany(20, 5000);
    away.hooks[step] = () => hang(undefined);
    await untilHomeIsDone();
    await expectNextRun();
  });

  test('nor while it is sent chunks early, however many there are', { timeout: 60_000 }, async () => {
    // More tasks than an early upload has buffers for.
    writeMany(24, 3_000_000);
    away.hooks.early = (_call, signal) => hang(signal);
    await untilHomeIsDone();
    expect(home.needed.at(-1)).toBeLessThan(10);
    await expectNextRun();
  });

  test('nor while it is sent the chunks that it lacks', { timeout: 60_000 }, async () => {
    writeMany(20, 5000);
    away.offered = new Set();
    away.hooks.late = (_call, signal) => hang(signal);
    await untilHomeIsDone();
    await expectNextRun();
  });

  test('gets what it missed later, when it was only slow', { timeout: 60_000 }, async () => {
    writeMany(24, 3_000_000);
    const { passed, open } = gate();
    away.hooks.early = () => passed;
    const outcomes = await computer.backUp([home, away], {
      onOutcome: ({ destination }) => {
        if (destination === 'home') open();
      },
    });
    expect(codes(outcomes)).toEqual([undefined, undefined]);
    const again = computer.sealed.filter((path) => path.startsWith(computer.source));
    expect(again.length).toBeGreaterThan(0);
    expect(away.callsOf('early')).toBeGreaterThan(0);
    expect(new Set(away.sent).size).toBe(away.sent.length);
    for (const place of [home, away]) await computer.expectRestored(place);
  });

  test('is waited for a moment before anything is read, so that nothing is read twice for it', async () => {
    writeMany(20, 5000);
    computer.clock = { ...systemClock, sleep: (_milliseconds, signal) => hang(signal) };
    away.hooks.open = async () => {
      for (let turn = 0; turn < 300; turn += 1) await nextTurn();
      expect(computer.chunked).toEqual([]);
    };
    expect(codes(await computer.backUp([home, away]))).toEqual([undefined, undefined]);
    expect(computer.sealed.filter((path) => path.startsWith(computer.source))).toEqual([]);
  });
});

describe('a destination that fails', () => {
  test.each(STEPS)('in %s fails alone, and the next run completes it', async (step: Step) => {
    writeMany(20, 50_000);
    if (step === 'late') away.offered = new Set();
    away.hooks[step] = () => {
      throw new HoldfastError('destination_full', {});
    };
    expect(codes(await computer.backUp([home, away]))).toEqual([undefined, 'destination_full']);
    expect([states(home), states(away)]).toEqual([['succeeded'], ['failed']]);
    const { setId } = computer.catalog.entries.findSet(SET)!;
    expect(computer.catalog.at('home').trees.find(setId)).toBeDefined();
    expect(computer.catalog.at('away').trees.find(setId)).toBeUndefined();
    expect([pointsOf(home), pointsOf(away)]).toEqual([1, 0]);
    await computer.expectRestored(home);

    delete away.hooks[step];
    expect(codes(await computer.backUp([home, away]))).toEqual([undefined, undefined]);
    expect(computer.chunked.length).toBeLessThanOrEqual(20);
    for (const place of [home, away]) await computer.expectRestored(place);
  });

  test('is no reason to go on reading when no other is left', { timeout: 60_000 }, async () => {
    writeMany(40, 3_000_000);
    for (const place of [home, away]) {
      place.hooks.early = () => {
        throw new HoldfastError('destination_full', {});
      };
    }
    expect(codes(await computer.backUp([home, away]))).toEqual(['destination_full', 'destination_full']);
    expect(computer.chunked.length).toBeLessThan(40);
  });

  test('is no reason to read anything when none can be opened', async () => {
    writeMany(3, 100);
    for (const place of [home, away]) {
      place.hooks.open = () => {
        throw new HoldfastError('destination_full', {});
      };
    }
    expect(codes(await computer.backUp([home, away]))).toEqual(['destination_full', 'destination_full']);
    expect(computer.catalog.entries.findSet(SET)).toBeUndefined();
  });
});

describe('a file that changes', () => {
  test('for one destination leaves the other with what its tree and its manifest agree on', async () => {
    const changing = computer.write('changing', 'before');
    computer.write('steady', 'steady');
    const before = join(computer.folder, 'before');
    cpSync(computer.source, before, { recursive: true });
    // Away gets its chunks after init, so it notices the change and has the file read again. Home has had them early.
    away.offered = new Set();
    away.hooks.init = (call) => {
      if (call === 1) writeFileSync(changing, 'after it changed');
    };
    const { passed, open } = gate();
    home.hooks.init = () => passed;
    const outcomes = await computer.backUp([home, away], {
      onOutcome: ({ destination }) => {
        if (destination === 'away') open();
      },
    });
    expect(codes(outcomes)).toEqual([undefined, undefined]);
    expect(outcomes.map(({ report }) => report!.warnings)).toEqual([[], []]);
    await computer.expectRestored(home, before);
    await computer.expectRestored(away);
    // And the next run sends home the difference.
    for (const place of [home, away]) place.hooks.init = () => undefined;
    expect(codes(await computer.backUp([home, away]))).toEqual([undefined, undefined]);
    for (const place of [home, away]) await computer.expectRestored(place);
  });

  test('again and again is taken back to the version that each destination has', async () => {
    const log = computer.write('log', 'version 1');
    for (const place of [home, away]) place.offered = new Set();
    await computer.backUp([home, away]);
    computer.write('log', 'version 2', 2000);
    await computer.backUp([home]);
    computer.write('log', 'version 3', 3000);
    let version = 3;
    const write = (): void => {
      version += 1;
      if (version > 100) throw new Error('the run does not end');
      // At once: a reader must not find an empty file.
      writeFileSync(join(computer.folder, 'next'), `restless ${version}`);
      renameSync(join(computer.folder, 'next'), log);
    };
    for (const place of [home, away]) place.hooks.init = write;
    const outcomes = await computer.backUp([home, away]);
    expect(codes(outcomes)).toEqual([undefined, undefined]);
    for (const { report } of outcomes)
      expect(report!.warnings).toEqual([{ path: log, reason: 'changed-while-reading' }]);
    const restored = { home: 'version 2', away: 'version 1' };
    for (const place of [home, away]) {
      const wanted = join(computer.folder, place.id);
      mkdirSync(wanted);
      writeFileSync(join(wanted, 'log'), restored[place.id as 'home' | 'away']);
      place.hooks.init = () => undefined;
      await computer.expectRestored(place, wanted);
    }
    // In the next run, too.
    for (const place of [home, away]) place.hooks.init = write;
    expect(codes(await computer.backUp([home, away]))).toEqual([undefined, undefined]);
    for (const place of [home, away]) {
      place.hooks.init = () => undefined;
      await computer.expectRestored(place, join(computer.folder, place.id));
    }
    await computer.untilTimesAreReliable();
    expect(codes(await computer.backUp([home, away]))).toEqual([undefined, undefined]);
    for (const place of [home, away]) await computer.expectRestored(place);
  });
});

describe('a file that can no longer be read', () => {
  test('stays at the destination that has it, and reaches the other when it can be read again', async () => {
    const locked = computer.write('locked', 'content');
    computer.write('other', 'content of the other');
    await computer.untilTimesAreReliable();
    await computer.backUp([home]);
    computer.unreadable.add(locked);
    const without = join(computer.folder, 'without');
    mkdirSync(without);
    writeFileSync(join(without, 'other'), 'content of the other');
    for (let time = 0; time < 2; time += 1) {
      const [, there] = await computer.backUp([home, away]);
      expect(there!.report!.warnings).toEqual([{ path: locked, reason: 'not-stored' }]);
      await computer.expectRestored(home);
      expect(await computer.warningsOf(away)).toEqual([{ path: locked, reason: 'not-stored' }]);
    }
    expect(codes(await computer.backUp([home, away], { accepted: [locked] }))).toEqual([undefined, undefined]);
    await computer.expectRestored(away, without);
    computer.unreadable.clear();
    expect(codes(await computer.backUp([home, away]))).toEqual([undefined, undefined]);
    for (const place of [home, away]) await computer.expectRestored(place);
  });

  test('is left out of tree and manifest when the destination has lost its content, and a person gives it up', async () => {
    const locked = computer.write('locked', 'content');
    computer.write('other', 'content of the other');
    await computer.untilTimesAreReliable();
    await computer.backUp([home]);
    computer.unreadable.add(locked);
    const { chunks } = home.points[0]!.files.find(({ path }) => path === locked)!;
    for (const hash of chunks) home.blobs.delete(hash);
    expect(codes(await computer.backUp([home]))).toEqual(['source_unreadable']);
    expect(codes(await computer.backUp([home], { accepted: [locked] }))).toEqual([undefined]);
    const without = join(computer.folder, 'without');
    mkdirSync(without);
    writeFileSync(join(without, 'other'), 'content of the other');
    await computer.expectRestored(home, without);
    computer.unreadable.clear();
    expect(codes(await computer.backUp([home]))).toEqual([undefined]);
    await computer.expectRestored(home);
  });
});

describe('a run to several destinations', () => {
  test('ends at all of them when it is interrupted, and the next one continues', { timeout: 60_000 }, async () => {
    writeMany(24, 3_000_000);
    const controller = new AbortController();
    home.hooks.early = (call) => {
      if (call === 3) controller.abort();
    };
    expect(codes(await computer.backUp([home, away], { signal: controller.signal }))).toEqual([
      'interrupted',
      'interrupted',
    ]);
    expect([states(home), states(away)]).toEqual([['interrupted'], ['interrupted']]);
    expect([home.points, away.points]).toEqual([[], []]);
    const before = home.blobs.size;
    expect(before).toBeGreaterThan(0);
    home.hooks.early = () => undefined;
    expect(codes(await computer.backUp([home, away]))).toEqual([undefined, undefined]);
    for (const place of [home, away]) await computer.expectRestored(place);
  });

  test('is continued by the next one after a kill, without reading files to chunk them', async () => {
    writeMany(30, 20_000);
    await computer.untilTimesAreReliable();
    const controller = new AbortController();
    const arrived = gate();
    for (const place of [home, away]) {
      place.offered = new Set();
      place.hooks.late = (_call, signal) => {
        arrived.open();
        return hang(signal);
      };
    }
    const killed = computer.backUp([home, away], { signal: controller.signal });
    await arrived.passed;
    const old = computer.kill();
    const next = [new Place('home'), new Place('away')];
    const outcomes = await computer.backUp(next);
    expect(codes(outcomes)).toEqual([undefined, undefined]);
    expect(computer.chunked).toEqual([]);
    for (const place of next) {
      await computer.expectRestored(place);
      expect(states(place)).toEqual(['succeeded', 'interrupted']);
    }
    controller.abort();
    await killed;
    old.close();
  });
});
