import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openDestinationStorage } from '../../../src/agent/destination/store/open-destination-storage.ts';
import { openRepositoryAccess } from '../../../src/agent/destination/store/repository-access.ts';
import type { ServiceAccess } from '../../../src/agent/destination/service-access.ts';
import { homeAt } from '../../../src/agent/home/home.ts';
import { FULL_EVERY_MS, FULL_EVERY_RUNS } from '../../../src/archive/backup/manifest/incremental-base.ts';
import type { BackupReport, BackupRequest } from '../../../src/archive/backup/types.ts';
import { Catalog } from '../../../src/catalog/catalog.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { createEnvelope } from '../../../src/format/crypto/key-envelope.ts';
import { deriveKeys } from '../../../src/format/crypto/keys.ts';
import { openTree, readPieces } from '../../../src/read/source/tree.ts';
import { findRestorePoint } from '../../../src/read/source/restore-point.ts';
import { verifyRestorePoint } from '../../../src/restore/verify/verify.ts';
import type { ServiceClient } from '../../../src/remote/ports.ts';
import type { TreeRecord } from '../../../src/format/tree/record.ts';
import { WorkerPool } from '../../../src/workers/pool.ts';
import { TREE_PATH } from '../../../src/protocol/path.ts';
import type { DeltaEntry } from '../../../src/protocol/extensions.ts';
import { createRepository } from '../../../src/repository/create-repository.ts';
import { newWriterKey } from '../../../src/format/repository/writer-key.ts';
import { DESTINATION } from '../../helpers/catalog.ts';
import { backUpTo } from '../../helpers/backup.ts';
import { orThorough } from '../../helpers/thorough.ts';

const MASTER = Buffer.alloc(32, 7);
const ENVELOPE = await createEnvelope(MASTER);
const KEYS = deriveKeys(MASTER);

let pool: WorkerPool;
beforeAll(() => {
  pool = new WorkerPool(1);
});
afterAll(() => pool.close());

/** The moment at which a run is interrupted: before complete, or after it, when only the response is lost. */
type Break = 'before-complete' | 'after-complete' | undefined;

/** A folder and the repository that it is backed up to. */
class World {
  readonly folder: string;
  readonly source: string;
  readonly catalog: Catalog;
  /** The manifests that were sent as differences, each with its elements. */
  readonly deltas: DeltaEntry[][] = [];
  /** True if the service has lost the tree pieces that the next differences refer to. */
  hasLostPieces = false;
  readonly #deviceId: string;
  readonly #access: ServiceAccess;
  #others = 0;
  time = systemClock.now();

  private constructor(folder: string, access: ServiceAccess, deviceId: string) {
    this.folder = folder;
    this.source = join(folder, 'source');
    this.catalog = new Catalog(join(folder, 'catalog.sqlite'));
    this.#access = access;
    this.#deviceId = deviceId;
    mkdirSync(this.source);
    mkdirSync(join(this.folder, 'scratch'));
  }

  static async open(store: string): Promise<World> {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-delta-'));
    const destination = { kind: 'folder', directory: store } as const;
    const storage = await openDestinationStorage(destination, {}, { clock: systemClock, isNew: true });
    await createRepository(storage, { masterKey: MASTER, keyEnvelope: ENVELOPE, clock: systemClock });
    const { id: deviceId, text: writerKey } = newWriterKey();
    const access = await openRepositoryAccess({
      home: homeAt(join(folder, 'home')),
      storage,
      secrets: { masterKey: MASTER, keyEnvelope: ENVELOPE },
      onAdopted: () => Promise.resolve(),
      writerKey,
      deviceId,
      deviceName: 'laptop',
      clock: systemClock,
    });
    return new World(folder, access, deviceId);
  }

