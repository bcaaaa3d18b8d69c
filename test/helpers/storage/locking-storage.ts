import { HoldfastError } from '../../../src/base/errors/errors.ts';
import type { StorageLocks } from '../../../src/storage/storage-locks.ts';
import { MemoryStorage, type MemoryFiles } from './memory-storage.ts';

/** What several storages share: the ends of locks, and files that somebody hid or covered. */
export interface LockState {
  readonly ends: Map<string, number>;
  readonly covered: MemoryFiles;
}

/** A store in memory that locks files as a bucket with object lock does. */
export class LockingStorage extends MemoryStorage {
  readonly state: LockState;
  /** Names whose locks were extended. */
  readonly extended: string[] = [];
  /** Names of which a deletion was requested. */
  readonly deletions: string[] = [];
  readonly locks: StorageLocks;
  readonly #now: () => number;

  constructor(files: MemoryFiles, now: () => number, state: LockState = { ends: new Map(), covered: new Map() }) {
    super(files, now);
    this.#now = now;
    this.state = state;
    const created = new Map<string, number>();
    this.locks = {
      period: 0,
      isSupported: async () => true,
      now,
      takeCreated: () => {
        const taken = new Map(created);
        created.clear();
        return taken;
      },
      extend: async (name, until) => {
        this.extended.push(name);
        if (!this.files.has(name)) return undefined;
        const end = Math.max(until, this.state.ends.get(name) ?? 0);
        this.state.ends.set(name, end);
        return end;
      },
      hidden: async (prefix) =>
        [...this.state.covered.keys()].filter((name) => name.startsWith(prefix) && !this.files.has(name)),
      show: async (name) => {
        this.files.set(name, this.state.covered.get(name)!);
        return true;
      },
      restore: async (name, isRight) => {
        const file = [this.state.covered.get(name), this.files.get(name)].find((one) => one && isRight(one.bytes));
        if (file) this.files.set(name, file);
        return file !== undefined;
      },
    };
    this.#created = created;
  }

  readonly #created: Map<string, number>;

  override async put(name: string, parts: readonly Uint8Array[], signal?: AbortSignal): Promise<'created' | 'exists'> {
    const outcome = await super.put(name, parts, signal);
    if (outcome === 'created' && this.locks.period > 0 && !name.startsWith('keys/')) {
      const end = this.#now() + this.locks.period;
      this.state.ends.set(name, end);
      this.#created.set(name, end);
    }
    return outcome;
  }

  override async delete(name: string, signal?: AbortSignal): Promise<void> {
    this.deletions.push(name);
    const lockedUntil = this.state.ends.get(name) ?? 0;
    if (lockedUntil > this.#now() && this.files.has(name)) {
      throw new HoldfastError('permission_denied', { bucket: 'memory:', problem: 'bucket-delete', lockedUntil });
    }
    await super.delete(name, signal);
  }

  /** Deletes a file as somebody does who has the keys of the bucket. */
  hide(name: string): void {
    this.state.covered.set(name, this.files.get(name)!);
    this.files.delete(name);
  }

  /** Replaces a file by other bytes, as somebody does who has the keys of the bucket. */
  cover(name: string, bytes: Uint8Array): void {
    const file = this.files.get(name)!;
    this.state.covered.set(name, file);
    this.files.set(name, { bytes, created: file.created });
  }
}
