import { cpSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Server } from '../../e2e/server.ts';
import { describeEnd, isPlainMessage, Workplace, type BackupAnswer, type Ended } from '../../e2e/workplace.ts';
import { differences } from '../../helpers/differences.ts';
import { Random } from '../../helpers/random.ts';
import { InProcessService } from '../../helpers/service/in-process-service.ts';
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
 * Kills a service with SIGKILL while two computers back up to it: at a random moment, or at a random one of its writing system calls, and
 * starts it again. The backups go on by themselves, or succeed when they are run again; everything that was acknowledged is there.
 */
export async function runServiceKillCampaign(options: {
  readonly seed: number;
  readonly runs: number;
  readonly onFailure?: (failure: string) => void;
}): Promise<ServiceKillResult> {
  await using campaign = new ServiceKillCampaign(options.seed, options.onFailure);
  return await campaign.run(options.runs);
}

class ServiceKillCampaign implements AsyncDisposable {
  readonly #place = new Workplace();
  readonly #random: Random;
  readonly #onFailure: ((failure: string) => void) | undefined;
  readonly #failures: string[] = [];
  readonly #computers: Computer[] = [];
  readonly #count = { killed: 0, atCalls: 0, backups: 0, restores: 0 };
  #server: Server | undefined;
  #port = '0';

  constructor(seed: number, onFailure?: (failure: string) => void) {
    this.#random = new Random(seed);
    this.#onFailure = onFailure;
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
    const service = await InProcessService.open(this.#data, { create: true });
    const devices = [];
    for (const name of ['one', 'two']) {
      devices.push({ name, ...(await service.registerDevice({ name, os: 'Linux', agent_version: 'test' })) });
    }
    await service.close();
    this.#server = await Server.start(this.#place, this.#data);
    this.#port = new URL(this.#server.address).port;
    let phrase: readonly string[] = [];
    for (const { name, deviceId, deviceKey } of devices) {
      const home = this.#place.path(`home of ${name}`);
      const path = this.#place.path(`source of ${name}`);
      const source = new ChangingFolder(path, this.#random, { files: 10, mostBytes: 200_000 });
      source.create();
      const key = this.#place.write(`key of ${name}`, deviceKey);
      const words = ['--server', this.#server.address, '--device-id', deviceId, '--device-key-file', key];
      const made = await this.#json<{ readonly recovery_phrase: string }>(home, ['setup', ...words, ...phrase]);
      phrase = ['--recovery-phrase-file', this.#place.write('phrase', made.recovery_phrase)];
      await this.#json(home, ['set', 'add', SET, path, '--exclude', '!*']);
      this.#computers.push({ home, source, points: [] });
    }
  }

  async #kill(run: number): Promise<void> {
    const random = this.#random;
    const call =
      canTrace() && random.chance(0.6) ? random.pick(Object.keys(CALLS) as (keyof typeof CALLS)[]) : undefined;
    const at = call ? 1 + random.below(CALLS[call]) : Math.round(random.next() * USUAL);
    const name = `run ${run}, killed ${call ? `at ${call} ${at}` : `after ${at} ms`}`;
    if (call) {
      await this.#server?.[Symbol.asyncDispose]();
      // The start of the service counts, too.
      const inject = `inject=${call}:signal=SIGKILL:when=${at}`;
      const under = ['strace', '-f', '-o', '/dev/null', '-e', `trace=${call}`, '-e', inject];
      this.#server = await this.#start(under).catch(() => undefined);
      if (!this.#server) this.#count.atCalls += 1;
      this.#server ??= await this.#start();
    }
    for (const { source } of this.#computers) source.change();
    const backups = this.#computers.map(({ home }) => this.#place.start(['backup', SET, '--json'], home).ended);
    const { child, ended } = this.#server!.running;
    if (call) await Promise.race([ended, Promise.all(backups)]);
    else await sleep(at);
    const isRunning = child.exitCode === null && child.signalCode === null;
    if (isRunning) {
      // strace ends with what it traces.
      if (call) await this.#server![Symbol.asyncDispose]();
      else child.kill('SIGKILL');
    }
    await ended;
    if (!isRunning || !call) this.#count.killed += 1;
    if (!isRunning && call) this.#count.atCalls += 1;
    this.#server = await this.#start();
    for (const [index, backup] of backups.entries()) await this.#follow(name, this.#computers[index]!, await backup);
    await this.#check(name);
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
    this.#onFailure?.(failure);
  }
}