  async close(): Promise<void> {
    this.catalog.close();
    await this.#access[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }

  write(name: string, content: string): void {
    const path = join(this.source, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }

  backup(changes: Partial<BackupRequest['set']> = {}, at?: Break, catalog = this.catalog): Promise<BackupReport> {
    const set = {
      name: 'delta',
      roots: [this.source],
      excludes: [],
      presets: [],
      oneFileSystem: false,
      privateNames: false,
      ...changes,
    };
    const dependencies = {
      ...this.#dependencies(catalog),
      service: this.#watched(at),
      uploader: this.#access.uploader,
      clock: { ...systemClock, now: () => this.time },
      previousTree: () => Promise.resolve(undefined),
    };
    const request = { set, deviceId: this.#deviceId, keyEnvelope: ENVELOPE, allowEmpty: true };
    return backUpTo(request, dependencies);
  }

  /** Backs up from a computer without a catalog. */
  async backupAnew(changes: Partial<BackupRequest['set']>): Promise<string> {
    this.#others += 1;
    const name = `whole ${this.#others}`;
    using catalog = new Catalog(join(this.folder, `${name}.sqlite`));
    await this.backup({ ...changes, name }, undefined, catalog);
    return name;
  }

  /** Returns everything that a restore of the newest restore point uses. */
  async restored(name: string) {
    const source = { deviceId: this.#deviceId, backupSet: name, at: 'latest' as const };
    const dependencies = this.#dependencies(this.catalog);
    const { service } = dependencies;
    const point = await findRestorePoint(source, dependencies);
    const tree = await openTree(source, point, dependencies);
    const { pieces } = tree.footer;
    const records: TreeRecord[] = [];
    for await (const outcome of readPieces(tree, pieces.keys(), dependencies)) {
      if (outcome.error) throw outcome.error;
      records.push(...outcome.records);
    }
    const verified = await verifyRestorePoint({ source, samplePercent: 100 }, dependencies);
    const { files, bytes } = (await service.restorePoints(this.#deviceId, name))![0]!;
    return {
      records,
      pieces,
      point: { files, bytes },
      failures: verified.failures,
    };
  }

  #dependencies(catalog: Catalog) {
    const { service, downloader } = this.#access;
    return {
      service,
      downloader,
      catalog: catalog.at(DESTINATION),
      pool,
      keys: KEYS,
      clock: systemClock,
      scratch: join(this.folder, 'scratch'),
    };
  }

  #watched(at: Break): ServiceClient {
    const plain = this.#access.service;
    const { deltas } = this;
    const init: ServiceClient['backupInit'] = async (request, onNeeded, ...more) => {
      const rest = [onNeeded, ...more] as const;
      if (!request.delta) return plain.backupInit(request, ...rest);
      const { base, changes } = request.delta;
      const seen: DeltaEntry[] = [];
      deltas.push(seen);
      async function* watched(): AsyncGenerator<readonly DeltaEntry[]> {
        for await (const batch of changes()) {
          seen.push(...batch);
          yield batch;
        }
      }
      const head = await plain.backupInit({ ...request, delta: { base, changes: watched } }, ...rest);
      if (this.hasLostPieces) onNeeded(seen.flatMap((entry) => (entry.path === TREE_PATH ? chunksOf(entry) : [])));
      return head;
    };
    const complete: ServiceClient['backupComplete'] = async (...call) => {
      if (at === 'before-complete') throw new Error('broken off');
      const run = await plain.backupComplete(...call);
      if (at === 'after-complete') throw new Error('broken off');
      return run;
    };
    return new Proxy(plain, {
      get: (target, name) => {
        if (name === 'backupInit') return init;
        if (name === 'backupComplete') return complete;
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
      },
    });
  }
}

const chunksOf = (entry: DeltaEntry) => ('chunks' in entry ? entry.chunks : []);

let store: string;
beforeEach(() => {
  store = mkdtempSync(join(tmpdir(), 'holdfast-store-'));
});
afterEach(() => {
  rmSync(store, { recursive: true, force: true });
});

/** The next run reads a file again that was written within the last tick of the file system's clock. */
async function untilTimesAreReliable(path: string): Promise<void> {
  while (Date.now() - statSync(path).ctimeMs < 50) await nextTick();
}

const name = fc.constantFrom('a', 'b', 'a.b', 'a!', 'é', '\u0001');
const place = fc.array(name, { minLength: 1, maxLength: 3 }).map((segments) => segments.join('/'));
const edit = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), place, content: fc.string({ maxLength: 4 }) }),
  fc.record({ kind: fc.constant('write' as const), place, content: fc.string({ maxLength: 4 }) }),
  fc.record({ kind: fc.constant('link' as const), place }),
  fc.record({ kind: fc.constant('mode' as const), place }),
  fc.record({ kind: fc.constant('remove' as const), place }),
  fc.record({ kind: fc.constant('move' as const), place, to: place }),
);

type Edit = typeof edit extends fc.Arbitrary<infer Value> ? Value : never;

