import { randomBytes } from 'node:crypto';
import { isHoldfastError } from '../base/errors/errors.ts';
import type { Storage } from './storage.ts';
import { KIB } from '../model/units.ts';

/** The steps of a trial, in this order. */
export type TrialStep = 'write' | 'read' | 'refuse' | 'list' | 'delete';

/** What a store returned instead of an error: other bytes than those written, or no entry in its listing. */
export type TrialProblem = 'altered' | 'unlisted';

/** A step that failed. The cause is the error of the store; without one, `problem` is set. */
export class StorageTrialError extends Error {
  override readonly name = 'StorageTrialError';
  readonly step: TrialStep;
  readonly problem: TrialProblem | undefined;

  constructor(step: TrialStep, problem: TrialProblem | undefined, cause?: unknown) {
    super(`the trial of a store failed: ${step}${problem ? ` (${problem})` : ''}`, { cause });
    this.step = step;
    this.problem = problem;
  }
}

/** What a store can do beyond what every store has to. */
export interface StorageAbilities {
  /** `put` refuses an existing name by itself. Otherwise a name is safe only because nobody else uses it. */
  readonly refusesExisting: boolean;
  /** Files can be deleted. Otherwise the store only grows. */
  readonly deletes: boolean;
}

const TRIAL_BYTES = 64 * KIB;
/** The part that is read by itself. */
const RANGE = { offset: 1_000, length: 5_000 } as const;
const FOLDER = 'keys/';

/**
 * Does everything with a small file that a backup, a restore and a removal do, which finds out what listing and reading would not
 * show, such as keys that can only read. The file is gone afterwards if the store deletes anything.
 *
 * @throws StorageTrialError; the signal's reason
 */
export async function tryStorage(storage: Storage, signal?: AbortSignal): Promise<StorageAbilities> {
  const name = `${FOLDER}trial-${randomBytes(8).toString('hex')}`;
  const bytes = randomBytes(TRIAL_BYTES);
  const trial = new Trial(storage, signal);
  await trial.step('write', () => storage.put(name, [bytes], signal));
  let refusesExisting: boolean;
  try {
    await trial.expectBytes('read', name, bytes);
    refusesExisting = await trial.refuses(name, bytes);
    await trial.expectListed(name, bytes.length);
  } catch (error) {
    await storage.delete(name).catch(() => undefined);
    throw error;
  }
  return { refusesExisting, deletes: await trial.deletes(name) };
}

class Trial {
  readonly #storage: Storage;
  readonly #signal: AbortSignal | undefined;

  constructor(storage: Storage, signal: AbortSignal | undefined) {
    this.#storage = storage;
    this.#signal = signal;
  }

  async step<Result>(step: TrialStep, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      this.#signal?.throwIfAborted();
      throw error instanceof StorageTrialError ? error : new StorageTrialError(step, undefined, error);
    }
  }

  /** Reads the file as a whole and in part. */
  async expectBytes(step: TrialStep, name: string, bytes: Buffer): Promise<void> {
    const whole = await this.step(step, () => this.#storage.get(name, undefined, this.#signal));
    const part = await this.step(step, () => this.#storage.get(name, RANGE, this.#signal));
    const expected = bytes.subarray(RANGE.offset, RANGE.offset + RANGE.length);
    if (!whole || !part || !bytes.equals(whole) || !expected.equals(part)) throw new StorageTrialError(step, 'altered');
  }

  /** Writes other bytes to the same name. */
  async refuses(name: string, bytes: Buffer): Promise<boolean> {
    const others = randomBytes(bytes.length);
    const outcome = await this.step('refuse', () => this.#storage.put(name, [others], this.#signal));
    await this.expectBytes('refuse', name, outcome === 'exists' ? bytes : others);
    return outcome === 'exists';
  }

  async expectListed(name: string, bytes: number): Promise<void> {
    const isListed = await this.step('list', async () => {
      for await (const batch of this.#storage.list(FOLDER, this.#signal, undefined)) {
        if (batch.some((file) => file.name === name && file.bytes === bytes)) return true;
      }
      return false;
    });
    if (!isListed) throw new StorageTrialError('list', 'unlisted');
  }

  async deletes(name: string): Promise<boolean> {
    return this.step('delete', async () => {
      try {
        await this.#storage.delete(name, this.#signal);
      } catch (error) {
        if (isHoldfastError(error, 'permission_denied')) return false;
        throw error;
      }
      return (await this.#storage.get(name, undefined, this.#signal)) === undefined;
    });
  }
}
