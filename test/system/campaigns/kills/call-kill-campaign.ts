import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeEnd, isAsExpected, Workplace, type Ended } from '../../e2e/workplace.ts';
import { differences } from '../../../helpers/differences.ts';
import { FolderSnapshot } from '../../../helpers/folder-snapshot.ts';
import { HAS_FUSE, isMounted } from '../../../helpers/mount.ts';
import { Random } from '../../../helpers/random.ts';
import { ChangingFolder } from '../changing-folder.ts';
import { countCalls, straceOf } from '../traced-calls.ts';

const SET = 'documents';
/** How often a command is run again before it counts as stuck. */
const ATTEMPTS = 3;
const PATIENCE_MS = 60_000;
/** Backups at the destination from which `free` frees. The first two are removed. */
const FULL_RUNS = 5;

/** A command, the state in which it begins, and what holds once it has been run to its end. */
interface Scenario {
  readonly name: string;
  readonly words: readonly string[];
  readonly home?: string;
  /** Exit codes of the command when it is run again. */
  readonly expected: readonly number[];
  prepare(): Promise<void>;
  /** Waits for the end of the command, and ends one that would go on. By default it ends by itself. */
  end?(ended: Promise<Ended>): Promise<Ended>;
  /** Returns what is wrong. */
  judge(): Promise<string>;
}

export interface CallKillResult {
  readonly runs: number;
  /** Runs that were killed at their call. The others made it less often. */
  readonly killed: number;
  readonly failures: readonly string[];
}

export interface CallKillOptions {
  readonly seed: number;
  /** Kills at random calls; by default at each call of each command. */
  readonly runs?: number | undefined;
  /** Kills commands whose name contains it. */
  readonly only?: string | undefined;
  readonly onFailure?: (failure: string) => void;
}

/**
 * Kills the program at its system calls: before each that changes a file, SIGKILL. The command has to succeed when it is run again, without a
 * word about a bug, and to have done then what it does without a kill; what it replaced is still there.
 */
export async function runCallKillCampaign(options: CallKillOptions): Promise<CallKillResult> {
  using campaign = new CallKillCampaign(options);
  return await campaign.run();
}

class CallKillCampaign implements Disposable {
  readonly #place = new Workplace({ isReal: true });
  readonly #options: CallKillOptions;
  readonly #random: Random;
  readonly #source: ChangingFolder;
  readonly #failures: string[] = [];
  /** The home and the destination from which `free` frees. */
  #full: FolderSnapshot | undefined;
  #runs = 0;
  #killed = 0;

  constructor(options: CallKillOptions) {
    this.#options = options;
    this.#random = new Random(options.seed);
    this.#source = new ChangingFolder(this.#place.path('source'), this.#random, { files: 6, mostBytes: 40_000 });
  }