/** Applies the change if the folder permits it. */
function apply(source: string, change: Edit): void {
  const path = join(source, change.place);
  try {
    if (change.kind === 'mode') chmodSync(path, lstatSync(path).isDirectory() ? 0o700 : 0o600);
    else if (change.kind === 'move') renameSync(path, join(source, change.to));
    else {
      rmSync(path, { recursive: true, force: true });
      if (change.kind === 'remove') return;
      mkdirSync(dirname(path), { recursive: true });
      if (change.kind === 'link') symlinkSync('nowhere', path);
      else writeFileSync(path, change.content);
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
  }
}

describe('a run that uploads only its differences', () => {
  test.each([false, true])(
    'restores as one that sends everything (private names: %s)',
    { timeout: 240_000 },
    (isPrivate) =>
      fc.assert(
        fc.asyncProperty(
          fc.array(
            fc.record({
              edits: fc.array(edit, { maxLength: 6 }),
              at: fc.constantFrom<Break>(undefined, undefined, undefined, 'before-complete', 'after-complete'),
            }),
            { minLength: 1, maxLength: 5 },
          ),
          async (runs) => {
            const world = await World.open(mkdtempSync(join(store, 'store-')));
            try {
              const set = { privateNames: isPrivate };
              await world.backup(set);
              for (const { edits, at } of [...runs, { edits: [], at: undefined }]) {
                for (const change of edits) apply(world.source, change);
                const run = world.backup(set, at);
                if (at) await expect(run).rejects.toThrow('broken off');
                else await run;
                if (at) continue;
                const [delta, whole] = [
                  await world.restored('delta'),
                  await world.restored(await world.backupAnew(set)),
                ];
                expect(delta.failures).toEqual([]);
                expect(delta).toEqual(whole);
              }
            } finally {
              await world.close();
            }
          },
        ),
        { numRuns: orThorough(5, 12) },
      ),
  );

  test('lists only the changes', async () => {
    const world = await World.open(store);
    for (const file of ['keep/a', 'keep/b', 'drop/a', 'drop/b', 'turn/a']) world.write(file, file);
    await untilTimesAreReliable(join(world.source, 'turn/a'));
    await world.backup();
    expect(world.deltas).toEqual([]);
    await world.backup();
    world.write('keep/b', 'changed');
    world.write('new', 'new');
    for (const gone of ['drop', 'turn']) rmSync(join(world.source, gone), { recursive: true });
    world.write('turn', 'a file now');
    await world.backup();
    const told = world.deltas.map((elements) =>
      elements.map((element) => `${'removed' in element ? '-' : '+'}${element.path.replace(world.source, '')}`),
    );
    const own = ['+/.holdfast/keys', '+/.holdfast/tree'];
    expect(told).toEqual([own, [...own, '-/drop', '+/keep/b', '+/new', '-/turn', '+/turn']]);
    await world.close();
  });

  test('sends everything when the newest run at the service is not the one in the catalog', async () => {
    const world = await World.open(store);
    world.write('a', 'a');
    await world.backup();
    await expect(world.backup({}, 'after-complete')).rejects.toThrow('broken off');
    world.write('b', 'b');
    await world.backup();
    // The differences were sent and refused.
    expect(world.deltas).toHaveLength(2);
    const { records, point } = await world.restored('delta');
    expect(records.filter(({ type }) => type === 'file')).toHaveLength(2);
    expect(point.files).toBe(2);
    await world.backup();
    expect(world.deltas).toHaveLength(3);
    await world.close();
  });

  test('rebuilds the tree and sends everything when the service lacks chunks of the previous run', async () => {
    const world = await World.open(store);
    world.write('a', 'a');
    await world.backup();
    await untilTimesAreReliable(join(world.source, 'a'));
    // Nothing is dirty any more, and the whole tree is reused.
    await world.backup();
    world.hasLostPieces = true;
    const report = await world.backup();
    expect(report.filesProcessed).toBe(1);
    expect(world.deltas).toHaveLength(2);
    const whole = await world.restored(await world.backupAnew({}));
    expect(await world.restored('delta')).toEqual(whole);
    await world.close();
  });

  test('sends everything when private names are switched on', async () => {
    const world = await World.open(store);
    world.write('a', 'a');
    await world.backup();
    await world.backup({ privateNames: true });
    expect(world.deltas).toEqual([]);
    expect((await world.restored('delta')).failures).toEqual([]);
    await world.close();
  });

  test('sends everything again after some days and after some runs', { timeout: 120_000 }, async () => {
    const world = await World.open(store);
    await world.backup();
    world.time += FULL_EVERY_MS - 1;
    await world.backup();
    expect(world.deltas).toHaveLength(1);
    world.time += 1;
    await world.backup();
    expect(world.deltas).toHaveLength(1);
    for (let run = 1; run < FULL_EVERY_RUNS; run += 1) await world.backup();
    expect(world.deltas).toHaveLength(FULL_EVERY_RUNS);
    await world.backup();
    expect(world.deltas).toHaveLength(FULL_EVERY_RUNS);
    await world.backup();
    expect(world.deltas).toHaveLength(FULL_EVERY_RUNS + 1);
    await world.close();
  });
});
