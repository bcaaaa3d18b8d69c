import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isHoldfastError } from '../../../../src/base/errors/errors.ts';
import type { WorkerPool } from '../../../../src/workers/pool.ts';
import {
  retentionAnswer,
  retentionPolicy,
  type RetentionAnswer,
  type RetentionPolicy,
  type RetentionRequest,
} from '../../../../src/protocol/retention.ts';
import { FAST_FOLDER } from '../../../helpers/fast-folder.ts';
import { CAN_MOUNT } from '../../../helpers/mount.ts';
import { Random } from '../../../helpers/random.ts';
import { Computer, DISK, SET } from './computer.ts';
import { repositoryPlace, servicePlace, type SharedPlace } from './places.ts';

const DAY = 86_400_000;
/** Reasons of warnings about a clock that jumped. */
const OF_THE_CLOCK: ReadonlySet<string> = new Set(['clock-was-ahead', 'clock-jumped']);

export interface DaysOptions {
  readonly seed: number;
  readonly days: number;
  readonly devices: number;
  readonly destination: 'repository' | 'service';
}

export interface DaysResult {
  readonly backups: number;
  readonly restores: number;
  /** Restore points that a policy removed. */
  readonly removed: number;
  readonly newDevices: number;
  readonly clockJumps: number;
  readonly lostHomes: number;
  /** Backups without a disk whose last version stayed. */
  readonly withoutDisk: number;
}

/** A restore point as the model has it: the SHA-256 of each file. */
interface ModelPoint {
  readonly id: string;
  readonly device: string;
  readonly time: string;
  /** When its run ended, in milliseconds, by the clock that dates it. */
  readonly made: number;
  readonly files: ReadonlyMap<string, string>;
  isPinned: boolean;
}

/** The time of the world, from which clocks differ. */
export class Days {
  now = Date.parse('2026-01-01T08:00:00Z');
}

/**
 * Lets computers back up for many days to one destination, with the real engine: they are switched off, come and go, lose their homes, have
 * clocks that jump, restore, and thin out their restore points. What a model of it says is compared with what comes back.
 *
 * @throws Error that begins with the seed and the day
 */
export async function runDaysCampaign(pool: WorkerPool, options: DaysOptions): Promise<DaysResult> {
  await using campaign = new DaysCampaign(pool, options);
  try {
    return await campaign.run();
  } catch (error) {
    throw new Error(`seed ${options.seed}, day ${campaign.day}: ${String(error)}`, { cause: error });
  }
}

class DaysCampaign implements AsyncDisposable {
  day = 0;
  readonly #pool: WorkerPool;
  readonly #options: DaysOptions;
  readonly #random: Random;
  readonly #folder = realpathSync(mkdtempSync(join(FAST_FOLDER, 'holdfast-days-')));
  readonly #days = new Days();
  readonly #computers: Computer[] = [];
  #points: ModelPoint[] = [];
  #place: SharedPlace | undefined;
  #names = 0;
  readonly #count = { backups: 0, restores: 0, removed: 0, newDevices: 0, clockJumps: 0, lostHomes: 0, withoutDisk: 0 };

  constructor(pool: WorkerPool, options: DaysOptions) {
    this.#pool = pool;
    this.#options = options;
    this.#random = new Random(options.seed);
  }

