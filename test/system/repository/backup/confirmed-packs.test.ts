import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { Storage } from '../../../../src/storage/storage.ts';
import { MemoryStorage } from '../../../helpers/storage/memory-storage.ts';
import {
  chunksOf,
  createWorld,
  Device,
  removeFolder,
  temporaryFolder,
  WorldTime,
  type WorldKeys,
} from '../../../unit/repository/world.ts';

const NOT_STORED = { code: 'service_broken', details: { problem: 'not-stored' } };

/** A store behind something that may answer for it. */
class DoubtfulStorage extends MemoryStorage implements Storage {
  /** Whether something else answers to a put. */
  isSwallowed: (name: string) => boolean = () => false;
  /** How often the store was asked for each name. */
  readonly asked = new Map<string, number>();
  /** Answers that come late. */
  late = 0;

  override async put(name: string, parts: readonly Uint8Array[], signal?: AbortSignal): Promise<'created' | 'exists'> {
    return this.isSwallowed(name) ? 'created' : await super.put(name, parts, signal);
  }

  async size(name: string): Promise<number | undefined> {
    this.asked.set(name, (this.asked.get(name) ?? 0) + 1);
    this.late -= 1;
    return this.late >= 0 ? undefined : this.files.get(name)?.bytes.length;
  }
}

let folder: string;
let keys: WorldKeys;
let time: WorldTime;
let storage: DoubtfulStorage;
let one: Device;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'], shouldAdvanceTime: true, advanceTimeDelta: 1_000 });
  onTestFinished(() => void vi.useRealTimers());
  folder = temporaryFolder();
  time = new WorldTime();
  storage = new DoubtfulStorage();
  keys = await createWorld(storage, time);
  one = new Device(keys, time, { name: 'one', storage, folder });
});
afterEach(() => {
  one[Symbol.dispose]();
  removeFolder(folder);
});

test('a backup asks once for each pack and its segment', async () => {
  await one.backup('set', chunksOf(5, 4_000_000));
  const packs = [...storage.files.keys()].filter((name) => name.startsWith('packs/'));
  expect(packs.length).toBeGreaterThan(1);
  for (const name of packs) expect(storage.asked.get(name)).toBe(1);
  expect([...storage.asked.keys()].filter((name) => !name.startsWith('packs/'))).toEqual([
    expect.stringMatching(/^ledger\//),
  ]);
});

test.each(['packs/', 'ledger/'])(
  'a backup fails if what is below %s was not stored, and the next one stores it',
  async (prefix) => {
    const chunks = chunksOf(5, 4_000_000);
    let swallowed = 0;
    storage.isSwallowed = (name) => name.startsWith(prefix) && (swallowed += 1) === 1;
    await expect(one.backup('set', chunks)).rejects.toMatchObject(NOT_STORED);
    const { length } = [...storage.files.keys()].filter((name) => name.startsWith('packs/'));
    await one.backup('set', chunks);
    expect(await one.lostOf(chunks)).toEqual([]);
    // What was stored is not stored again.
    expect([...storage.files.keys()].filter((name) => name.startsWith('packs/')).length).toBeLessThan(2 * length);
    using other = new Device(keys, time, { name: 'other', storage, folder });
    await other.repository.refresh();
    expect(await other.lostOf(chunks)).toEqual([]);
  },
);

test('a store that shows a file late is asked again', async () => {
  storage.late = 2;
  const chunks = chunksOf(1, 1000);
  await one.backup('set', chunks);
  expect(await one.lostOf(chunks)).toEqual([]);
});

test('what lives in a pack that goes is never lost to a store that does not store its copy', async () => {
  const shared = chunksOf(1, 1_000_000);
  const removed = await one.backup('set', [...shared, ...chunksOf(2, 1_000_000)]);
  await one.backup('set', shared);
  await one.remove(removed);
  storage.isSwallowed = (name) => name.startsWith('packs/');
  await expect(one.collector.freeSpace.free({ waivesDays: true, pauseMs: 0 })).rejects.toMatchObject(NOT_STORED);
  expect(await one.lostOf(shared)).toEqual([]);
  storage.isSwallowed = () => false;
  await one.collector.freeSpace.free({ waivesDays: true, pauseMs: 0 });
  expect(await one.lostOf(shared)).toEqual([]);
});
