import assert from 'node:assert/strict';
import { isHoldfastError } from '../../../../src/base/errors/errors.ts';
import { newWriterKey } from '../../../../src/format/repository/writer-key.ts';
import { performRetention } from '../../../../src/repository/retention/perform-retention.ts';
import type { MemoryFiles } from '../../../helpers/storage/memory-storage.ts';
import { SmallStorage, usedBytes, type Quota } from '../../../helpers/storage/small-storage.ts';
import { Random } from '../../../helpers/random.ts';
import { testChunk, treeOf, type TestChunk } from '../fixture.ts';
import {
  createWorld,
  DAY,
  Device,
  removeFolder,
  temporaryFolder,
  WorldTime,
  type DeviceOptions,
  type WorldKeys,
} from '../world.ts';

const MEGABYTE = 1024 * 1024;
/** Bytes of facts, headers and padding, by which a promise may miss what is freed. */
const TOLERANCE = 20_000;
const SETS = ['documents', 'pictures'];

/** The program is gone. */
class Killed extends Error {
  override readonly name = 'Killed';
}

/** A store that a computer loses in the middle of a step, as if it was killed. */
class MortalStorage extends SmallStorage {
  #left = Infinity;

  /** @param changes that still take effect */
  dieAfter(changes: number): void {
    this.#left = changes;
  }

  override async put(name: string, parts: readonly Uint8Array[], signal?: AbortSignal): Promise<'created' | 'exists'> {
    this.#change();
    return await super.put(name, parts, signal);
  }

  override async delete(name: string, signal?: AbortSignal): Promise<void> {
    this.#change();
    await super.delete(name, signal);
  }

  #change(): void {
    if (this.#left === 0) throw new Killed();
    this.#left -= 1;
  }
}

interface ModelPoint {
  readonly id: string;
  readonly set: string;
  readonly chunks: readonly TestChunk[];
}

interface Computer extends Pick<DeviceOptions, 'name' | 'writerKey' | 'clockError'> {
  readonly storage: MortalStorage;
  open: Device | undefined;
  /** Points that were acknowledged, and whose removal nobody asked for. */
  readonly points: Map<string, ModelPoint>;
}

/** How often each kind of step was taken to its end. */
export type HistoryCounts = Record<
  'backups' | 'removals' | 'collections' | 'freed' | 'promises' | 'kills' | 'full' | 'bytes',
  number
>;

/**
 * One or two computers back up, remove, collect and free in a random order; steps are killed, and the store is full now and then. After each
 * step every listed restore point reads completely on each computer, and what a plan promised is what was freed.
 *
 * @throws Error with the seed and the last steps
 */
export async function runHistory(seed: number, steps: number): Promise<HistoryCounts> {
  const history = new History(seed);
  try {
    return await history.run(steps);
  } catch (cause) {
    const last = history.steps.slice(-12).join('\n');
    throw new Error(`the history with seed ${seed} failed: ${String(cause)}\n${last}`, { cause });
  } finally {
    history[Symbol.dispose]();
  }
}

