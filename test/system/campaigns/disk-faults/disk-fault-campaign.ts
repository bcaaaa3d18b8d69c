import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describeEnd, isAsExpected, isPlainMessage, Workplace, type Ended } from '../../e2e/workplace.ts';
import { differences } from '../../../helpers/differences.ts';
import { Random } from '../../../helpers/random.ts';
import { canTrace } from '../../repository/power-loss/place.ts';
import { makeChoresOlder } from '../../repository/power-loss/recording.ts';
import { ChangingFolder } from '../changing-folder.ts';
import { countCalls, straceOf } from '../traced-calls.ts';
import { FAULT_VARIABLE, type PreloadedFault } from './faulty-disk.ts';

const SET = 'documents';
/** Condemned packs are deleted after three. */
const DAYS = 4 * 86_400_000;
/** The share of full disks among the faults. */
const FULL_SHARE = 0.25;
const PRELOADED = pathToFileURL(join(import.meta.dirname, 'faulty-disk.ts')).href;

/** A full disk has nothing to do with these. */
const NEVER_FULL: ReadonlySet<string> = new Set(['unlink', 'utimensat', 'fchmod']);

/** One or all calls from one on fail, counted in each thread. */
interface CallFault {
  readonly kind: 'call';
  readonly call: string;
  /** From 1. */
  readonly at: number;
  readonly code: 'ENOSPC' | 'EIO';
  readonly isLasting: boolean;
}

/** A file system is full but for a few blocks. */
interface FullDisk {
  readonly kind: 'full';
  readonly disk: Disk;
  readonly freeBytes: number;
}

export type DiskFault = CallFault | FullDisk;
type Disk = 'destination' | 'home' | 'target';

interface FaultyCommand {
  readonly name: string;
  readonly words: readonly string[];
  /** Exit codes of the command when it is run again. */
  readonly expected: readonly number[];
  readonly home?: string;
}

export interface DiskFaultResult {
  readonly runs: number;
  /** Runs in which the fault came up. */
  readonly faulty: number;
  /** Faulty runs whose command said that it had failed. */
  readonly failed: number;
  readonly failures: readonly string[];
}

export interface DiskFaultOptions {
  readonly seed: number;
  readonly runs: number;
  /** Runs commands whose name contains it. */
  readonly only?: string | undefined;
  /** The faults of the runs, in the place of random ones. */
  readonly faults?: readonly DiskFault[] | undefined;
  readonly onFailure?: (failure: string) => void;
}

/**
 * Lets system calls of the program fail that write, or fills its disks. A command has to succeed in spite of that, or to name a full or
 * failing disk. Without the fault it succeeds then, so does the next backup, and everything that was backed up comes back.
 */
export async function runDiskFaultCampaign(options: DiskFaultOptions): Promise<DiskFaultResult> {
  using campaign = new DiskFaultCampaign(options);
  return await campaign.run();
}

class DiskFaultCampaign implements Disposable {
  readonly #place = new Workplace({ isReal: true });
  readonly #options: DiskFaultOptions;
  readonly #random: Random;
  readonly #source: ChangingFolder;
  readonly #failures: string[] = [];
  readonly #canTrace = canTrace();
  /** What each command calls at most in one thread, by the name of the call. */
  readonly #counts = new Map<string, ReadonlyMap<string, number>>();
  readonly #disks: Disk[] = [];
  /** The time of a restore point that no retention removes. */
  #pinned = '';
  #faulty = 0;
  #failed = 0;

  constructor(options: DiskFaultOptions) {
    this.#options = options;
    this.#random = new Random(options.seed);
    this.#source = new ChangingFolder(this.#place.path('source'), this.#random, { files: 8, mostBytes: 60_000 });
  }

