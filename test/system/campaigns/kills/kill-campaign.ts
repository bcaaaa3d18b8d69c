import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { describeEnd, isAsExpected, Workplace } from '../../e2e/workplace.ts';
import { differences } from '../../../helpers/differences.ts';
import { Random } from '../../../helpers/random.ts';
import { ChangingFolder } from '../changing-folder.ts';

const SET = 'documents';
/** The name of the first destination, that of its folder. */
const FIRST = 'destination';
/** Also moments after the command's usual end. */
const LATEST = 1.2;

/** A command that is killed. */
interface KilledCommand {
  readonly name: string;
  readonly words: readonly string[];
  /** Chooses a restore point, whose time is the last word. */
  readonly removes?: true;
  /** Exit codes of the command when it is run again. */
  readonly expected: readonly number[];
}

export interface KillCampaignResult {
  readonly runs: number;
  /** Processes that had not ended by themselves. */
  readonly killed: number;
  readonly failures: readonly string[];
}

/**
 * Kills the program at random moments of each of its commands: SIGKILL, as a power button or the system's memory limit does. The command
 * has to succeed when it is run again, without a word about a bug; the next backup too; and everything comes back.
 */
export async function runKillCampaign({ seed, runs, signal }: KillCampaignOptions): Promise<KillCampaignResult> {
  using campaign = new KillCampaign(seed);
  return await campaign.run(runs, signal);
}

interface KillCampaignOptions {
  readonly seed: number;
  readonly runs: number;
  /** Ends the campaign after the run that is under way. */
  readonly signal?: AbortSignal;
}

class KillCampaign implements Disposable {
  readonly #place = new Workplace({ isReal: true });
  readonly #random: Random;
  readonly #source: ChangingFolder;
  readonly #failures: string[] = [];
  /** Milliseconds that each command took when nothing killed it. */
  readonly #usual = new Map<string, number>();
  #killed = 0;

  constructor(seed: number) {
    this.#random = new Random(seed);
    this.#source = new ChangingFolder(this.#place.path('source'), this.#random, { files: 12, mostBytes: 100_000 });
  }

  async run(runs: number, signal: AbortSignal | undefined): Promise<KillCampaignResult> {
    const { destination } = this.#place;
    this.#source.create();
    await this.#place.json(['setup', '--destination', destination, '--parity', '20']);
    await this.#place.json(['destination', 'add', '--destination', this.#place.path('second'), '--name', 'second']);
    await this.#place.addSet(SET, this.#source.path);
    await this.#place.json(['backup', SET]);
    await this.#place.json(['retention', 'set', SET, '--hourly', '1', '--daily', '1']);
    let run = 0;
    for (; run < runs; run += 1) {
      if (signal?.aborted) break;
      await this.#kill(this.#commands[run % this.#commands.length]!, run);
    }
    return { runs: run, killed: this.#killed, failures: this.#failures };
  }

  [Symbol.dispose](): void {
    this.#place[Symbol.dispose]();
  }

  get #target(): string {
    return this.#place.path('target');
  }

  get #commands(): readonly KilledCommand[] {
    return [
      { name: 'backup', words: ['backup', SET], expected: [0] },
      // One that was complete refuses to replace what is there.
      { name: 'restore', words: ['restore', SET, '--to', this.#target], expected: [0, 1] },
      { name: 'retention apply', words: ['retention', 'apply', SET, '--yes'], expected: [0] },
      // One that was removed is not there.
      {
        name: 'points remove',
        words: ['points', 'remove', SET, '--destination', FIRST, '--yes'],
        expected: [0, 2],
        removes: true,
      },
      { name: 'free', words: ['free', '--destination', FIRST, '--yes'], expected: [0] },
      { name: 'key rotate', words: ['key', 'rotate', '--yes', '--json'], expected: [0] },
      { name: 'check', words: ['check', '--read-data'], expected: [0] },
      { name: 'repair', words: ['repair'], expected: [0] },
      { name: 'destination copy', words: ['destination', 'copy', 'destination', 'second'], expected: [0] },
      { name: 'verify', words: ['verify', SET], expected: [0] },
    ];
  }

  async #kill(command: KilledCommand, run: number): Promise<void> {
    const name = `run ${run}, ${command.name}`;
    this.#source.change();
    // Otherwise the command would have nothing to do.
    if (command.name !== 'backup') await this.#expect(`${name}: the backup before`, ['backup', SET], [0]);
    const usual = this.#usual.get(command.name) ?? (await this.#measure(name, await this.#chosen(command)));
    const { words, expected } = await this.#chosen(command);
    rmSync(this.#target, { recursive: true, force: true });
    if (command.name === 'backup') this.#source.change();
    const before = await this.#times();
    const { child, ended } = this.#place.start(words);
    await sleep(this.#random.next() * usual * LATEST);
    child.kill('SIGKILL');
    if ((await ended).signal === 'SIGKILL') this.#killed += 1;
    await this.#expect(`${name}: again`, words, expected);
    if (command.removes) await this.#expectOnlyGone(name, words.at(-1)!, before);
    if (command.name === 'restore') this.#compare(`${name}: restored by the second attempt`);
    await this.#expect(`${name}: the next backup`, ['backup', SET], [0]);
    rmSync(this.#target, { recursive: true, force: true });
    await this.#expect(`${name}: a restore`, ['restore', SET, '--to', this.#target], [0]);
    this.#compare(name);
    rmSync(this.#target, { recursive: true, force: true });
  }

  /** The restore points of the first destination, newest first. */
  async #times(): Promise<readonly string[]> {
    const words = ['points', SET, '--destination', FIRST];
    const { points } = await this.#place.json<{ points: readonly { readonly restore_point: string }[] }>(words);
    return points.map(({ restore_point: time }) => time);
  }

  async #chosen(command: KilledCommand): Promise<KilledCommand> {
    if (!command.removes) return command;
    // The newest one stays.
    const [, ...older] = await this.#times();
    return { ...command, words: [...command.words, this.#random.pick(older)] };
  }

  async #expectOnlyGone(name: string, gone: string, before: readonly string[]): Promise<void> {
    const left = await this.#times();
    const expected = before.filter((time) => time !== gone);
    if (!isDeepStrictEqual(left, expected))
      this.#failures.push(`${name}: ${left.join()} instead of ${expected.join()}`);
  }

  async #measure(name: string, { name: command, words, expected }: KilledCommand): Promise<number> {
    const started = performance.now();
    await this.#expect(`${name}: without a kill`, words, expected);
    const usual = performance.now() - started;
    this.#usual.set(command, usual);
    return usual;
  }

  async #expect(name: string, words: readonly string[], expected: readonly number[]): Promise<void> {
    const ended = await this.#place.run(...words);
    if (!isAsExpected(ended, expected)) this.#failures.push(`${name}: ${describeEnd(ended)}`);
  }

  /** By another program. */
  #compare(name: string): void {
    const found = differences(this.#source.path, join(this.#target, 'source'));
    if (found !== '') this.#failures.push(`${name}: ${found}`);
  }
}
