import { cpSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Server } from '../../e2e/server.ts';
import { describeEnd, isPlainMessage, Workplace, type BackupAnswer, type Ended } from '../../e2e/workplace.ts';
import { differences } from '../../../helpers/differences.ts';
import { Random } from '../../../helpers/random.ts';
import { InProcessService } from '../../../helpers/service/in-process-service.ts';
import { ChangingFolder } from '../changing-folder.ts';
import { canTrace } from '../../repository/power-loss/place.ts';

const SET = 'documents';
/** Milliseconds of a backup, about. */
const USUAL = 2_500;
/** Calls of the service that write, at one of which it is killed; and how many of them a backup causes in a thread, about. */
const CALLS = {
  pwrite64: 60,
  fdatasync: 12,
  fsync: 6,
  write: 80,
  rename: 4,
  unlink: 4,
  ftruncate: 3,
  pwritev: 6,
} as const;

/** What the computers do while the service is killed. */
type Work = 'backup' | 'restore';
const WORKS: readonly Work[] = ['backup', 'backup', 'restore'];

interface Computer {
  readonly home: string;
  readonly source: ChangingFolder;
  /** Restore points whose backup ended well, with a copy of what they contain. */
  readonly points: { readonly id: string; readonly time: string; readonly copy: string }[];
}

export interface ServiceKillResult {
  readonly runs: number;
  /** Services that had not ended by themselves. */
  readonly killed: number;
  /** … of which so many at a system call. */
  readonly atCalls: number;
  readonly backups: number;
  readonly restores: number;
  readonly failures: readonly string[];
}

/**
 * Kills a service with SIGKILL while two computers back up to it or restore from it: at a random moment, or at a random one of its writing
 * system calls, and starts it again. What they do goes on by itself, or succeeds when it is run again; everything that was acknowledged is
 * there.
 */
export async function runServiceKillCampaign(options: {
  readonly seed: number;
  readonly runs: number;
  /** What is done in each run, in the place of something random. */
  readonly works?: readonly Work[];
  /** Two by default. */
  readonly computers?: number;
  readonly onFailure?: (failure: string) => void;
}): Promise<ServiceKillResult> {
  await using campaign = new ServiceKillCampaign(options);
  return await campaign.run(options.runs);
}

class ServiceKillCampaign implements AsyncDisposable {
  readonly #place = new Workplace({ isReal: true });
  readonly #random: Random;
  readonly #options: Parameters<typeof runServiceKillCampaign>[0];
  readonly #failures: string[] = [];
  readonly #computers: Computer[] = [];
  readonly #count = { killed: 0, atCalls: 0, backups: 0, restores: 0 };
  #server: Server | undefined;
  #port = '0';

  constructor(options: Parameters<typeof runServiceKillCampaign>[0]) {
    this.#options = options;
    this.#random = new Random(options.seed);
  }

