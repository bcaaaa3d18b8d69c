import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isHoldfastError } from '../../../src/base/errors/errors.ts';
import type { CopyWorld, Place } from '../copy/copy-world.ts';
import { differences } from '../../helpers/differences.ts';
import type { Random } from '../../helpers/random.ts';

/** Errors that no run with a broken line may end with: they stand for a bug. */
const BUG = 'internal';

/** A line to a destination, with a fault on demand. */
export interface Line<Fault> {
  /** Counts what passes from 0 again. @returns what passed before, in the unit of the faults */
  begin(fault?: Fault): Promise<number> | number;
}

export interface LineCampaignResult {
  readonly runs: number;
  readonly succeeded: number;
  /** Runs that failed with a named error. */
  readonly failed: number;
  readonly failures: readonly string[];
}

export interface LineCampaignParts<Fault> {
  readonly world: CopyWorld;
  readonly place: Place;
  readonly line: Line<Fault>;
  readonly random: Random;
  /** Returns the faults to try in a run in which so much passes. */
  readonly faultsIn: (passed: number) => readonly Fault[];
  readonly nameOf: (fault: Fault) => string;
}

/**
 * Backs up to a destination and restores from it, with a fault in each run. A run has to succeed, or to fail with a named error. After one
 * that claims success, and after the next without a fault, everything comes back.
 */
export class LineCampaign<Fault> {
  readonly #parts: LineCampaignParts<Fault>;
  readonly #failures: string[] = [];
  #runs = 0;
  #succeeded = 0;

  constructor(parts: LineCampaignParts<Fault>) {
    this.#parts = parts;
  }

  async run(): Promise<LineCampaignResult> {
    const { world, place, faultsIn } = this.#parts;
    for (let file = 0; file < 6; file += 1) this.#change();
    await world.backup(place);
    const passed = await this.#passedIn();
    for (const fault of faultsIn(passed.backup)) await this.#tryBackup(fault);
    for (const fault of faultsIn(passed.restore)) await this.#tryRestore(fault);
    return {
      runs: this.#runs,
      succeeded: this.#succeeded,
      failed: this.#runs - this.#succeeded,
      failures: this.#failures,
    };
  }

  async #passedIn(): Promise<{ readonly backup: number; readonly restore: number }> {
    const { world, place, line } = this.#parts;
    this.#change();
    await line.begin();
    await world.backup(place);
    const backup = await line.begin();
    const { target } = await world.restore(place);
    rmSync(target, { recursive: true });
    return { backup, restore: await line.begin() };
  }

  async #tryBackup(fault: Fault): Promise<void> {
    const { world, place, line, nameOf } = this.#parts;
    const name = `backup, ${nameOf(fault)}`;
    this.#runs += 1;
    this.#change();
    await line.begin(fault);
    const before = this.#failures.length;
    const hasSucceeded = await this.#attempt(name, () => world.backup(place));
    await line.begin();
    if (hasSucceeded) await this.#compare(`${name}, said to be done`);
    if (hasSucceeded) this.#succeeded += 1;
    await this.#attempt(`${name}, the next`, () => world.backup(place), true);
    if (this.#failures.length === before) await this.#compare(`${name}, after the next`);
  }

  async #tryRestore(fault: Fault): Promise<void> {
    const { world, place, line, nameOf } = this.#parts;
    const name = `restore, ${nameOf(fault)}`;
    this.#runs += 1;
    await line.begin(fault);
    let restored: Awaited<ReturnType<CopyWorld['restore']>> | undefined;
    const hasSucceeded = await this.#attempt(name, async () => {
      restored = await world.restore(place);
    });
    await line.begin();
    if (hasSucceeded) this.#succeeded += 1;
    if (!restored) return;
    const { target, report } = restored;
    // A damaged part of the tree is a failure, and each of its files a warning.
    const named = new Set([...report.failures, ...report.warnings].map(({ path }) => path));
    for (const file of readdirSync(world.source)) {
      const source = join(world.source, file);
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
  async #compare(name: string): Promise<void> {
    const { world, place } = this.#parts;
    try {
      const { target } = await world.restore(place);
      const found = differences(world.source, target);
      if (found !== '') this.#failures.push(`${name}: ${found}`);
      rmSync(target, { recursive: true });
    } catch (error) {
      this.#failures.push(`${name}: ${String(error)}`);
    }
  }

  /** Changes one file, and adds one now and then. */
  #change(): void {
    const { world, random } = this.#parts;
    mkdirSync(world.source, { recursive: true });
    const files = readdirSync(world.source);
    const file = files.length < 6 || random.chance(0.1) ? `file ${files.length}` : random.pick(files);
    writeFileSync(join(world.source, file), random.bytes(200 + random.below(20_000)));
  }
}
