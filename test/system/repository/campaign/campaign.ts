import assert from 'node:assert/strict';
import { cpSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isHoldfastError } from '../../../../src/base/errors/errors.ts';
import { retentionPolicy, type RetentionRequest } from '../../../../src/protocol/retention.ts';
import { newWriterKey, type WriterKey } from '../../../../src/format/repository/writer-key.ts';
import { writeCheckpointIfDue } from '../../../../src/repository/ledger/checkpoint.ts';
import { performRetention } from '../../../../src/repository/retention/perform-retention.ts';
import { mendPacks } from '../../../../src/repository/repair/mend-packs.ts';
import { FolderStorage } from '../../../../src/storage/folder/folder-storage.ts';
import { BucketStorage } from '../../../../src/storage/s3/bucket-storage.ts';
import type { Storage } from '../../../../src/storage/storage.ts';
import type { BucketConfig } from '../../../../src/storage/bucket/bucket-config.ts';
import { MemoryStorage, type MemoryFiles } from '../../../helpers/storage/memory-storage.ts';
import { Random } from '../../../helpers/random.ts';
import { testChunk, type TestChunk } from '../../../unit/repository/fixture.ts';
import { listAsNewComputer } from '../list-as-new-computer.ts';
import { dumpOf } from '../../../unit/repository/projection/dump.ts';
import {
  createWorld,
  DAY,
  Device,
  removeFolder,
  temporaryFolder,
  WorldTime,
  type WorldKeys,
} from '../../../unit/repository/world.ts';
import { HARMLESS, HostileStorage, Killed, type Hostility } from './hostile-storage.ts';

export type CampaignStore = 'memory' | 'folder' | BucketConfig;

export interface CampaignOptions {
  readonly seed: number;
  /** Backups that are acknowledged before the campaign ends. */
  readonly runs: number;
  readonly computers?: number;
  /** The share of parity, in percent; none by default. Single blocks of all packs are then damaged in the end. */
  readonly parity?: number;
  /** A real folder or bucket instead of memory. Its clock is the system's: condemned packs are then never old enough. */
  readonly store?: CampaignStore;
}

export interface CampaignResult {
  readonly backups: number;
  readonly actions: number;
  readonly kills: number;
  readonly failures: number;
  readonly removed: number;
  readonly collections: number;
  readonly deletedPacks: number;
  readonly checkpoints: number;
  readonly clones: number;
  readonly newHomes: number;
  readonly retired: number;
  readonly lostProjections: number;
  readonly comparisons: number;
  readonly orphans: number;
  readonly mendedPacks: number;
  readonly damagedLedgers: number;
}

/** Files of the ledgers that are damaged in the end, one at a time. */
const DAMAGED_LEDGER_FILES = 8;

/** A restore point as the model has it. */
interface ModelPoint {
  readonly id: string;
  readonly device: string;
  readonly set: string;
  readonly chunks: readonly TestChunk[];
  /** `undefined` if the call that pinned or unpinned it failed. */
  isPinned: boolean | undefined;
}

interface Computer {
  name: string;
  writerKey: WriterKey;
  /** The id of the device that it backs up as. */
  device: string;
  readonly clockError: number;
  readonly storage: HostileStorage;
  open: Device | undefined;
  isBusy: boolean;
}

