import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { FolderStorage } from '../../../src/storage/folder/folder-storage.ts';
import type { Storage } from '../../../src/storage/storage.ts';
import { FaultyStorage, replayed } from '../../helpers/storage/faulty-storage.ts';
import { MemoryStorage, type MemoryFiles } from '../../helpers/storage/memory-storage.ts';
import { Random } from '../../helpers/random.ts';
import { testChunk, type TestChunk } from '../../unit/repository/fixture.ts';
import {
  createWorld,
  DAY,
  Device,
  removeFolder,
  temporaryFolder,
  WorldTime,
  type WorldKeys,
} from '../../unit/repository/world.ts';
import { orThorough } from '../../helpers/thorough.ts';

/** What had been acknowledged when the store had seen a number of changes. */
interface Milestone {
  readonly effects: number;
  readonly points: ReadonlyMap<string, readonly TestChunk[]>;
}

interface Recording {
  readonly storage: FaultyStorage;
  readonly files: MemoryFiles;
  readonly keys: WorldKeys;
  readonly time: WorldTime;
  /** Changes of the store before the first run. */
  readonly start: number;
  readonly milestones: readonly Milestone[];
}

/** Twenty runs of two computers, with removals, collections and checkpoints. */
async function recorded(random: Random, folder: string): Promise<Recording> {
  const time = new WorldTime();
  const files: MemoryFiles = new Map();
  const storage = new FaultyStorage(new MemoryStorage(files, () => time.now));
  const keys = await createWorld(storage, time);
  const start = storage.effects.length;
  using one = new Device(keys, time, { name: 'one', storage, folder });
  using other = new Device(keys, time, { name: 'other', storage, folder });
  const milestones: Milestone[] = [];
  const pool = Array.from({ length: 6 }, () => testChunk(300));
  let points = new Map<string, readonly TestChunk[]>();
  const note = (): void => {
    milestones.push({ effects: storage.effects.length, points: new Map(points) });
  };
  for (let run = 0; run < 20; run += 1) {
    const device = random.pick([one, other]);
    const chunks = [...new Set([random.pick(pool), random.pick(pool), testChunk(300)])];
    points.set(await device.backup('set', chunks), chunks);
    note();
    if (run % 4 === 3) {
      const [oldest] = points.keys();
      // From the first change of the removal on it need not restore.
      points = new Map([...points].filter(([id]) => id !== oldest));
      milestones.push({ effects: storage.effects.length, points: new Map(points) });
      await random.pick([one, other]).remove(oldest!);
      note();
      await random.pick([one, other]).collector.collect();
      time.now += 4 * DAY;
    }
  }
  return { storage, files, keys, time, start, milestones };
}

/** The points that were acknowledged before a change, and are not to be removed by it. */
function acknowledged({ milestones }: Recording, effects: number): Milestone['points'] {
  const before = milestones.filter((milestone) => milestone.effects <= effects);
  const after = milestones.find((milestone) => milestone.effects > effects);
  const points = new Map(before.at(-1)?.points);
  // A removal may be under way.
  for (const id of points.keys()) if (after && !after.points.has(id)) points.delete(id);
  return points;
}

async function expectRestores(recording: Recording, storage: Storage, effects: number, folder: string): Promise<void> {
  const { keys, time } = recording;
  using reader = new Device(keys, time, { name: `reader-${effects}-${Math.random()}`, storage, folder });
  for (const [id, chunks] of acknowledged(recording, effects)) {
    expect(await reader.lostOf(chunks), `${id} after ${effects} changes`).toEqual([]);
  }
}

describe('the changes of twenty runs', () => {
  test('leave acknowledged points complete after each of them, with the next file torn or missing', async () => {
    const folder = temporaryFolder();
    const recording = await recorded(new Random(1), folder);
    const { effects } = recording.storage;
    let states = 0;
    for (let count = recording.start; count <= effects.length; count += orThorough(3, 1)) {
      const files = replayed(effects.slice(0, count));
      await expectRestores(recording, new MemoryStorage(files), count, folder);
      states += 1;
      const next = effects[count];
      if (next?.kind !== 'put') continue;
      for (const length of [0, next.bytes.length - 1]) {
        const torn = new Map(files).set(next.name, { bytes: next.bytes.subarray(0, length), created: 0 });
        await expectRestores(recording, new MemoryStorage(torn), count, folder);
        states += 1;
      }
    }
    removeFolder(folder);
    expect(states).toBeGreaterThan(orThorough(40, 100));
  });

  test('leave them complete in a folder, with unfinished files beside them', async () => {
    const folder = temporaryFolder();
    const recording = await recorded(new Random(2), folder);
    const { effects } = recording.storage;
    for (let count = recording.start; count < effects.length; count += orThorough(27, 9)) {
      const directory = join(folder, `folder-${count}`);
      for (const [name, { bytes }] of replayed(effects.slice(0, count))) write(join(directory, name), bytes);
      const next = effects[count]!;
      // What `put` leaves behind when the power fails: a temporary file of any length in the folder of the name.
      const content = next.kind === 'put' ? next.bytes.subarray(0, next.bytes.length >> 1) : Buffer.alloc(10);
      write(join(directory, dirname(next.name), '.tmp-0123456789abcdef'), content);
      await using storage = await FolderStorage.open(directory);
      await expectRestores(recording, storage, count, folder);
    }
    removeFolder(folder);
  });
});

/** A store that takes its time for packs, and remembers the order in which files are there. */
class SlowPacks extends MemoryStorage {
  readonly stored: string[] = [];

  override async put(name: string, parts: readonly Uint8Array[], signal?: AbortSignal): Promise<'created' | 'exists'> {
    if (name.startsWith('packs/')) await sleep(30);
    const outcome = await super.put(name, parts, signal);
    this.stored.push(name);
    return outcome;
  }
}

test('packs are there before the segment that names them, however long they take', async () => {
  const folder = temporaryFolder();
  const time = new WorldTime();
  const storage = new SlowPacks(new Map(), () => time.now);
  const keys = await createWorld(storage, time);
  storage.stored.length = 0;
  using device = new Device(keys, time, { name: 'one', storage, folder });
  await device.backup('set', [testChunk(300)]);
  const kinds = storage.stored.map((name) => name.split('/')[0]!);
  expect(kinds).toEqual(expect.arrayContaining(['packs', 'ledger']));
  expect(kinds.lastIndexOf('packs')).toBeLessThan(kinds.indexOf('ledger'));
  removeFolder(folder);
});

function write(path: string, bytes: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
}