  async run(): Promise<DiskFaultResult> {
    const { runs, only = '' } = this.#options;
    await this.#begin();
    const commands = this.#commands.filter(({ name }) => name.includes(only));
    for (let run = 0; run < runs; run += 1) await this.#try(commands[run % commands.length]!, run);
    await this.#comparePinned();
    return { runs, faulty: this.#faulty, failed: this.#failed, failures: this.#failures };
  }

  [Symbol.dispose](): void {
    for (const disk of this.#disks) spawnSync('umount', [this.#pathOf(disk)], { stdio: 'ignore' });
    this.#place[Symbol.dispose]();
  }

  get #commands(): readonly FaultyCommand[] {
    const restore = ['restore', SET, '--to', this.#pathOf('target')];
    return [
      { name: 'backup', words: ['backup', SET], expected: [0] },
      // One that was complete refuses to replace what is there.
      { name: 'restore', words: restore, expected: [0, 1] },
      {
        name: 'retention apply',
        words: ['retention', 'apply', SET, '--yes', '--destination', 'destination'],
        expected: [0],
      },
      {
        name: 'setup',
        words: ['setup', '--destination', this.#place.path('new')],
        home: this.#place.path('new-home'),
        expected: [0],
      },
      { name: 'check', words: ['check', '--read-data'], expected: [0] },
      { name: 'repair', words: ['repair'], expected: [0] },
      { name: 'set add', words: ['set', 'add', 'other', this.#place.path('pinned')], expected: [0, 2] },
      { name: 'destination copy', words: ['destination', 'copy', 'destination', 'second'], expected: [0] },
      { name: 'verify', words: ['verify', SET], expected: [0] },
    ];
  }

  #pathOf(disk: Disk): string {
    return this.#place.path(disk);
  }

  async #begin(): Promise<void> {
    for (const disk of ['destination', 'home', 'target'] as const) {
      mkdirSync(this.#pathOf(disk));
      const words = ['-t', 'tmpfs', '-o', 'size=64m,mode=0700', 'holdfast-test', this.#pathOf(disk)];
      if (spawnSync('mount', words, { stdio: 'ignore' }).status === 0) this.#disks.push(disk);
    }
    this.#source.create();
    await this.#place.json(['setup', '--destination', this.#place.destination, '--parity', '20']);
    if (!this.#options.faults) {
      await this.#place.json(['destination', 'add', '--destination', this.#place.path('second'), '--name', 'second']);
    }
    await this.#place.addSet(SET, this.#source.path);
    const { restore_point: time } = await this.#place.json<{ restore_point: string }>(['backup', SET]);
    this.#pinned = time;
    await this.#place.json(['points', 'pin', SET, time, '--destination', 'destination']);
    await this.#place.json(['retention', 'set', SET, '--hourly', '1']);
    cpSync(this.#source.path, this.#place.path('pinned'), { recursive: true });
  }

  async #try(command: FaultyCommand, run: number): Promise<void> {
    const before = this.#failures.length;
    const chosen = this.#options.faults?.[run];
    // A retention removes something once there are several restore points.
    if (!chosen || command.name === 'retention apply') await this.#prepare(command);
    const fault = chosen ?? (await this.#faultFor(command));
    await this.#prepare(command);
    const name = `run ${run}, ${command.name}, ${nameOf(fault)}`;
    const { ended, hasFired } = await this.#runWith(command, fault);
    if (hasFired) this.#faulty += 1;
    const hasFailed = ended.status !== 0;
    if (hasFired && hasFailed) this.#failed += 1;
    if (!isHonest(ended, hasFired ? fault : undefined)) this.#fail(`${name}: ${describeEnd(ended)}`);
    if (command.name === 'restore' && !hasFailed) this.#compare(`${name}, said to be done`, this.#source.path);
    if (hasFailed || command.name !== 'setup') await this.#expect(`${name}, again`, command, command.expected);
    if (command.name === 'restore') this.#compare(`${name}, restored by the second attempt`, this.#source.path);
    await this.#expect(`${name}, the next backup`, { words: ['backup', SET] }, [0]);
    this.#clear();
    await this.#expect(`${name}, a restore`, { words: ['restore', SET, '--to', this.#pathOf('target')] }, [0]);
    this.#compare(name, this.#source.path);
    if (this.#failures.length > before) await this.#comparePinned();
  }

  /** Gives the command something to do. */
  async #prepare({ name }: FaultyCommand): Promise<void> {
    this.#clear();
    for (const made of ['new', 'new-home']) rmSync(this.#place.path(made), { recursive: true, force: true });
    this.#source.change();
    if (name === 'set add') await this.#place.run('set', 'remove', 'other');
    if (name === 'backup') return;
    await this.#expect(`the backup before ${name}`, { words: ['backup', SET] }, [0]);
    if (name === 'retention apply') this.#makeOlder();
  }

  /** Lets packs be condemned, and deleted that were. */
  #makeOlder(): void {
    const { destination, home } = this.#place;
    for (const entry of readdirSync(destination, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      const { mtimeMs } = statSync(path);
      utimesSync(path, (mtimeMs - DAYS) / 1000, (mtimeMs - DAYS) / 1000);
    }
    for (const file of readdirSync(home, { recursive: true }).map(String)) {
      if (file.endsWith('projection.sqlite')) makeChoresOlder(join(home, file), DAYS);
    }
  }

  /** Chooses a fault among the calls that the command makes without one. */
  async #faultFor(command: FaultyCommand): Promise<DiskFault> {
    const counts = this.#counts.get(command.name) ?? (await this.#count(command));
    this.#counts.set(command.name, counts);
    const random = this.#random;
    if (this.#disks.length > 0 && random.chance(FULL_SHARE)) {
      return { kind: 'full', disk: random.pick(this.#disks), freeBytes: random.below(100) * 4_096 };
    }
    // Without strace a command may have no call that can fail.
    const call = counts.size > 0 ? random.pick([...counts.keys()]) : 'write';
    // Threads share the calls differently each time: most have fewer.
    const at = 1 + Math.floor(random.next() ** 2 * (counts.get(call) ?? 0));
    const code = NEVER_FULL.has(call) || random.chance(0.5) ? 'EIO' : 'ENOSPC';
    return { kind: 'call', call, at, code, isLasting: random.chance(0.5) };
  }

  async #count(command: FaultyCommand): Promise<ReadonlyMap<string, number>> {
    const { traced, preloaded } = await this.#observed(command, undefined);
    const counts = new Map(countCalls(traced));
    for (const [, open, write] of preloaded.matchAll(/^open=(?<open>\d+) write=(?<write>\d+)$/gm)) {
      raise(counts, 'open', Number(open));
      raise(counts, 'write', Number(write));
    }
    return counts;
  }

  async #runWith(
    command: FaultyCommand,
    fault: DiskFault,
  ): Promise<{ readonly ended: Ended; readonly hasFired: boolean }> {
    if (fault.kind === 'call') {
      const { ended, traced, preloaded } = await this.#observed(command, fault);
      return { ended, hasFired: traced.includes('(INJECTED)') || preloaded.includes('fired') };
    }
    const filler = join(this.#pathOf(fault.disk), 'filler');
    const { bavail, bsize } = statfsSync(this.#pathOf(fault.disk));
    writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - fault.freeBytes)));
    const ended = await this.#run(command);
    rmSync(filler);
    return { ended, hasFired: ended.status !== 0 };
  }

  /** Runs a command with a fault, and records its calls. */
  async #observed(command: FaultyCommand, fault: CallFault | undefined) {
    const preload = this.#place.path('preloaded');
    const trace = this.#place.path('traced');
    for (const file of [preload, trace]) writeFileSync(file, '');
    const isPreloaded = fault?.call === 'open' || fault?.call === 'write';
    const given: PreloadedFault = {
      log: preload,
      ...(isPreloaded && { fault: fault as PreloadedFault['fault'] & {} }),
    };
    const { environment } = this.#place;
    environment[FAULT_VARIABLE] = JSON.stringify(given);
    environment['NODE_OPTIONS'] = `--import=${PRELOADED}`;
    const strace =
      this.#canTrace && !isPreloaded ? straceOf(trace, fault && { ...fault, effect: `error=${fault.code}` }) : [];
    const ended = await this.#run(command, strace);
    delete environment[FAULT_VARIABLE];
    delete environment['NODE_OPTIONS'];
    return { ended, traced: readFileSync(trace, 'latin1'), preloaded: readFileSync(preload, 'utf8') };
  }

  #run({ words, home }: Pick<FaultyCommand, 'words' | 'home'>, under: readonly string[] = []): Promise<Ended> {
    return this.#place.start(words, home, under).ended;
  }

  async #expect(
    name: string,
    command: Pick<FaultyCommand, 'words' | 'home'>,
    expected: readonly number[],
  ): Promise<void> {
    const ended = await this.#run(command);
    if (!isAsExpected(ended, expected)) this.#fail(`${name}: ${describeEnd(ended)}`);
  }

  async #comparePinned(): Promise<void> {
    this.#clear();
    const words = ['restore', SET, '--at', this.#pinned, '--to', this.#pathOf('target')];
    await this.#expect('the pinned restore point', { words }, [0]);
    this.#compare('the pinned restore point', this.#place.path('pinned'));
  }

  /** By another program. */
  #compare(name: string, source: string): void {
    const found = differences(source, join(this.#pathOf('target'), 'source'));
    if (found !== '') this.#fail(`${name}: ${found}`);
  }

  #fail(failure: string): void {
    this.#failures.push(failure);
    this.#options.onFailure?.(failure);
  }

  /** Empties the target, which may be a mount point. */
  #clear(): void {
    const target = this.#pathOf('target');
    for (const name of readdirSync(target)) rmSync(join(target, name), { recursive: true });
  }
}

/** What people are told of a full disk, and of one that fails. */
const SENTENCES = {
  ENOSPC: /no space left|not enough space|it is full|are needed|: target_full/,
  EIO: /reports (?:an )?errors?|: target_unwritable \(EIO\)/,
};

/** Returns whether a program did its work, or names the fault as the reason why not. */
function isHonest({ status, stderr }: Ended, fault: DiskFault | undefined): boolean {
  if (status === 0) return true;
  if (!fault || (status !== 1 && status !== 3) || !isPlainMessage(stderr)) return false;
  return status === 3 || SENTENCES[fault.kind === 'full' ? 'ENOSPC' : fault.code].test(stderr);
}

function nameOf(fault: DiskFault): string {
  if (fault.kind === 'full') return `${fault.freeBytes} bytes free at the ${fault.disk}`;
  return `${fault.code} of ${fault.call} ${fault.at}${fault.isLasting ? ' and all later ones' : ''}`;
}

function raise(counts: Map<string, number>, name: string, count: number): void {
  if (count > 0) counts.set(name, Math.max(count, counts.get(name) ?? 0));
}