/** Many computers at one repository, compared with what they were told. */
class Campaign {
  readonly #random: Random;
  readonly #time = new WorldTime();
  readonly #files: MemoryFiles = new Map();
  readonly #folder = temporaryFolder();
  readonly #computers: Computer[] = [];
  /** Points that were acknowledged and not removed. */
  readonly #points = new Map<string, ModelPoint>();
  /** Points whose removal was acknowledged. */
  readonly #gone = new Set<string>();
  readonly #pool: TestChunk[] = [];
  readonly #count = {
    backups: 0,
    actions: 0,
    kills: 0,
    failures: 0,
    removed: 0,
    collections: 0,
    deletedPacks: 0,
    checkpoints: 0,
    clones: 0,
    newHomes: 0,
    retired: 0,
    lostProjections: 0,
    comparisons: 0,
    orphans: 0,
    mendedPacks: 0,
    damagedLedgers: 0,
  };
  readonly #place: CampaignStore;
  readonly #parity: number;
  #keys: WorldKeys | undefined;
  #names = 0;
  readonly #stores: Storage[] = [];

  constructor({ seed, store = 'memory', parity = 0 }: CampaignOptions) {
    this.#parity = parity;
    this.#random = new Random(seed);
    this.#place = store;
  }

  async run({ runs, computers = 10 }: CampaignOptions): Promise<CampaignResult> {
    const random = this.#random;
    if (this.#place === 'folder') await mkdir(join(this.#folder, 'store'));
    this.#keys = await createWorld(await this.#store(true), this.#time, this.#parity);
    for (let count = 0; count < computers; count += 1) await this.#addComputer();
    for (let step = 0; this.#count.backups < runs; step += 1) {
      assert(step < runs * 20, 'the computers make no progress');
      const acting = random.shuffled(this.#computers).slice(0, 1 + random.below(4));
      for (const computer of this.#computers) computer.isBusy = acting.includes(computer);
      await Promise.all(acting.map((computer) => this.#act(computer)));
      this.#time.now += random.below(random.chance(0.1) ? 10 * DAY : DAY / 2);
      if (step % 25 === 24) await this.#compare();
    }
    await this.#end();
    return { ...this.#count };
  }

  async dispose(): Promise<void> {
    for (const { open } of this.#computers) open?.[Symbol.dispose]();
    for (const store of this.#stores) await store[Symbol.asyncDispose]();
    removeFolder(this.#folder);
  }

  async #store(isNew = false): Promise<Storage> {
    if (this.#place === 'memory') return new MemoryStorage(this.#files, () => this.#time.now);
    const store =
      this.#place === 'folder'
        ? await FolderStorage.open(join(this.#folder, 'store'), { isNew })
        : new BucketStorage(this.#place);
    this.#stores.push(store);
    return store;
  }

  async #addComputer(): Promise<Computer> {
    const random = this.#random;
    const writerKey = newWriterKey();
    this.#names += 1;
    const computer: Computer = {
      name: `home-${this.#names}`,
      writerKey,
      device: writerKey.id,
      clockError: random.chance(0.3) ? Math.floor((random.next() - 0.5) * 10 * 365 * DAY) : 0,
      storage: new HostileStorage(await this.#store(), random, () => this.#time.now),
      open: undefined,
      isBusy: false,
    };
    this.#computers.push(computer);
    return computer;
  }

  #opened(computer: Computer): Device {
    const { name, writerKey, device, clockError, storage } = computer;
    const folder = this.#folder;
    computer.open ??= new Device(this.#keys!, this.#time, { name, writerKey, device, clockError, storage, folder });
    return computer.open;
  }

  #close(computer: Computer): void {
    computer.open?.[Symbol.dispose]();
    computer.open = undefined;
  }

  /** Lets a computer do something, which may fail or be interrupted. */
  async #act(computer: Computer): Promise<void> {
    const random = this.#random;
    const { storage } = computer;
    const hostility: Hostility = {
      killAfter: random.chance(0.2) ? random.below(14) : undefined,
      failing: random.chance(0.2) ? 0.05 : 0,
      stale: this.#place !== 'memory' || random.chance(0.9) ? 0 : 0.3,
    };
    storage.begin(hostility);
    this.#count.actions += 1;
    try {
      await this.#perform(computer, this.#opened(computer));
    } catch (error) {
      if (isHoldfastError(error, 'device_cloned')) await this.#replace(computer);
      else if (error instanceof Killed) this.#count.kills += 1;
      else if (isHoldfastError(error, 'service_unreachable')) this.#count.failures += 1;
      else if (!isHoldfastError(error, 'retention_refused')) throw error;
    } finally {
      if (storage.isDead) this.#close(computer);
      storage.begin(HARMLESS);
      if (random.chance(0.5)) await storage.settle();
    }
  }

  async #perform(computer: Computer, device: Device): Promise<void> {
    const random = this.#random;
    const action = random.below(100);
    if (action < 46) return await this.#backup(computer, device);
    if (action < 58) return await this.#remove(computer, device);
    if (action < 66) return await this.#pin(computer, device);
    if (action < 70) return await this.#applyPolicy(computer, device);
    if (action < 86) return await this.#collect(device);
    if (action < 90) return await this.#checkpoint(device);
    if (action < 94) return await this.#restore(device);
    if (action < 96) return this.#loseProjection(computer);
    if (action < 97) return this.#clone(computer);
    if (action < 98) return await this.#retire(device);
    return await this.#newHome(computer);
  }

  async #backup(computer: Computer, device: Device): Promise<void> {
    const random = this.#random;
    const set = random.pick(['documents', 'pictures']);
    const fresh = Array.from({ length: random.below(3) }, () => testChunk(200 + random.below(2_000)));
    this.#pool.push(...fresh);
    if (this.#pool.length > 60) this.#pool.splice(0, this.#pool.length - 60);
    const shared = Array.from({ length: 1 + random.below(4) }, () => this.#pool[random.below(this.#pool.length)]);
    const chunks = [...new Set([...fresh, ...shared.filter((chunk) => chunk !== undefined)])];
    if (chunks.length === 0) return;
    const id = await device.backup(set, chunks);
    assert(!this.#points.has(id));
    this.#points.set(id, { id, device: computer.device, set, chunks, isPinned: false });
    this.#count.backups += 1;
  }

  #ofDevice(device: string): readonly ModelPoint[] {
    return [...this.#points.values()].filter((point) => point.device === device);
  }

  async #remove(computer: Computer, device: Device): Promise<void> {
    const points = this.#ofDevice(computer.device);
    if (points.length === 0) return;
    const point = this.#random.pick(points);
    // Until the call returns it may or may not be removed.
    this.#points.delete(point.id);
    try {
      await this.#retain(device, { action: 'remove', ...requestOf(point) });
    } catch (error) {
      if (isHoldfastError(error, 'retention_refused')) this.#points.set(point.id, point);
      throw error;
    }
    assert(point.isPinned !== true, 'a pinned point was removed');
    this.#gone.add(point.id);
    this.#count.removed += 1;
  }

  async #pin(computer: Computer, device: Device): Promise<void> {
    const points = this.#ofDevice(computer.device);
    if (points.length === 0) return;
    const point = this.#random.pick(points);
    const isPinned = this.#random.chance(0.5);
    point.isPinned = undefined;
    await this.#retain(device, { action: isPinned ? 'pin' : 'unpin', ...requestOf(point) });
    point.isPinned = isPinned;
  }

  async #applyPolicy(computer: Computer, device: Device): Promise<void> {
    const points = this.#ofDevice(computer.device);
    if (points.length === 0) return;
    const { set } = this.#random.pick(points);
    const ofSet = points.filter((point) => point.set === set);
    const request = { device_id: computer.device, backup_set: set };
    const policy = retentionPolicy.parse({ keep_all_days: 1 + this.#random.below(10) });
    await this.#retain(device, { action: 'set', ...request, policy });
    for (const { id } of ofSet) this.#points.delete(id);
    await this.#retain(device, { action: 'apply', ...request });
    // Nobody else removes points of this device.
    for (const point of ofSet) {
      if (device.repository.projection.points.find(Buffer.from(point.id, 'hex'))) {
        this.#points.set(point.id, point);
      } else {
        assert(point.isPinned !== true, 'a policy removed a pinned point');
        this.#gone.add(point.id);
        this.#count.removed += 1;
      }
    }
  }

  async #retain(device: Device, request: RetentionRequest): Promise<void> {
    await performRetention(device.repository, device.collector, request);
  }

  async #collect(device: Device): Promise<void> {
    this.#count.collections += 1;
    const { deleted } = await device.collector.collect();
    this.#count.deletedPacks += deleted;
  }

  async #checkpoint(device: Device): Promise<void> {
    await device.repository.append(async () => {
      if (await writeCheckpointIfDue(device.repository.ledger, undefined, 6)) this.#count.checkpoints += 1;
      return [];
    });
  }

  async #restore(device: Device): Promise<void> {
    const points = [...this.#points.values()];
    if (points.length === 0) return;
    const point = this.#random.pick(points);
    const lost = await device.lostOf(point.chunks);
    if (this.#points.has(point.id)) assert.deepEqual(lost, [], `a restore of ${point.id} lacks chunks`);
  }

  #loseProjection(computer: Computer): void {
    this.#close(computer);
    const file = join(this.#folder, computer.name, this.#keys!.description.id, 'projection.sqlite');
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
    this.#count.lostProjections += 1;
  }

  /** Copies a home to another computer, with its keys. Both go on; who comes second notices. */
  #clone(computer: Computer): void {
    // The copy takes the place of another computer, so that their number stays.
    const idle = this.#computers.filter(({ isBusy }) => !isBusy);
    if (idle.length === 0) return;
    const other = this.#random.pick(idle);
    this.#close(other);
    this.#close(computer);
    this.#names += 1;
    const name = `home-${this.#names}`;
    cpSync(join(this.#folder, computer.name), join(this.#folder, name), { recursive: true });
    other.name = name;
    other.writerKey = computer.writerKey;
    other.device = computer.device;
    this.#count.clones += 1;
  }

  /** Says of a device that no computer is any more that it does not come back. */
  async #retire({ repository }: Device): Promise<void> {
    const used = new Set(this.#computers.map((computer) => computer.device));
    const device = repository.projection.ledgers.writers().find((writer) => !used.has(writer.device))?.device;
    if (device === undefined || device === '') return;
    await repository.append(() => [{ kind: 'retired', device }]);
    this.#count.retired += 1;
  }

  /** A computer that was refused becomes a new device, as its home's copy stays the old one. */
  async #replace(computer: Computer): Promise<void> {
    this.#close(computer);
    computer.writerKey = newWriterKey();
    computer.device = computer.writerKey.id;
  }

  /** A new computer continues the backups of a device whose disk broke. */
  async #newHome(computer: Computer): Promise<void> {
    this.#close(computer);
    if (this.#computers.some((other) => other !== computer && other.device === computer.device)) return;
    this.#names += 1;
    computer.name = `home-${this.#names}`;
    computer.writerKey = newWriterKey();
    this.#count.newHomes += 1;
  }

  /** A new computer finds every acknowledged point complete, none that was removed, and the pins as they were set. */
  async #compare(): Promise<void> {
    this.#count.comparisons += 1;
    for (const { storage } of this.#computers) await storage.settle();
    this.#names += 1;
    const options = { name: `reader-${this.#names}`, storage: await this.#store(), folder: this.#folder };
    using reader = new Device(this.#keys!, this.#time, options);
    await reader.repository.refresh();
    const { points, ledgers } = reader.repository.projection;
    assert.deepEqual(ledgers.damage(), []);
    for (const { id, chunks, isPinned, device, set } of this.#points.values()) {
      const found = points.find(Buffer.from(id, 'hex'));
      assert(found, `point ${id} is gone`);
      assert.deepEqual([found.device, found.set], [device, set]);
      if (isPinned !== undefined) assert.equal(found.isPinned, isPinned, `the pin of ${id}`);
      assert.deepEqual(await reader.lostOf(chunks), [], `point ${id} lost chunks`);
    }
    for (const id of this.#gone) assert(!points.find(Buffer.from(id, 'hex')), `the removed point ${id} is back`);
  }

  /** When all are quiet nobody is locked out, all have the same picture, and the garbage goes. */
  async #end(): Promise<void> {
    for (const computer of this.#computers) {
      await computer.storage.settle();
      computer.storage.begin(HARMLESS);
    }
    for (const computer of this.#computers) {
      try {
        await this.#backup(computer, this.#opened(computer));
      } catch (error) {
        if (!isHoldfastError(error, 'device_cloned')) throw error;
        await this.#replace(computer);
        await this.#backup(computer, this.#opened(computer));
      }
    }
    await this.#compare();
    for (let round = 0; round < (this.#place !== 'memory' ? 1 : 14); round += 1) {
      this.#time.now += 4 * DAY;
      for (const computer of this.#computers) {
        const result = await this.#opened(computer).collector.collect();
        assert.equal(result.stoppedBy, undefined);
        this.#count.deletedPacks += result.deleted;
      }
    }
    await this.#compare();
    const options = { name: 'last', storage: await this.#store(), folder: this.#folder };
    using last = new Device(this.#keys!, this.#time, options);
    await last.repository.refresh();
    const expected = dumpOf(last.repository.projection);
    for (const computer of this.#computers) {
      const { repository } = this.#opened(computer);
      await repository.refresh();
      assert.deepEqual(withoutOwn(dumpOf(repository.projection)), withoutOwn(expected), computer.name);
    }
    const { packs } = last.repository.projection;
    const known = new Set([...packs.stored()].map(({ hash }) => hash.toString('hex')));
    if (this.#place !== 'memory') return;
    assert.deepEqual(packs.condemned(), [], 'condemned packs are never deleted');
    for (const name of this.#files.keys()) {
      if (name.startsWith('packs/') && !known.delete(name.slice(9))) this.#count.orphans += 1;
    }
    assert.deepEqual([...known], [], 'packs that nobody deleted are missing');
    if (this.#parity > 0) await this.#damagePacks(last);
    await this.#damageLedgers();
  }

  /** After a file of the ledgers was altered or lost, a new computer finds every point or is told that it may not. */
  async #damageLedgers(): Promise<void> {
    const names = [...this.#files.keys()].filter((name) => /^(ledger|checkpoints)\//.test(name));
    for (const name of this.#random.shuffled(names).slice(0, DAMAGED_LEDGER_FILES)) {
      const file = this.#files.get(name)!;
      const files: MemoryFiles = new Map(this.#files);
      const isLost = this.#random.chance(0.5);
      if (isLost) files.delete(name);
      else files.set(name, { ...file, bytes: withFlippedByte(file.bytes, this.#random.below(file.bytes.length)) });
      this.#names += 1;
      const storage = new MemoryStorage(files, () => this.#time.now);
      const options = { name: `reader-${this.#names}`, storage, folder: this.#folder };
      using reader = new Device(this.#keys!, this.#time, options);
      const { points, doubt } = await listAsNewComputer(reader.repository);
      const unlisted = [...this.#points.keys()].filter((id) => !points.has(id));
      const what = `${name} ${isLost ? 'is lost' : 'was altered'}`;
      assert(unlisted.length === 0 || doubt, `${what}: ${unlisted.length} points are not listed, without a word`);
      this.#count.damagedLedgers += 1;
    }
  }

  /** Every pack has its parity, none is left of a deleted one, and a damaged block of each pack is made good. */
  async #damagePacks({ repository }: Device): Promise<void> {
    const packs = [...repository.projection.packs.stored()].map(({ hash }) => hash.toString('hex'));
    const parity = await repository.parity.list();
    for (const pack of packs) {
      assert.equal(parity.get(pack)?.length, 1, `pack ${pack} has no parity`);
      const name = `packs/${pack.slice(0, 2)}/${pack}`;
      const file = this.#files.get(name)!;
      const bytes = Uint8Array.from(file.bytes);
      const at = this.#random.below(Math.ceil(bytes.length / 512)) * 512;
      bytes.fill(0, at, at + 512);
      this.#files.set(name, { ...file, bytes });
    }
    for (const pack of parity.keys()) {
      assert(!repository.projection.packs.isDeleted(Buffer.from(pack, 'hex')), `parity of the deleted pack ${pack}`);
    }
    const whole = await mendPacks(repository, packs);
    assert.deepEqual([...whole.keys()], packs, 'packs were not mended');
    this.#count.mendedPacks += packs.length;
    await this.#compare();
  }
}

function withFlippedByte(bytes: Uint8Array, at: number): Uint8Array {
  const altered = Uint8Array.from(bytes);
  altered[at]! ^= 1;
  return altered;
}

/** Packs that no segment names are known to their computer alone. */
function withoutOwn(dump: Record<string, readonly string[]>): Record<string, readonly string[]> {
  const own = (dump['pack'] ?? [])
    .filter((row) => row.includes(' writer=null '))
    .map((row) => /hash=([0-9a-f]+)/.exec(row)![1]!);
  return {
    ...dump,
    pack: dump['pack']!.filter((row) => !row.includes(' writer=null ')),
    chunk: dump['chunk']!.filter((row) => !own.some((hash) => row.includes(hash))),
  };
}

function requestOf({ device, set, id }: ModelPoint) {
  return { device_id: device, backup_set: set, backup_id: id };
}

/** @throws AssertionError with the seed in its message */
export async function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  const campaign = new Campaign(options);
  try {
    return await campaign.run(options);
  } catch (cause) {
    throw new Error(`the campaign with seed ${options.seed} failed: ${String(cause)}`, { cause });
  } finally {
    await campaign.dispose();
  }
}