  async run(runs: number): Promise<ServiceKillResult> {
    await this.#begin();
    for (let run = 0; run < runs; run += 1) await this.#kill(run);
    for (const computer of this.#computers) for (const point of computer.points) await this.#restore(computer, point);
    return { runs, ...this.#count, failures: this.#failures };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.[Symbol.asyncDispose]();
    this.#place[Symbol.dispose]();
  }

  get #data(): string {
    return this.#place.path('data');
  }

  async #begin(): Promise<void> {
    const names = Array.from({ length: this.#options.computers ?? 2 }, (_, index) => `number ${index + 1}`);
    const signIns = await this.#signIns(names);
    this.#server = await Server.start(this.#place, this.#data);
    this.#port = new URL(this.#server.address).port;
    let phrase: readonly string[] = [];
    for (const name of names) {
      const home = this.#place.path(`home of ${name}`);
      const path = this.#place.path(`source of ${name}`);
      const source = new ChangingFolder(path, this.#random, { files: 10, mostBytes: 200_000 });
      source.create();
      const words = ['--server', this.#server.address, ...signIns.get(name)!];
      const made = await this.#json<{ readonly recovery_phrase: string }>(home, ['setup', ...words, ...phrase]);
      phrase = ['--recovery-phrase-file', this.#place.write('phrase', made.recovery_phrase)];
      await this.#json(home, ['set', 'add', SET, path, '--exclude', '!*']);
      this.#computers.push({ home, source, points: [] });
    }
  }

  /** Returns the options by which each computer signs in. */
  async #signIns(names: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    const service = await InProcessService.open(this.#data, { create: true });
    const signIns = new Map<string, readonly string[]>();
    for (const name of names) {
      const { deviceId, deviceKey } = await service.registerDevice({ name, os: 'Linux', agent_version: 'test' });
      const key = this.#place.write(`key of ${name}`, deviceKey);
      signIns.set(name, ['--device-id', deviceId, '--device-key-file', key]);
    }
    await service.close();
    return signIns;
  }

  async #kill(run: number): Promise<void> {
    const random = this.#random;
    const call =
      canTrace() && random.chance(0.6) ? random.pick(Object.keys(CALLS) as (keyof typeof CALLS)[]) : undefined;
    const at = call ? 1 + random.below(CALLS[call]) : Math.round(random.next() * USUAL);
    const work = this.#options.works?.[run] ?? random.pick(WORKS);
    const name = `run ${run}, ${work}, killed ${call ? `at ${call} ${at}` : `after ${at} ms`}`;
    if (call) {
      await this.#server?.[Symbol.asyncDispose]();
      // The start of the service counts, too.
      const inject = `inject=${call}:signal=SIGKILL:when=${at}`;
      const under = ['strace', '-f', '-o', '/dev/null', '-e', `trace=${call}`, '-e', inject];
      this.#server = await this.#start(under).catch(() => undefined);
      if (!this.#server) this.#count.atCalls += 1;
      this.#server ??= await this.#start();
    }
    const started = this.#computers.map((computer) => this.#begun(computer, work));
    const { child, ended } = this.#server!.running;
    if (call) await Promise.race([ended, Promise.all(started.map(({ result }) => result))]);
    else await sleep(at);
    // A service that has not come to the call may still do while it stops.
    if (call) this.#server!.askToStop();
    else child.kill('SIGKILL');
    const end = await ended;
    if (end.signal === 'SIGKILL') {
      this.#count.killed += 1;
      if (call) this.#count.atCalls += 1;
    } else if (end.status !== 0) this.#fail(`${name}, the service: ${describeEnd(end)}`);
    this.#server = await this.#start();
    for (const [index, { result, follow }] of started.entries())
      await follow(name, this.#computers[index]!, await result);
    await this.#check(name);
  }

  /** Starts what a computer does. Without a restore point it backs up. */
  #begun(
    computer: Computer,
    work: Work,
  ): {
    readonly result: Promise<Ended>;
    readonly follow: (name: string, computer: Computer, first: Ended) => Promise<void>;
  } {
    const { home, points, source } = computer;
    const run = (words: readonly string[]): Promise<Ended> => this.#place.start(words, home).ended;
    if (work === 'restore' && points.length > 0) {
      const point = this.#random.pick(points);
      const target = this.#place.path(`target of ${basename(home)}`);
      const words = ['restore', SET, '--at', point.time, '--to', target];
      const follow = async (name: string, _: Computer, first: Ended): Promise<void> => {
        if (first.status !== 0 && !isPlainMessage(first.stderr)) this.#fail(`${name}: ${describeEnd(first)}`);
        const ended = first.status === 0 ? first : await run([...words, '--conflict', 'overwrite']);
        if (ended.status !== 0) this.#fail(`${name}, again: ${describeEnd(ended)}`);
        const found = differences(point.copy, join(target, basename(source.path)));
        if (found !== '') this.#fail(`${name}: ${found}`);
        rmSync(target, { recursive: true, force: true });
        this.#count.restores += 1;
      };
      return { result: run(words), follow };
    }
    source.change();
    return {
      result: run(['backup', SET, '--json']),
      follow: (name, of, first) => this.#follow(name, of, first),
    };
  }

  #start(under: readonly string[] = []): Promise<Server> {
    return Server.start(this.#place, this.#data, [], { port: this.#port, under });
  }

  /** A backup that failed is run again. Then everything of it is there, and so is an earlier one. */
  async #follow(name: string, computer: Computer, first: Ended): Promise<void> {
    let ended = first;
    if (ended.status !== 0) {
      if (!isPlainMessage(ended.stderr)) this.#fail(`${name}: ${describeEnd(ended)}`);
      ended = await this.#place.start(['backup', SET, '--json'], computer.home).ended;
    }
    if (ended.status !== 0) {
      this.#fail(`${name}, again: ${describeEnd(ended)}`);
      return;
    }
    const { backup_id: id, restore_point: time, warnings } = JSON.parse(ended.stdout) as BackupAnswer;
    if (warnings.length > 0) this.#fail(`${name}: ${JSON.stringify(warnings)}`);
    const copy = this.#place.path('copies', id);
    cpSync(computer.source.path, copy, { recursive: true });
    computer.points.push({ id, time, copy });
    this.#count.backups += 1;
    await this.#restore(computer, computer.points.at(-1)!, name);
    await this.#restore(computer, this.#random.pick(computer.points), name);
  }

  async #restore(
    { home, source }: Computer,
    { time, copy }: Computer['points'][number],
    name = 'in the end',
  ): Promise<void> {
    const target = this.#place.path('target');
    const ended = await this.#place.start(['restore', SET, '--at', time, '--to', target], home).ended;
    if (ended.status !== 0) this.#fail(`${name}, restore of ${time}: ${describeEnd(ended)}`);
    const found = differences(copy, join(target, basename(source.path)));
    if (found !== '') this.#fail(`${name}, restore of ${time}: ${found}`);
    rmSync(target, { recursive: true, force: true });
    this.#count.restores += 1;
  }

  /** The service finds nothing wrong with its own data. */
  async #check(name: string): Promise<void> {
    const ended = await this.#place.run('service', 'check', '--data', this.#data);
    if (ended.status !== 0) this.#fail(`${name}, check: ${describeEnd(ended)}`);
  }

  async #json<Answer>(home: string, words: readonly string[]): Promise<Answer> {
    const ended = await this.#place.start([...words, '--json'], home).ended;
    if (ended.status !== 0) throw new Error(`holdfast ${words.join(' ')}: ${describeEnd(ended)}`);
    return JSON.parse(ended.stdout) as Answer;
  }

  #fail(failure: string): void {
    this.#failures.push(failure);
    this.#options.onFailure?.(failure);
  }
}