class History implements Disposable {
  readonly steps: string[] = [];
  readonly #random: Random;
  readonly #time = new WorldTime();
  readonly #files: MemoryFiles = new Map();
  readonly #folder = temporaryFolder();
  readonly #quota: Quota = { most: Infinity };
  readonly #tells: boolean;
  readonly #computers: Computer[] = [];
  readonly #pool: TestChunk[] = [];
  /** The chunks of every run that was begun, by the digest of its tree. */
  readonly #runs = new Map<string, readonly TestChunk[]>();
  readonly #counts: HistoryCounts = {
    backups: 0,
    removals: 0,
    collections: 0,
    freed: 0,
    promises: 0,
    kills: 0,
    full: 0,
    bytes: 0,
  };
  #keys: WorldKeys | undefined;

  constructor(seed: number) {
    this.#random = new Random(seed);
    this.#tells = this.#random.chance(0.5);
  }

  async run(steps: number): Promise<HistoryCounts> {
    const random = this.#random;
    this.#keys = await createWorld(this.#newStorage(), this.#time, random.chance(0.2) ? 20 : 0);
    this.#addComputer();
    // Half of all histories have one computer to their end.
    const joins = random.chance(0.5) ? random.below(steps) : Infinity;
    for (let step = 0; step < steps; step += 1) {
      if (step === joins) this.#addComputer();
      await this.#step(random.pick(this.#computers));
      this.#time.now += random.below(random.chance(0.3) ? 5 * DAY : DAY / 2);
      await this.#judge();
    }
    this.#addComputer();
    await this.#judge();
    return this.#counts;
  }

  [Symbol.dispose](): void {
    for (const { open } of this.#computers) open?.[Symbol.dispose]();
    removeFolder(this.#folder);
  }

  #newStorage(): MortalStorage {
    return new MortalStorage(this.#files, () => this.#time.now, this.#quota, this.#tells);
  }

  #addComputer(): void {
    const name = `computer ${this.#computers.length + 1}`;
    const clockError = this.#random.chance(0.3) ? Math.floor((this.#random.next() - 0.5) * 60 * DAY) : 0;
    const storage = this.#newStorage();
    const points = new Map<string, ModelPoint>();
    this.#computers.push({ name, writerKey: newWriterKey(), clockError, storage, open: undefined, points });
  }

  #opened(computer: Computer): Device {
    computer.open ??= new Device(this.#keys!, this.#time, { ...computer, folder: this.#folder });
    return computer.open;
  }

  /** Does something, which may be killed or find no room. */
  async #step(computer: Computer): Promise<void> {
    const random = this.#random;
    const action = random.pick(this.#actions);
    this.#quota.most = random.chance(0.3) ? usedBytes(this.#files) + random.below(MEGABYTE / 2) : Infinity;
    const changes = random.chance(0.3) ? random.below(12) : Infinity;
    computer.storage.dieAfter(changes);
    const room = this.#quota.most - usedBytes(this.#files);
    const name = `${computer.name}: ${action.name}, ${room} bytes of room, killed after ${changes} changes`;
    try {
      const said = await action.act(computer, this.#opened(computer));
      this.steps.push(`${name}: ${said}`);
    } catch (error) {
      this.steps.push(`${name}: ${String(error)}`);
      if (error instanceof Killed) this.#counts.kills += 1;
      else if (isHoldfastError(error, 'destination_full')) this.#counts.full += 1;
      else if (!isHoldfastError(error, 'retention_refused')) throw error;
    }
    // What is killed loses its memory.
    if (changes !== Infinity) {
      computer.open?.[Symbol.dispose]();
      computer.open = undefined;
    }
    computer.storage.dieAfter(Infinity);
    this.#quota.most = Infinity;
  }

  readonly #actions: readonly {
    readonly name: string;
    act(computer: Computer, device: Device): Promise<string>;
  }[] = [
    { name: 'backup', act: (computer, device) => this.#backup(computer, device) },
    { name: 'backup', act: (computer, device) => this.#backup(computer, device) },
    { name: 'remove', act: (computer, device) => this.#remove(computer, device) },
    { name: 'remove', act: (computer, device) => this.#remove(computer, device) },
    { name: 'collect', act: (_computer, device) => this.#collect(device) },
    { name: 'free', act: (computer, device) => this.#free(computer, device) },
    { name: 'free', act: (computer, device) => this.#free(computer, device) },
    { name: 'keep the reserve', act: async (_, device) => String(await device.repository.reserve.keep()) },
  ];

  async #backup(computer: Computer, device: Device): Promise<string> {
    const random = this.#random;
    const fresh = Array.from({ length: 1 + random.below(3) }, () => testChunk(1_000 + random.below(100_000)));
    this.#pool.push(...fresh);
    if (this.#pool.length > 20) this.#pool.splice(0, this.#pool.length - 20);
    const chunks = [...new Set([...fresh, random.pick(this.#pool), random.pick(this.#pool)])];
    this.#runs.set(treeOf(chunks).digest.toString('hex'), chunks);
    const set = random.pick(SETS);
    const id = await device.backup(set, chunks);
    computer.points.set(id, { id, set, chunks });
    this.#counts.backups += 1;
    return id;
  }

  async #remove(computer: Computer, device: Device): Promise<string> {
    const points = [...computer.points.values()];
    if (points.length === 0) return 'nothing is there';
    const { id, set } = this.#random.pick(points);
    // Until the call returns it may or may not be removed.
    computer.points.delete(id);
    const request = { action: 'remove', device_id: device.writerKey.id, backup_set: set, backup_id: id } as const;
    await performRetention(device.repository, device.collector, request);
    assert(!this.#listed(device).includes(id), `${id} is listed, and was removed`);
    this.#counts.removals += 1;
    return id;
  }

  async #collect(device: Device): Promise<string> {
    const collected = await device.collector.collect();
    this.#counts.collections += 1;
    return JSON.stringify(collected);
  }

  async #free({ clockError }: Computer, device: Device): Promise<string> {
    const { freeSpace } = device.collector;
    const plan = await freeSpace.plan();
    const waivesDays = this.#random.chance(0.8);
    const before = usedBytes(this.#files);
    const report = await freeSpace.free({ waivesDays, pauseMs: 0 });
    this.#counts.freed += 1;
    this.#counts.bytes += report.freedBytes;
    // The reserve may take more than is freed.
    const went = Math.max(0, before - usedBytes(this.#files));
    const said = JSON.stringify({ plan, waivesDays, report, went });
    assert(Math.abs(went - report.freedBytes) < TOLERANCE, `said to be freed, and was not: ${said}`);
    // A plan writes no file, which would show the store's time: a computer whose clock is wrong does not know which days are over.
    const isPromised = (waivesDays || !plan.isSole) && !report.isFull && clockError === 0;
    if (!isPromised) return said;
    this.#counts.promises += 1;
    // Whether the reserve finds room is known beforehand only where the store tells how much there is.
    const isKept = this.#tells || plan.reserveBytes === report.reserveBytes;
    const isMore = isKept ? Math.abs(plan.nowBytes - report.freedBytes) < TOLERANCE : true;
    assert(isMore && plan.nowBytes < report.freedBytes + TOLERANCE, `promised, and not freed: ${said}`);
    const { nowBytes } = await freeSpace.plan();
    assert(nowBytes < TOLERANCE, `${nowBytes} bytes more can be freed: ${said}`);
    return said;
  }

  #listed({ repository }: Device): string[] {
    return repository.projection.points.all().map(({ id }) => id.toString('hex'));
  }

  /** Every listed point reads on each computer, and every one that was acknowledged and not removed is listed. */
  async #judge(): Promise<void> {
    for (const computer of this.#computers) {
      const device = this.#opened(computer);
      await device.repository.refresh();
      const { points } = device.repository.projection;
      const chunks = points.all().flatMap(({ tree }) => this.#runs.get(tree.toString('hex'))!);
      const trees = points.all().map(({ tree }) => treeOf(this.#runs.get(tree.toString('hex'))!));
      const lost = await device.computer.lost([...trees, ...chunks]);
      assert.deepEqual(lost, [], `${computer.name} lacks chunks`);
      const listed = new Set(this.#listed(device));
      const missing = this.#computers.flatMap((other) => [...other.points.keys()].filter((id) => !listed.has(id)));
      assert.deepEqual(missing, [], `${computer.name} does not list points`);
    }
  }
}