  async run(): Promise<DaysResult> {
    const { destination, days, devices } = this.#options;
    const open = destination === 'service' ? servicePlace : repositoryPlace;
    this.#place = await open(join(this.#folder, 'place'), this.#days);
    for (let count = 0; count < devices; count += 1) await this.#addComputer();
    for (; this.day < days; this.day += 1) {
      for (const computer of this.#random.shuffled(this.#computers))
        if (this.#random.chance(0.8)) await this.#live(computer);
      this.#days.now += DAY - this.#random.below(DAY / 4);
    }
    for (const point of this.#points) await this.#compare(point);
    return { ...this.#count };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const computer of this.#computers) await computer.end();
    await this.#place?.[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #addComputer(): Promise<void> {
    this.#names += 1;
    const folder = join(this.#folder, `computer ${this.#names}`);
    const computer = await Computer.open(this.#place!, { folder, pool: this.#pool, days: this.#days });
    this.#computers.push(computer);
    for (let file = 0; file < 4; file += 1) this.#write(computer, `file ${file}`);
    if (computer.hasDisk) this.#write(computer, join(DISK, 'first'));
  }

  /** A day of one computer. */
  async #live(computer: Computer): Promise<void> {
    const random = this.#random;
    const fate = random.next();
    if (fate < 0.02) await this.#replace(computer);
    else if (fate < 0.04) {
      await computer.loseHome();
      this.#count.lostHomes += 1;
      await this.#needsDisk(computer);
    }
    if (random.chance(0.03)) {
      // A process that goes on takes the time from the service's answers; it jumps while none runs.
      await computer[Symbol.asyncDispose]();
      // Back to the right time in every second jump.
      computer.clockError = random.chance(0.5) ? 0 : Math.round((random.next() - 0.5) * 800 * DAY);
      computer.hasClockJumped = true;
      this.#count.clockJumps += 1;
    }
    if (CAN_MOUNT && random.chance(0.3)) {
      if (computer.hasDisk) computer.disconnectDisk(random.chance(0.5));
      else computer.connectDisk();
    }
    this.#change(computer);
    await this.#backUp(computer);
    if (random.chance(0.15)) await this.#compare(random.pick(this.#points));
    if (random.chance(0.05)) await this.#pin(computer);
    if (random.chance(0.1)) await this.#thinOut(computer);
  }

  /** A computer that comes no more; another one comes. Its restore points stay. */
  async #replace(computer: Computer): Promise<void> {
    this.#computers.splice(this.#computers.indexOf(computer), 1);
    await computer.end();
    await this.#addComputer();
    this.#count.newDevices += 1;
  }

  async #backUp(computer: Computer): Promise<void> {
    if (!this.#computers.includes(computer)) return;
    const { backupId, restorePoint, warnings } = await computer.backup();
    const newest = this.#newestOf(computer);
    const kept = computer.hasDisk ? [] : filesOnDisk(newest);
    if (kept.length > 0) this.#count.withoutDisk += 1;
    const disk = join(computer.source, DISK);
    const missed = warnings.filter(({ path, reason }) => path === disk && reason === 'folder-not-mounted');
    if (missed.length !== (kept.length > 0 ? 1 : 0)) throw new Error('a backup did not say that a disk is not there');
    // Only the first run after a jump says so.
    const unexpected = warnings.filter(
      (warning) => !missed.includes(warning) && !(computer.hasClockJumped && OF_THE_CLOCK.has(warning.reason)),
    );
    if (unexpected.length > 0) throw new Error(`a backup warned: ${JSON.stringify(unexpected)}`);
    computer.hasClockJumped = false;
    const files = new Map([...sumsIn(computer.source), ...kept]);
    // A service dates restore points by its own clock.
    const made = this.#days.now + (this.#options.destination === 'service' ? 0 : computer.clockError);
    const point = { id: backupId!, device: computer.deviceId, time: restorePoint!, made, files, isPinned: false };
    if (newest && Date.parse(newest.time) >= Date.parse(point.time))
      throw new Error('times of restore points decrease');
    this.#points.push(point);
    this.#count.backups += 1;
  }

  /** A catalog that knows nothing of a disk that is not there cannot keep what it had. */
  async #needsDisk(computer: Computer): Promise<void> {
    if (computer.hasDisk || filesOnDisk(this.#newestOf(computer)).length === 0) return;
    const error: unknown = await computer.backup().catch((reason: unknown) => reason);
    if (!isHoldfastError(error, 'source_not_mounted')) throw new Error('a disk was given up', { cause: error });
    computer.connectDisk();
  }

  #newestOf({ deviceId }: Computer): ModelPoint | undefined {
    return this.#points.findLast(({ device }) => device === deviceId);
  }

  async #pin(computer: Computer): Promise<void> {
    const own = this.#points.filter(({ device }) => device === computer.deviceId);
    if (own.length === 0) return;
    const point = this.#random.pick(own);
    await this.#place!.retain({ action: 'pin', ...setOf(point), backup_id: point.id });
    point.isPinned = true;
  }

  async #thinOut(computer: Computer): Promise<void> {
    const own = this.#points.filter(({ device }) => device === computer.deviceId);
    if (own.length === 0) return;
    const random = this.#random;
    const policy = retentionPolicy.parse(
      random.chance(0.5)
        ? { keep_all_days: 1 + random.below(20) }
        : { daily: 1 + random.below(8), weekly: random.below(5), monthly: random.below(7) },
    );
    const keptByPeriods = pointsOfPeriods(own, policy);
    await this.#retain({ action: 'set', ...setOf(own[0]!), policy });
    const applied = await this.#retain({ action: 'apply', ...setOf(own[0]!) });
    await this.#place!.collect();
    // A restore that was not ended holds its restore point at a service for a while.
    const mayStay = new Set(applied?.state.points.flatMap(({ in_use: isUsed, backup_id: id }) => (isUsed ? [id] : [])));
    const listed = new Set((await computer.points()).map(({ backup_id: id }) => id));
    const newest = own.at(-1)!;
    for (const point of own) {
      const age = this.#days.now - point.made;
      const isKept = point.isPinned || point === newest || keptByPeriods.has(point);
      if (listed.has(point.id)) {
        // How a clock that jumped counts for the last days is for the tests of the rule.
        if (applied && policy.keep_all_days === 0 && !isKept && !mayStay.has(point.id)) {
          throw new Error(`${JSON.stringify(policy)} left a restore point that it drops, made ${dayOf(point)}`);
        }
        continue;
      }
      if (isKept || (policy.keep_all_days > 0 && age < (policy.keep_all_days - 1) * DAY)) {
        throw new Error(`the policy removed a restore point that it keeps, ${age / DAY} days old`);
      }
      this.#points = this.#points.filter((other) => other !== point);
      this.#count.removed += 1;
    }
    // From now on everything is kept again.
    await this.#retain({ action: 'set', ...setOf(newest), policy: null });
  }

  /** Returns `undefined` if the destination refuses it. */
  async #retain(request: RetentionRequest): Promise<RetentionAnswer | undefined> {
    try {
      return retentionAnswer.parse(await this.#place!.retain(request));
    } catch (error) {
      if (!isHoldfastError(error, 'retention_refused')) throw error;
      return undefined;
    }
  }

  /** Restores a point by any of the computers, and compares it with the model. */
  async #compare(point: ModelPoint): Promise<void> {
    const reader = this.#random.pick(this.#computers);
    const target = join(this.#folder, 'target');
    const report = await reader.restore(point.device, Date.parse(point.time), target);
    if (report.failures.length > 0) throw new Error(`a restore failed: ${JSON.stringify(report.failures)}`);
    if (report.warnings.length > 0) throw new Error(`a restore warned: ${JSON.stringify(report.warnings)}`);
    const restored = join(target, 'source');
    const found = sumsIn(restored);
    rmSync(target, { recursive: true });
    const isSame = found.size === point.files.size && [...found].every(([name, sum]) => point.files.get(name) === sum);
    if (!isSame) throw new Error(`restore point ${point.time} of ${point.device} came back otherwise`);
    this.#count.restores += 1;
  }

  #change(computer: Computer): void {
    const random = this.#random;
    const files = readdirSync(computer.source).filter((name) => name !== DISK);
    for (let count = random.below(3); count > 0; count -= 1) this.#write(computer, random.pick(files));
    if (random.chance(0.3)) this.#write(computer, `file ${random.below(1_000)}`);
    if (computer.hasDisk) this.#write(computer, join(DISK, `file ${random.below(5)}`));
    if (files.length > 5 && random.chance(0.3)) rmSync(join(computer.source, random.pick(files)));
  }

  #write({ source }: Computer, name: string): void {
    writeFileSync(join(source, name), this.#random.bytes(1 + this.#random.below(2_000)));
  }
}

function setOf({ device }: ModelPoint) {
  return { device_id: device, backup_set: SET };
}

/** Returns the oldest and the newest restore point of each of the last days, ISO weeks and months that the policy counts, all in UTC. */
function pointsOfPeriods(points: readonly ModelPoint[], policy: RetentionPolicy): ReadonlySet<ModelPoint> {
  const kept = new Set<ModelPoint>();
  for (const [count, periodOf] of [
    [policy.daily, dayOf],
    [policy.weekly, mondayBefore],
    [policy.monthly, (point: ModelPoint) => dayOf(point).slice(0, 7)],
  ] as const) {
    // The points of a device are in the order of their times.
    const newestFirst = points.toReversed();
    for (const period of [...new Set(newestFirst.map(periodOf))].slice(0, count)) {
      kept.add(newestFirst.find((point) => periodOf(point) === period)!);
      kept.add(newestFirst.findLast((point) => periodOf(point) === period)!);
    }
  }
  return kept;
}

function dayOf({ made }: ModelPoint): string {
  return new Date(made).toISOString().slice(0, 10);
}

function mondayBefore({ made }: ModelPoint): string {
  const daysSinceMonday = (new Date(made).getUTCDay() + 6) % 7;
  return new Date(made - daysSinceMonday * DAY).toISOString().slice(0, 10);
}

/** Returns what a restore point has of the disk. */
function filesOnDisk(point: ModelPoint | undefined): readonly (readonly [string, string])[] {
  return [...(point?.files ?? [])].filter(([name]) => name.startsWith(`${DISK}/`));
}

/** Returns the SHA-256 of each file, by its path in the folder. */
function sumsIn(folder: string): ReadonlyMap<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name));
  return new Map(paths.map((path) => [relative(folder, path), sumOf(path)]));
}

function sumOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