  async run(): Promise<CallKillResult> {
    await this.#begin();
    const scenarios = this.#scenarios.filter(({ name }) => name.includes(this.#options.only ?? ''));
    const { runs } = this.#options;
    if (runs === undefined) for (const scenario of scenarios) await this.#killEverywhere(scenario);
    else for (let run = 0; run < runs; run += 1) await this.#killSomewhere(scenarios[run % scenarios.length]!);
    return { runs: this.#runs, killed: this.#killed, failures: this.#failures };
  }

  [Symbol.dispose](): void {
    this.#full?.[Symbol.dispose]();
    this.#place[Symbol.dispose]();
  }

  get #scenarios(): readonly Scenario[] {
    const { destination } = this.#place;
    const phrase = this.#path('phrase');
    return [
      {
        name: 'restore --in-place',
        words: ['restore', SET, '--in-place', '--conflict', 'overwrite'],
        expected: [0],
        prepare: () => this.#changeSource(),
        judge: () => this.#judgeRestored(),
      },
      {
        name: 'undo',
        words: ['undo'],
        // One that was complete leaves nothing to undo.
        expected: [0, 2],
        prepare: async () => {
          await this.#changeSource();
          await this.#expect('the restore before', ['restore', SET, '--in-place', '--conflict', 'overwrite'], [0]);
        },
        judge: async () => differences(this.#path('changed'), this.#source.path),
      },
      {
        name: 'export',
        words: ['export', SET, '--to', this.#path('archive.tar')],
        // A complete one is there already.
        expected: [0, 2],
        prepare: async () => rmSync(this.#path('archive.tar'), { force: true }),
        judge: () => this.#judgeArchive(),
      },
      {
        name: 'setup of a new destination',
        words: ['setup', '--destination', this.#path('new')],
        home: this.#path('new-home'),
        // One that was complete is not repeated.
        expected: [0, 2],
        prepare: async () => this.#remove('new', 'new-home'),
        judge: () => this.#judgeNewDestination(),
      },
      {
        name: 'setup at existing backups',
        words: ['setup', '--destination', destination, '--recovery-phrase-file', phrase],
        home: this.#path('new-home'),
        expected: [0, 2],
        prepare: async () => this.#remove('new-home'),
        judge: () => this.#judgeJoined(),
      },
      {
        name: 'free',
        words: ['free', '--yes'],
        home: this.#path('full', 'home'),
        expected: [0],
        prepare: () => this.#prepareFreeing(),
        judge: () => this.#judgeFreed(),
      },
      ...(HAS_FUSE ? [this.#mount] : []),
    ];
  }

  get #mount(): Scenario {
    const mountpoint = this.#path('mountpoint');
    let found = '';
    return {
      name: 'mount',
      words: ['mount', SET, mountpoint],
      expected: [0],
      prepare: async () => {
        // The mount of a program that was killed goes away by itself.
        await until(() => !isMounted(mountpoint));
        mkdirSync(mountpoint, { recursive: true });
        found = 'it was not mounted';
      },
      end: async (ended) => {
        let hasEnded = false;
        void ended.then(() => (hasEnded = true));
        await until(() => hasEnded || isMounted(mountpoint));
        if (hasEnded) return await ended;
        found = differences(this.#path('kept'), join(mountpoint, 'latest', 'source'));
        spawnSync('umount', [mountpoint]);
        return await ended;
      },
      judge: async () => found,
    };
  }

  #path(...names: readonly string[]): string {
    return this.#place.path(...names);
  }

  #remove(...names: readonly string[]): void {
    for (const name of names) rmSync(this.#path(name), { recursive: true, force: true });
  }

  async #begin(): Promise<void> {
    this.#source.create();
    mkdirSync(join(this.#source.path, 'folder'));
    writeFileSync(join(this.#source.path, 'folder', 'inner'), this.#random.bytes(10_000));
    this.#place.write('phrase', await this.#place.setUp());
    await this.#place.addSet(SET, this.#source.path);
    await this.#place.json(['backup', SET]);
    cpSync(this.#source.path, this.#path('kept'), { recursive: true, preserveTimestamps: true });
  }

  /** Brings the source back to the restore point, with the times of it, and changes and removes some of its files. */
  async #changeSource(): Promise<void> {
    for (const name of readdirSync(this.#place.folder))
      // What earlier runs moved aside.
      if (name.startsWith('source')) this.#remove(name);
    cpSync(this.#path('kept'), this.#source.path, { recursive: true, preserveTimestamps: true });
    const files = readdirSync(this.#source.path).filter((name) => name !== 'folder');
    writeFileSync(join(this.#source.path, files[0]!), 'changed since');
    writeFileSync(join(this.#source.path, 'folder', 'inner'), 'also changed');
    writeFileSync(join(this.#source.path, 'new since'), 'new');
    rmSync(join(this.#source.path, files[1]!));
    this.#remove('changed');
    cpSync(this.#source.path, this.#path('changed'), { recursive: true, preserveTimestamps: true });
  }

  /** All files are as they were, what is new stays, and an undo brings the changed files back. */
  async #judgeRestored(): Promise<string> {
    const restored = differences(this.#path('kept'), this.#source.path, '-x', 'new since');
    if (restored !== '') return restored;
    // A restore in several attempts may be undone in several steps.
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const ended = await this.#place.run('undo');
      if (ended.status !== 0) break;
    }
    const undone = differences(this.#path('changed'), this.#source.path);
    return undone === '' ? '' : `not undone: ${undone}`;
  }

  /** tar reads the archive, whose contents are those of the restore point. */
  async #judgeArchive(): Promise<string> {
    const folder = this.#path('extracted');
    this.#remove('extracted');
    mkdirSync(folder);
    const { status, stderr } = spawnSync('tar', ['-xf', this.#path('archive.tar'), '-C', folder], { encoding: 'utf8' });
    const left = readdirSync(this.#place.folder).filter(
      (name) => name.includes('archive.tar') && name !== 'archive.tar',
    );
    if (left.length > 0) return `left behind: ${left.join()}`;
    return status === 0 ? differences(this.#path('kept'), join(folder, 'source')) : stderr;
  }

  async #judgeNewDestination(): Promise<string> {
    const home = this.#path('new-home');
    for (const words of [
      ['set', 'add', SET, this.#path('kept')],
      ['backup', SET],
      ['restore', SET, '--to', this.#path('target')],
    ]) {
      this.#remove('target');
      const ended = await this.#place.runAt(home, words);
      if (ended.status !== 0) return describeEnd(ended);
    }
    return differences(this.#path('kept'), join(this.#path('target'), 'kept'));
  }

  async #judgeJoined(): Promise<string> {
    this.#remove('target');
    const home = this.#path('new-home');
    const listed = await this.#place.runAt(home, ['devices', '--json']);
    if (listed.status !== 0) return describeEnd(listed);
    const { devices } = JSON.parse(listed.stdout) as { readonly devices: readonly { readonly id: string }[] };
    for (const { id } of devices) {
      const words = ['restore', SET, '--device', id, '--to', this.#path('target')];
      const ended = await this.#place.runAt(home, words);
      if (ended.status === 0) return differences(this.#path('kept'), join(this.#path('target'), 'source'));
    }
    return `no device has the set: ${listed.stdout}`;
  }

  /** A destination where some packs are dead, some mostly dead, and an interrupted backup has left others. */
  async #prepareFreeing(): Promise<void> {
    if (this.#full) return this.#full.restore();
    mkdirSync(this.#path('full'));
    const source = this.#path('full', 'source');
    const change = (run: number, bytes: number, ...files: readonly number[]): void => {
      for (const file of files) writeFileSync(join(source, `file ${file}`), this.#random.bytes(bytes));
      writeFileSync(join(source, 'run'), String(run));
    };
    mkdirSync(source);
    await this.#inFull(['setup', '--destination', this.#path('full', 'destination')]);
    change(0, 40_000, 0, 1, 2, 3, 4, 5);
    await this.#inFull(['set', 'add', SET, source, '--exclude', '!*']);
    for (let run = 1; run <= FULL_RUNS; run += 1) {
      const { restore_point: time } = await this.#inFull<{ restore_point: string }>(['backup', SET]);
      cpSync(source, this.#path('full', 'kept', time), { recursive: true, preserveTimestamps: true });
      change(run, 40_000, 1, 2, 3, 4, 5 % run);
    }
    for (const time of readdirSync(this.#path('full', 'kept')).toSorted().slice(0, 2)) {
      await this.#inFull(['points', 'remove', SET, time, '--yes']);
      this.#remove(join('full', 'kept', time));
    }
    await this.#interruptBackup(() => change(FULL_RUNS + 1, 9_000_000, 6, 7));
    this.#full = new FolderSnapshot(this.#path('full'));
  }

  /** Kills a backup after its first pack. */
  async #interruptBackup(change: () => void): Promise<void> {
    change();
    const packs = (): number => readdirSync(this.#path('full', 'destination', 'packs'), { recursive: true }).length;
    const before = packs();
    const { child, ended } = this.#place.start(['backup', SET], this.#path('full', 'home'));
    await until(() => packs() > before + 1 || child.exitCode !== null);
    child.kill('SIGKILL');
    await ended;
  }

  async #inFull<Answer = object>(words: readonly string[]): Promise<Answer> {
    const ended = await this.#place.runAt(this.#path('full', 'home'), [...words, '--json']);
    if (ended.status !== 0) throw new Error(`${words.join(' ')}: ${describeEnd(ended)}`);
    return JSON.parse(ended.stdout) as Answer;
  }

  /** Every listed restore point is as it was, nothing is damaged, and nothing more can be freed. */
  async #judgeFreed(): Promise<string> {
    const kept = readdirSync(this.#path('full', 'kept')).toSorted();
    const { points } = await this.#inFull<{ points: readonly { restore_point: string }[] }>(['points', SET]);
    const listed = points.map(({ restore_point: time }) => time).toSorted();
    if (listed.join() !== kept.join()) return `listed: ${listed.join()}; backed up: ${kept.join()}`;
    for (const time of kept) {
      this.#remove('target');
      await this.#inFull(['restore', SET, '--at', time, '--to', this.#path('target')]);
      const found = differences(this.#path('full', 'kept', time), this.#path('target', 'source'));
      if (found !== '') return `${time}: ${found}`;
    }
    await this.#inFull(['check', '--read-data']);
    const { now_bytes: bytes } = await this.#inFull<{ now_bytes: number }>(['free', '--dry-run']);
    return bytes === 0 ? '' : `${bytes} bytes were left`;
  }

  /** Kills at each call that the command makes without a kill. */
  async #killEverywhere(scenario: Scenario): Promise<void> {
    for (const [call, count] of await this.#count(scenario)) {
      for (let at = 1; at <= count; at += 1) await this.#kill(scenario, call, at);
    }
  }

  async #killSomewhere(scenario: Scenario): Promise<void> {
    const counts = await this.#count(scenario);
    const call = this.#random.pick([...counts.keys()]);
    await this.#kill(scenario, call, 1 + this.#random.below(counts.get(call)!));
  }

  async #count(scenario: Scenario): Promise<ReadonlyMap<string, number>> {
    await scenario.prepare();
    const trace = this.#path('trace');
    const ended = await this.#run(scenario, straceOf(trace, undefined));
    if (ended.status !== 0) throw new Error(`${scenario.name} without a kill: ${describeEnd(ended)}`);
    return countCalls(readFileSync(trace, 'latin1'));
  }

  async #kill(scenario: Scenario, call: string, at: number): Promise<void> {
    const name = `${scenario.name}, killed at ${call} ${at}`;
    await scenario.prepare();
    const strace = straceOf(this.#path('trace'), { call, at, effect: 'signal=KILL', isLasting: false });
    // strace ends by the signal that ends the program.
    const { signal } = await this.#run(scenario, strace);
    this.#runs += 1;
    if (signal === 'SIGKILL') this.#killed += 1;
    const again = await this.#run(scenario);
    const wrong = isAsExpected(again, scenario.expected) ? await scenario.judge() : describeEnd(again);
    if (wrong !== '') this.#fail(`${name}: ${wrong}`);
  }

  async #run({ words, home, end }: Scenario, under?: readonly string[]): Promise<Ended> {
    const { ended } = this.#place.start(words, home, under);
    return await (end ? end(ended) : ended);
  }

  async #expect(name: string, words: readonly string[], expected: readonly number[]): Promise<void> {
    const ended = await this.#place.run(...words);
    if (!isAsExpected(ended, expected)) this.#fail(`${name}: ${describeEnd(ended)}`);
  }

  #fail(failure: string): void {
    this.#failures.push(failure);
    this.#options.onFailure?.(failure);
  }
}

async function until(isSo: () => boolean): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`waited in vain: ${isSo.toString()}`);
    await sleep(20);
  }
}
