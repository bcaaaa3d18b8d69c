import type { ByteRange, Storage, StoredFile } from '../../../src/storage/storage.ts';
import { MemoryStorage, type MemoryFiles } from './memory-storage.ts';

export type StorageMethod = 'list' | 'get' | 'put' | 'delete';

/** What happens in a call. */
export type Fault =
  /** Throws instead of taking effect. */
  | { readonly kind: 'fail-before'; readonly error: unknown }
  /** Takes effect, and throws. */
  | { readonly kind: 'fail-after'; readonly error: unknown }
  /** Waits before it takes effect. */
  | { readonly kind: 'delay'; readonly until: Promise<unknown> }
  /** A `get` returns at most this number of bytes. */
  | { readonly kind: 'truncate'; readonly bytes: number }
  /** A `get` returns other bytes. */
  | { readonly kind: 'alter'; readonly alter: (bytes: Uint8Array) => Uint8Array | undefined }
  /** A `list` yields what the `list` of this number yielded. */
  | { readonly kind: 'stale'; readonly call: number };

/** A change of the store, in the order in which the changes took effect. */
export type Effect =
  | { readonly kind: 'put'; readonly name: string; readonly bytes: Uint8Array }
  | { readonly kind: 'delete'; readonly name: string };

interface Planned {
  readonly method: StorageMethod;
  /** Number of the call of this method, from 1. */
  readonly call: number;
  readonly fault: Fault;
}

/** Wraps a store, counts its calls, records its changes and injects faults by method and number of the call. */
export class FaultyStorage implements Storage {
  readonly #inner: Storage;
  readonly #planned = new Set<Planned>();
  readonly #listed = new Map<number, readonly (readonly StoredFile[])[]>();
  #death: { readonly error: unknown; readonly effects: number } | undefined;
  /** Changes that took effect or may still do so. */
  #changes = 0;
  /** Number of calls so far, also of those that failed. */
  readonly calls: Record<StorageMethod, number> = { list: 0, get: 0, put: 0, delete: 0 };
  readonly effects: Effect[] = [];

  constructor(inner: Storage = new MemoryStorage()) {
    this.#inner = inner;
  }

  get address(): string {
    return this.#inner.address;
  }

  get concurrency(): number {
    return this.#inner.concurrency;
  }

  /** Plans a fault for one call. @param call counts from 1, over all calls of this method */
  plan(method: StorageMethod, call: number, fault: Fault): void {
    this.#planned.add({ method, call, fault });
  }

  /** Makes every call throw once a number of changes took effect, as if the computer had lost the store. */
  dieAfter(effects: number, error: unknown): void {
    this.#death = { error, effects };
  }

  /** Planned faults whose call has not happened. A test expects none at its end. */
  get unfired(): readonly Planned[] {
    return [...this.#planned];
  }

  async *list(prefix: string, signal?: AbortSignal): AsyncGenerator<readonly StoredFile[]> {
    const { number, faults } = await this.#begin('list');
    const batches: (readonly StoredFile[])[] = [];
    for await (const batch of this.#inner.list(prefix, signal, undefined)) batches.push(batch);
    this.#listed.set(number, batches);
    const stale = faults.find((fault) => fault.kind === 'stale');
    if (stale && !this.#listed.has(stale.call)) throw new Error(`there was no list number ${stale.call}`);
    yield* (stale ? this.#listed.get(stale.call) : batches)!.map((batch) =>
      batch.filter(({ name }) => name.startsWith(prefix)),
    );
    this.#end(faults);
  }

  async get(name: string, range?: ByteRange, signal?: AbortSignal): Promise<Uint8Array | undefined> {
    const { faults } = await this.#begin('get');
    let bytes = await this.#inner.get(name, range, signal);
    for (const fault of faults) {
      if (fault.kind === 'truncate') bytes = bytes?.subarray(0, fault.bytes);
      if (fault.kind === 'alter') bytes = bytes && fault.alter(bytes);
    }
    this.#end(faults);
    return bytes;
  }

  async put(name: string, parts: readonly Uint8Array[], signal?: AbortSignal): Promise<'created' | 'exists'> {
    const { faults } = await this.#begin('put');
    const outcome = await this.#changing(() => this.#inner.put(name, parts, signal));
    if (outcome === 'created') this.effects.push({ kind: 'put', name, bytes: Buffer.concat(parts) });
    else this.#changes -= 1;
    this.#end(faults);
    return outcome;
  }

  async delete(name: string, signal?: AbortSignal): Promise<void> {
    const { faults } = await this.#begin('delete');
    await this.#changing(() => this.#inner.delete(name, signal));
    this.effects.push({ kind: 'delete', name });
    this.#end(faults);
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#inner[Symbol.asyncDispose]();
  }

  async #begin(method: StorageMethod): Promise<{ readonly number: number; readonly faults: readonly Fault[] }> {
    this.calls[method] += 1;
    const number = this.calls[method];
    const due = [...this.#planned].filter((planned) => planned.method === method && planned.call === number);
    const faults = due.map((planned) => {
      this.#planned.delete(planned);
      return planned.fault;
    });
    this.#checkAlive();
    for (const fault of faults) {
      if (fault.kind === 'delay') await fault.until;
      if (fault.kind === 'fail-before') throw fault.error;
    }
    return { number, faults };
  }

  /** Counts a change before it is made, so that concurrent calls do not exceed the number. */
  async #changing<Result>(change: () => Promise<Result>): Promise<Result> {
    this.#checkAlive();
    this.#changes += 1;
    try {
      return await change();
    } catch (error) {
      this.#changes -= 1;
      throw error;
    }
  }

  #checkAlive(): void {
    if (this.#death && this.#changes >= this.#death.effects) throw this.#death.error;
  }

  #end(faults: readonly Fault[]): void {
    const failure = faults.find((fault) => fault.kind === 'fail-after');
    if (failure) throw failure.error;
  }
}

/** Returns the files as they are after some changes, for instance after each prefix of those that a run made. */
export function replayed(effects: readonly Effect[], before: MemoryFiles = new Map(), created = 0): MemoryFiles {
  const files: MemoryFiles = new Map(before);
  for (const effect of effects) {
    if (effect.kind === 'delete') files.delete(effect.name);
    else files.set(effect.name, { bytes: effect.bytes, created });
  }
  return files;
}
