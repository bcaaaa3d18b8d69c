import { expect, onTestFinished, test } from 'vitest';
import { performRetention } from '../../../../src/repository/retention/perform-retention.ts';
import { writeCheckpoint } from '../../../../src/repository/ledger/checkpoint.ts';
import { RepositoryClient } from '../../../../src/repository/repository-client.ts';
import { Collector } from '../../../../src/repository/collect/collector.ts';
import { MemoryStorage } from '../../../helpers/storage/memory-storage.ts';
import { testChunk, TestRepository, type TestComputer } from '../fixture.ts';
import { DAY, TestTrees } from '../world.ts';

const DAYS = 20;
const YEARS = 3650 * DAY;

interface Run {
  /** By the clock that is right. */
  readonly at: number;
  readonly restorePoint: string;
  readonly id: string;
  readonly warnings: readonly string[];
}

/** Backs up once, once with the clock far ahead, and then each day. */
async function runs(): Promise<{ shared: TestRepository; computer: TestComputer; ahead: Run; daily: readonly Run[] }> {
  // The store's clock is that of the computer.
  let time = (): number => 0;
  const shared = await TestRepository.create(new MemoryStorage(new Map(), () => time()));
  onTestFinished(() => shared[Symbol.dispose]());
  const computer = await shared.computer('one');
  const { clock } = shared;
  time = () => clock.time;
  const run = async (): Promise<Run> => {
    const at = clock.time;
    const { restore_point: restorePoint, backup_id: id } = await computer.backup('documents', [testChunk()]);
    const warnings = computer.client.destinationWarnings().map(({ path, reason }) => `${reason} ${path}`);
    return { at, restorePoint, id, warnings };
  };
  expect((await run()).warnings).toEqual([]);
  clock.time += YEARS;
  const ahead = await run();
  clock.time -= YEARS;
  const daily: Run[] = [];
  for (let day = 1; day <= DAYS; day += 1) {
    clock.time += DAY;
    daily.push(await run());
  }
  return { shared, computer, ahead, daily };
}

const manifestAt = async (client: RepositoryClient, device: string, time: string): Promise<string> =>
  (
    await client.restoreManifest(
      { device_id: device, backup_set: 'documents', point_in_time: time, path: '', recursive: true },
      () => undefined,
    )
  ).point_in_time;

test('a clock that was far ahead once is a warning of that run and of the next, and of no other', async () => {
  const { ahead, daily } = await runs();
  expect(ahead.warnings).toEqual([`clock-jumped documents ${ahead.restorePoint}`]);
  expect(daily.map(({ warnings }) => warnings)).toEqual([
    [`clock-was-ahead documents ${ahead.restorePoint}`],
    ...Array.from({ length: DAYS - 1 }, () => []),
  ]);
});

test('a gap of months, or a clock that is wrong by hours, is no warning', async () => {
  const shared = await TestRepository.create(new MemoryStorage());
  onTestFinished(() => shared[Symbol.dispose]());
  const computer = await shared.computer('one');
  for (const step of [0, DAY, -DAY / 2, 360 * DAY]) {
    shared.clock.time += step;
    await computer.backup('documents', [testChunk()]);
    expect(computer.client.destinationWarnings()).toEqual([]);
  }
});

test.each(['segments', 'a checkpoint'])(
  'restore points after a clock that was ahead are found by when they were made, read from %s',
  async (from) => {
    const { shared, computer, ahead, daily } = await runs();
    if (from === 'a checkpoint') await writeCheckpoint(computer.repository.ledger);
    const reader = new RepositoryClient((await shared.computer('reader')).repository);
    const found = (time: string): Promise<string> => manifestAt(reader, computer.id, time);
    for (const { at, restorePoint } of daily) {
      expect(await found(new Date(at + DAY / 2).toISOString())).toBe(restorePoint);
      expect(await found(restorePoint)).toBe(restorePoint);
    }
    expect(await found(ahead.restorePoint)).toBe(ahead.restorePoint);
    expect(await found('9999-12-31T23:59:59.999Z')).toBe(daily.at(-1)!.restorePoint);
  },
);

test('a policy thins by when runs were completed after a clock that was ahead', async () => {
  const { computer, ahead, daily } = await runs();
  const request = { device_id: computer.id, backup_set: 'documents' };
  const collector = new Collector(computer.repository, new TestTrees(computer.repository));
  const policy = { keep_all_days: 0, hourly: 0, daily: 7, weekly: 0, monthly: 0, yearly: 0, time_zone: 'UTC' };
  await performRetention(computer.repository, collector, { action: 'set', ...request, policy });
  await performRetention(computer.repository, collector, { action: 'apply', ...request });
  const left = computer.repository.projection.points.ofSet({ device: computer.id, set: 'documents' });
  expect(left.map(({ id }) => id.toString('hex'))).toEqual(
    daily
      .slice(-7)
      .reverse()
      .map(({ id }) => id),
  );
  expect(left.map(({ id }) => id.toString('hex'))).not.toContain(ahead.id);
});

test('a policy of the last days drops nothing after a run with a clock that was weeks ahead', async () => {
  const shared = await TestRepository.create(new MemoryStorage());
  onTestFinished(() => shared[Symbol.dispose]());
  const computer = await shared.computer('one');
  const { clock } = shared;
  const request = { device_id: computer.id, backup_set: 'documents' };
  const collector = new Collector(computer.repository, new TestTrees(computer.repository));
  const policy = { keep_all_days: 30, hourly: 0, daily: 0, weekly: 0, monthly: 0, yearly: 0, time_zone: 'UTC' };
  const count = (): number =>
    computer.repository.projection.points.ofSet({ device: computer.id, set: 'documents' }).length;
  for (let day = 0; day < 4; day += 1) {
    clock.time += DAY;
    await computer.backup('documents', [testChunk()]);
  }
  await performRetention(computer.repository, collector, { action: 'set', ...request, policy });
  clock.time += 41 * DAY;
  await computer.backup('documents', [testChunk()]);
  await performRetention(computer.repository, collector, { action: 'apply', ...request });
  expect(count()).toBe(5);
  clock.time -= 40 * DAY;
  await computer.backup('documents', [testChunk()]);
  await performRetention(computer.repository, collector, { action: 'apply', ...request });
  expect(count()).toBe(6);
});
