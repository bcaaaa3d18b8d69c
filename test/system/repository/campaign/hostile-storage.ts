import { HoldfastError } from '../../../../src/base/errors/errors.ts';
import type { ByteRange, Storage, StoredFile } from '../../../../src/storage/storage.ts';
import type { Random } from '../../../helpers/random.ts';

export class Killed extends Error {
  constructor() {
    super('killed');
  }
}

export interface Hostility {
  /** Calls until the process is killed: before or after the last one took effect. */
  readonly killAfter: number | undefined;
  /** Probability that a call fails, before or after it took effect. */
  readonly failing: number;
  /** Probability that a listing lacks the newest files. */
  readonly stale: number;
}

export const HARMLESS: Hostility = { killAfter: undefined, failing: 0, stale: 0 };

/** The newest files, which a stale listing lacks: those of so many milliseconds. */
const STALE_MS = 200;

/** A store that fails, that a process dies at, and that lists late, by chance. */
export class HostileStorage implements Storage {
  readonly address: string;
  readonly concurrency = 4;
  hostility: Hostility = HARMLESS;
  isDead = false;
  readonly #inner: Storage;
  readonly #random: Random;
  readonly #now: () => number;
  #calls = 0;
  /** Writes that failed and take effect later. */
  #late: (() => Promise<unknown>)[] = [];

  constructor(inner: Storage, random: Random, now: () => number) {
    this.#inner = inner;
    this.#random = random;
    this.#now = now;
    this.address = inner.address;
  }

  begin(hostility: Hostility): void {
    this.hostility = hostility;
    this.isDead = false;
    this.#calls = 0;
  }

  /** Lets writes take effect that seemed to have failed. */
  async settle(): Promise<void> {
    const late = this.#late;
    this.#late = [];
    for (const write of late) await write();
  }

  async *list(prefix: string, signal?: AbortSignal): AsyncGenerator<readonly StoredFile[]> {
    const batches = await this.#call(async () => {
      const all: (readonly StoredFile[])[] = [];
      for await (const batch of this.#inner.list(prefix, signal, undefined)) all.push(batch);
      return all;
    });
    const from = this.#random.chance(this.hostility.stale) ? this.#now() - STALE_MS : Infinity;
    for (const batch of batches) yield batch.filter(({ created = 0 }) => created < from);
  }

  get(name: string, range?: ByteRange, signal?: AbortSignal): Promise<Uint8Array | undefined> {
    return this.#call(() => this.#inner.get(name, range, signal));
  }

  put(name: string, parts: readonly Uint8Array[], signal?: AbortSignal): Promise<'created' | 'exists'> {
    const copy = [Buffer.concat(parts)];
    return this.#call(
      () => this.#inner.put(name, copy, signal),
      () => this.#inner.put(name, copy),
    );
  }

  delete(name: string, signal?: AbortSignal): Promise<void> {
    return this.#call(() => this.#inner.delete(name, signal));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#inner[Symbol.asyncDispose]();
  }

  async #call<Result>(work: () => Promise<Result>, late?: () => Promise<unknown>): Promise<Result> {
    if (this.isDead) throw new Killed();
    const { killAfter, failing } = this.hostility;
    const random = this.#random;
    this.#calls += 1;
    if (killAfter !== undefined && this.#calls > killAfter) {
      this.isDead = true;
      if (random.chance(0.5)) await work();
      else if (late && random.chance(0.3)) this.#late.push(late);
      throw new Killed();
    }
    if (random.chance(failing)) {
      const way = random.below(3);
      if (way === 1) await work();
      if (way === 2 && late) this.#late.push(late);
      throw new HoldfastError('service_unreachable', { address: this.address }, { retryable: true });
    }
    const result = await work();
    // Killed by another call meanwhile: the answer reaches nobody.
    if (this.isDead) throw new Killed();
    return result;
  }
}
