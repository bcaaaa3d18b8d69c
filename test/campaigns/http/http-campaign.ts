import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isHoldfastError } from '../../../src/base/errors/errors.ts';
import { RUN_RETRY_POLICY } from '../../../src/engine/transfer/http/retrier.ts';
import type { WorkerPool } from '../../../src/engine/workers/pool.ts';
import { CopyWorld, type Place } from '../../engine/copy/copy-world.ts';
import { differences } from '../../helpers/differences.ts';
import { impatientClock } from '../../helpers/impatient-clock.ts';
import { Random } from '../../helpers/random.ts';
import { FAULT_KINDS, FaultyHttp, type HttpFault } from './faulty-http.ts';

/** Errors that no run with a broken line may end with: they stand for a bug. */
const BUG = 'internal';

export interface HttpCampaignResult {
  readonly runs: number;
  readonly succeeded: number;
  /** Runs that failed with a named error. */
  readonly failed: number;
  readonly failures: readonly string[];
}

/**
 * Backs up to a service and restores from it, with a fault in one call of each run, or from one call on. A run has to succeed, or to fail
 * with a named error. After one that claims success, and after the next without a fault, everything comes back.
 *
 * @param every the share of the faults that is tried: 1 for all, 10 for a tenth
 */
export async function runHttpCampaign(
  pool: WorkerPool,
  { seed, every }: { readonly seed: number; readonly every: number },
): Promise<HttpCampaignResult> {
  const campaign = new HttpCampaign(pool, seed);
  await using _ = campaign;
  return await campaign.run(every);
}

class HttpCampaign implements AsyncDisposable {
  readonly #world: CopyWorld;
  readonly #random: Random;
  readonly #failures: string[] = [];
  #runs = 0;
  #succeeded = 0;

  constructor(pool: WorkerPool, seed: number) {
    this.#world = new CopyWorld(pool);
    this.#random = new Random(seed);
  }

  async run(every: number): Promise<HttpCampaignResult> {
    let http: FaultyHttp | undefined;
    const place = await this.#world.service('service', {
      clock: impatientClock,
      policy: RUN_RETRY_POLICY,
      wrap: (inner) => (http = new FaultyHttp(inner)),
    });
    const line = http!;
    for (let file = 0; file < 6; file += 1) this.#change();
    await this.#world.backup(place);
    const calls = await this.#callsOf(line, place);
    for (const fault of this.#faults(calls.backup, every)) await this.#tryBackup(line, place, fault);
    for (const fault of this.#faults(calls.restore, every)) await this.#tryRestore(line, place, fault);
    return {
      runs: this.#runs,
      succeeded: this.#succeeded,
      failed: this.#runs - this.#succeeded,
      failures: this.#failures,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#world[Symbol.asyncDispose]();
  }

  async #callsOf(line: FaultyHttp, place: Place): Promise<{ readonly backup: number; readonly restore: number }> {
    this.#change();
    line.begin();
    await this.#world.backup(place);
    const backup = line.begin();
    const { target } = await this.#world.restore(place);
    rmSync(target, { recursive: true });
    return { backup, restore: line.begin() };
  }

  #faults(calls: number, every: number): readonly HttpFault[] {
    const all = Array.from({ length: calls }, (_, at) => at).flatMap((at) =>
      FAULT_KINDS.flatMap((kind) => [true, false].map((isLasting) => ({ at, kind, isLasting }))),
    );
    return this.#random.shuffled(all).slice(0, Math.ceil(all.length / every));
  }

  async #tryBackup(line: FaultyHttp, place: Place, fault: HttpFault): Promise<void> {
    const name = `backup, ${nameOf(fault)}`;
    this.#runs += 1;
    this.#change();
    line.begin(fault);
    const before = this.#failures.length;
    const hasSucceeded = await this.#attempt(name, () => this.#world.backup(place));
    line.begin();
    if (hasSucceeded) await this.#compare(place, `${name}, said to be done`);
    if (hasSucceeded) this.#succeeded += 1;
    await this.#attempt(`${name}, the next`, () => this.#world.backup(place), true);
    if (this.#failures.length === before) await this.#compare(place, `${name}, after the next`);
  }

  async #tryRestore(line: FaultyHttp, place: Place, fault: HttpFault): Promise<void> {
    const name = `restore, ${nameOf(fault)}`;
    this.#runs += 1;
    line.begin(fault);
    let restored: Awaited<ReturnType<CopyWorld['restore']>> | undefined;
    const hasSucceeded = await this.#attempt(name, async () => {
      restored = await this.#world.restore(place);
    });
    line.begin();
    if (hasSucceeded) this.#succeeded += 1;
    if (!restored) return;
    const { target, report } = restored;
    // A damaged part of the tree is a failure, and each of its files a warning.
    const named = new Set([...report.failures, ...report.warnings].map(({ path }) => path));
    for (const file of readdirSync(this.#world.source)) {
      const source = join(this.#world.source, file);
      const copy = join(target, file);
      if (named.has(source)) continue;
      const isThere = existsSync(copy) && readFileSync(copy).equals(readFileSync(source));
      if (!isThere) this.#failures.push(`${name}: ${file} is missing or wrong, and not named`);
    }
    rmSync(target, { recursive: true, force: true });
  }

  /** Returns whether it succeeded. Errors without a name of their own are failures of the campaign. */
  async #attempt(name: string, work: () => Promise<unknown>, mustSucceed = false): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      const isNamed = isHoldfastError(error) && error.code !== BUG;
      if (mustSucceed || !isNamed) this.#failures.push(`${name}: ${String(error)}`);
      return false;
    }
  }

  /** Restores everything, and has it compared by another program. */
  async #compare(place: Place, name: string): Promise<void> {
    const { target } = await this.#world.restore(place);
    const found = differences(this.#world.source, target);
    if (found !== '') this.#failures.push(`${name}: ${found}`);
    rmSync(target, { recursive: true });
  }

  /** Changes one file, and adds one now and then. */
  #change(): void {
    mkdirSync(this.#world.source, { recursive: true });
    const files = readdirSync(this.#world.source);
    const file = files.length < 6 || this.#random.chance(0.1) ? `file ${files.length}` : this.#random.pick(files);
    writeFileSync(join(this.#world.source, file), this.#random.bytes(200 + this.#random.below(20_000)));
  }
}

function nameOf({ at, kind, isLasting }: HttpFault): string {
  return `call ${at}${isLasting ? ' and all later ones' : ''}: ${kind}`;
}
