import { isHoldfastError } from '../../../../src/base/errors/errors.ts';
import { METADATA_COPIES } from '../../../../src/format/repository/pack-file.ts';
import type { ByteRange, Storage, StoredFile } from '../../../../src/storage/storage.ts';
import { MemoryStorage, type MemoryFiles } from '../../../helpers/storage/memory-storage.ts';
import { treeOf, type TestChunk } from '../../../unit/repository/fixture.ts';
import { standingBlobs } from '../../../unit/repository/standing.ts';
import {
  chunksOf,
  copyOfFolder,
  createWorld,
  DAY,
  Device,
  removeFolder,
  temporaryFolder,
  WorldTime,
  type WorldKeys,
} from '../../../unit/repository/world.ts';
import type { Scheduler } from './explore.ts';

/** A store whose calls wait for their turns: those whose order with calls of others matters. */
class SteppedStorage implements Storage {
  readonly address = 'memory:';
  readonly concurrency = 4;
  readonly #inner: MemoryStorage;
  readonly #gate: Scheduler['gate'];
  readonly #device: number;

  constructor(inner: MemoryStorage, scheduler: Scheduler, device: number) {
    this.#inner = inner;
    this.#gate = (...call) => scheduler.gate(...call);
    this.#device = device;
  }

  async *list(prefix: string): AsyncGenerator<readonly StoredFile[]> {
    await this.#gate(this.#device, { kind: 'list', name: prefix });
    const batches: (readonly StoredFile[])[] = [];
    for await (const batch of this.#inner.list(prefix)) batches.push(batch);
    yield* batches;
  }

  async get(name: string, range?: ByteRange): Promise<Uint8Array | undefined> {
    if (name.startsWith('packs/')) await this.#gate(this.#device, { kind: 'get', name });
    return await this.#inner.get(name, range);
  }

  async put(name: string, parts: readonly Uint8Array[]): Promise<'created' | 'exists'> {
    // Nobody reads a pack before a segment names it.
    if (!name.startsWith('packs/')) await this.#gate(this.#device, { kind: 'put', name });
    return await this.#inner.put(name, parts);
  }

  async delete(name: string): Promise<void> {
    await this.#gate(this.#device, { kind: 'delete', name });
    await this.#inner.delete(name);
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

/** The devices of one run, and what they were told. */
export class Cast {
  readonly devices: readonly Device[];
  readonly time: WorldTime;
  /** Restore points that were acknowledged and not removed. */
  readonly points: Map<string, readonly TestChunk[]>;
  readonly #scheduler: Scheduler;

  constructor(devices: readonly Device[], time: WorldTime, points: Cast['points'], scheduler: Scheduler) {
    this.devices = devices;
    this.time = time;
    this.points = points;
    this.#scheduler = scheduler;
  }

  async backup(device: number, chunks: readonly TestChunk[]): Promise<void> {
    this.points.set(await this.devices[device]!.backup(`set-${device}`, chunks), chunks);
  }

  async remove(device: number, point: string): Promise<void> {
    this.points.delete(point);
    await this.devices[device]!.remove(point);
  }

  async collect(device: number): Promise<void> {
    await this.devices[device]!.collector.collect();
  }

  /** Frees space, and waives the days. */
  async free(device: number): Promise<void> {
    await this.devices[device]!.collector.freeSpace.free({ waivesDays: true, pauseMs: 0 });
  }

  /** Sleeps. */
  async advance(device: number, days: number): Promise<void> {
    await this.#scheduler.gate(device, { kind: 'advance', name: '' });
    this.time.now += days * DAY;
  }
}

export interface Scenario {
  readonly name: string;
  /** Prepares the repository. Device 3 is nobody's: it removes and looks. */
  readonly prepare: (cast: Cast, chunks: readonly TestChunk[]) => Promise<void>;
  /** Done by each run before its interleaving: what does not survive a process. The first action is that of device 0, and so on. */
  readonly begin?: (cast: Cast, chunks: readonly TestChunk[]) => Promise<readonly (() => Promise<void>)[]>;
  readonly actions?: (cast: Cast, chunks: readonly TestChunk[]) => readonly (() => Promise<void>)[];
}

const OBSERVER = 3;

async function firstPoint(cast: Cast): Promise<string> {
  const [point] = cast.points.keys();
  return point!;
}

/** Device 3 has a point with chunks 0 and 1, and removes it: its pack is garbage that a new run would lean on. */
async function leaveGarbage(cast: Cast, chunks: readonly TestChunk[]): Promise<void> {
  for (const device of [0, 1, 2]) await cast.backup(device, chunks.slice(6 + device, 7 + device));
  await cast.backup(OBSERVER, chunks.slice(0, 2));
  for (const device of [0, 1, 2]) await cast.devices[device]!.repository.refresh();
  const points = [...cast.points.keys()];
  await cast.remove(OBSERVER, points.at(-1)!);
}

/** Device 0 is the only one that ever wrote. It has a point with chunks 0 and 1 and one with 2 and 3, and removes the first. */
async function leaveGarbageAlone(cast: Cast, chunks: readonly TestChunk[]): Promise<void> {
  await cast.backup(0, chunks.slice(0, 2));
  const [garbage] = cast.points.keys();
  await cast.backup(0, chunks.slice(2, 4));
  for (const device of [1, 2]) await cast.devices[device]!.repository.refresh();
  await cast.remove(0, garbage!);
}

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'a backup leans on garbage that is being condemned',
    prepare: leaveGarbage,
    actions: (cast, [x, , y]) => [() => cast.backup(0, [x!, y!]), () => cast.collect(1)],
  },
  {
    name: 'two collectors condemn what a backup leans on',
    prepare: leaveGarbage,
    actions: (cast, [x, , y]) => [() => cast.backup(0, [x!, y!]), () => cast.collect(1), () => cast.collect(2)],
  },
  {
    name: 'two collectors condemn both copies of the tree that a backup leans on',
    prepare: leaveGarbage,
    actions: (cast, [x, y]) => [() => cast.backup(0, [x!, y!]), () => cast.collect(1), () => cast.collect(2)],
  },
  {
    name: 'two backups store a tree once more of which they found a copy damaged, while a collector condemns both',
    prepare: async (cast, chunks) => {
      await leaveGarbage(cast, chunks);
      const { digest } = treeOf(chunks.slice(0, 2));
      for (const { repository } of cast.devices.slice(0, 2)) {
        const { packs } = repository.projection;
        packs.markBlobDamaged(digest, packs.locate(digest)[0]!.pack);
      }
    },
    actions: (cast, [x, y]) => [() => cast.backup(0, [x!, y!]), () => cast.backup(1, [x!, y!]), () => cast.collect(2)],
  },
  {
    name: 'two backups lean on what a collector condemns',
    prepare: leaveGarbage,
    actions: (cast, [x, , y, z]) => [
      () => cast.backup(0, [x!, y!]),
      () => cast.collect(1),
      () => cast.backup(2, [x!, z!]),
    ],
  },
  {
    name: 'a point goes, its chunks are condemned, and another run needs them',
    prepare: async (cast, chunks) => {
      await cast.backup(OBSERVER, chunks.slice(0, 2));
      for (const device of [0, 1, 2]) await cast.devices[device]!.repository.refresh();
    },
    actions: (cast, [x, , y]) => [
      () => cast.backup(0, [x!, y!]),
      async () => cast.remove(1, await firstPoint(cast)),
      () => cast.collect(2),
    ],
  },
  {
    name: 'a run stalls for a month while what it leans on is condemned and deleted',
    prepare: leaveGarbage,
    begin: async (cast, [x, , y]) => {
      const complete = await begunRun(cast, [x!, y!]);
      return [
        complete,
        async () => {
          await cast.collect(1);
          await cast.advance(1, 31);
          await cast.devices[1]!.repository.append(() => []);
          await cast.collect(1);
        },
      ];
    },
  },
  {
    name: 'a run that began before a condemnation completes while two collectors delete, a month later',
    prepare: leaveGarbage,
    begin: async (cast, [x, , y]) => {
      const complete = await begunRun(cast, [x!, y!]);
      await cast.devices[1]!.collector.collect();
      await later(cast, [1, 2]);
      return [complete, () => cast.collect(1), () => cast.collect(2)];
    },
  },
  {
    name: 'a restore reads while its pack is replaced and deleted',
    prepare: async (cast, chunks) => {
      await cast.backup(OBSERVER, chunks.slice(0, 6));
      await cast.backup(0, chunks.slice(0, 1));
      const points = [...cast.points.keys()];
      await cast.remove(OBSERVER, points[0]!);
      await cast.devices[1]!.repository.refresh();
      await cast.devices[0]!.repository.refresh();
      await cast.devices[2]!.collector.collect();
      await later(cast, [1, 2, OBSERVER]);
    },
    actions: (cast, [x]) => [
      async () => {
        const lost = await cast.devices[0]!.lostOf([x!]);
        if (lost.length > 0) throw new Error(`the restore lacks ${lost.length} chunks`);
      },
      () => cast.collect(1),
      () => cast.collect(2),
    ],
  },
  {
    name: 'a backup sleeps for a month between two calls while garbage is condemned and deleted',
    prepare: leaveGarbage,
    actions: (cast, [x, , y]) => [
      () => cast.backup(0, [x!, y!]),
      () => cast.collect(1),
      async () => {
        await cast.advance(2, 31);
        await cast.collect(2);
        await cast.collect(2);
      },
    ],
  },
  {
    name: 'space is freed at once while a computer that never wrote makes its first backup',
    prepare: leaveGarbageAlone,
    actions: (cast, [x, , y, , z]) => [() => cast.free(0), () => cast.backup(1, [x!, y!, z!])],
  },
  {
    name: 'space is freed at once while two computers that never wrote make their first backups',
    prepare: leaveGarbageAlone,
    actions: (cast, [x, w, y, , z]) => [
      () => cast.free(0),
      () => cast.backup(1, [x!, z!]),
      () => cast.backup(2, [w!, x!, y!]),
    ],
  },
  {
    name: 'space is freed at once, twice, while the first run of another computer stalls that leans on it',
    prepare: leaveGarbageAlone,
    begin: async (cast, [x, , y]) => {
      const complete = await begunRun(cast, [x!, y!], 1);
      return [
        async () => {
          await cast.free(0);
          await cast.free(0);
        },
        complete,
      ];
    },
  },
  {
    name: 'a point goes and its space is freed at once, while a first run leans on it and its computer collects',
    prepare: async (cast, chunks) => {
      await cast.backup(0, chunks.slice(0, 2));
      await cast.backup(0, chunks.slice(1, 4));
      for (const device of [1, 2]) await cast.devices[device]!.repository.refresh();
    },
    actions: (cast, [x, , , , z]) => [
      async () => {
        await cast.remove(0, await firstPoint(cast));
        await cast.free(0);
      },
      async () => {
        await cast.backup(1, [x!, z!]);
        await cast.collect(1);
      },
    ],
  },
  {
    name: 'a computer that never wrote restores while packs are rewritten and freed at once',
    prepare: async (cast, chunks) => {
      await cast.backup(0, chunks.slice(0, 6));
      await cast.backup(0, chunks.slice(0, 1));
      for (const device of [1, 2]) await cast.devices[device]!.repository.refresh();
      await cast.remove(0, await firstPoint(cast));
    },
    actions: (cast, [x]) => [
      () => cast.free(0),
      async () => {
        const lost = await cast.devices[1]!.lostOf([x!]);
        if (lost.length > 0) throw new Error(`the restore lacks ${lost.length} chunks`);
      },
    ],
  },
];

/** Begins a run and uploads its chunks. Returns what completes it, or backs up again if it is refused. */
async function begunRun(cast: Cast, chunks: readonly TestChunk[], device = 0): Promise<() => Promise<void>> {
  const { computer } = cast.devices[device]!;
  const set = `set-${device}`;
  const { sessionId, needed, all } = await computer.begin(set, chunks);
  await computer.upload(
    sessionId,
    all.filter(({ hash }) => needed.has(hash)),
  );
  return async () => {
    let id: string;
    try {
      id = (await computer.complete(sessionId, chunks)).backup_id;
    } catch (error) {
      if (!isHoldfastError(error, 'chunk_missing')) throw error;
      id = await cast.devices[device]!.backup(set, chunks);
    }
    cast.points.set(id, chunks);
  };
}

/** A month later these devices have said that they are there. */
async function later(cast: Cast, devices: readonly number[]): Promise<void> {
  cast.time.now += 31 * DAY;
  for (const device of devices) await cast.devices[device]!.repository.append(() => []);
}

/** Prepares a scenario once. Returns what starts a run of it, and what removes the preparation. */
export async function prepared({ prepare, begin, actions }: Scenario) {
  const folder = temporaryFolder();
  /** The homes of runs that ended without a check. */
  const unchecked = new Set<string>();
  const files: MemoryFiles = new Map();
  const chunks = chunksOf(10);
  const time = new WorldTime();
  const keys = await createWorld(new MemoryStorage(files, () => time.now), time);
  const names = ['a', 'b', 'c', 'observer'];
  let writers: readonly Device['writerKey'][];
  const points = new Map<string, readonly TestChunk[]>();
  {
    const devices = names.map(
      (name) => new Device(keys, time, { name, storage: new MemoryStorage(files, () => time.now), folder }),
    );
    writers = devices.map(({ writerKey }) => writerKey);
    await prepare(new Cast(devices, time, points, undefined as never), chunks);
    for (const device of devices) device[Symbol.dispose]();
  }
  return {
    start: (scheduler: Scheduler) => start(scheduler),
    dispose: () => {
      for (const homes of [folder, ...unchecked]) removeFolder(homes);
    },
  };

  async function start(scheduler: Scheduler) {
    const own: MemoryFiles = new Map(files);
    const ownTime = new WorldTime();
    ownTime.now = time.now;
    const homes = copyOfFolder(folder);
    unchecked.add(homes);
    let isStepped = false;
    const gated = {
      gate: (...call: Parameters<Scheduler['gate']>) => (isStepped ? scheduler.gate(...call) : Promise.resolve()),
    };
    const devices = names.map((name, index) => {
      const storage = new SteppedStorage(new MemoryStorage(own, () => ownTime.now), gated as Scheduler, index);
      return new Device(keys, ownTime, { name, writerKey: writers[index]!, storage, folder: homes });
    });
    const cast = new Cast(devices, ownTime, new Map(points), scheduler);
    const begun = (await begin?.(cast, chunks)) ?? actions!(cast, chunks);
    isStepped = true;
    return {
      actions: begun,
      check: async () => {
        isStepped = false;
        try {
          await checkEnd(cast, own, keys, homes);
        } finally {
          for (const device of devices) device[Symbol.dispose]();
          removeFolder(homes);
          unchecked.delete(homes);
        }
      },
    };
  }
}

/** Throws unless every acknowledged point restores, now and when the garbage is gone, and unless it goes. */
async function checkEnd(cast: Cast, files: MemoryFiles, keys: WorldKeys, folder: string): Promise<void> {
  const { time, points } = cast;
  const storage = new MemoryStorage(files, () => time.now);
  await checkPoints(cast.devices[OBSERVER]!);
  for (let round = 0; round < 4; round += 1) {
    time.now += 4 * DAY;
    for (const device of cast.devices) await device.collector.collect();
  }
  using fresh = new Device(keys, time, { name: 'fresh', storage, folder });
  await fresh.repository.refresh();
  await checkPoints(fresh);
  const { packs, ledgers } = fresh.repository.projection;
  const stored = [...files.keys()].filter((name) => name.startsWith('packs/'));
  const known = [...packs.stored()];
  if (packs.condemned().length > 0) throw new Error(`${packs.condemned().length} condemned packs are never deleted`);
  if (stored.length !== known.length) throw new Error(`${stored.length} packs are stored, ${known.length} known`);
  const standing = await standingBlobs(fresh.repository);
  for (const [id, chunks] of points) {
    const trees = standing.get(treeOf(chunks).digest.toString('hex'))?.packs.length ?? 0;
    if (trees < METADATA_COPIES) throw new Error(`the tree of point ${id} stands in ${trees} packs`);
  }
  if (ledgers.damage().length > 0) throw new Error(`damage: ${JSON.stringify(ledgers.damage())}`);

  async function checkPoints(device: Device): Promise<void> {
    for (const [id, chunks] of points) {
      const lost = await device.lostOf(chunks);
      if (lost.length > 0) throw new Error(`point ${id} lost ${lost.length} chunks`);
      if (!device.repository.projection.points.find(Buffer.from(id, 'hex'))) throw new Error(`point ${id} is gone`);
    }
  }
}
