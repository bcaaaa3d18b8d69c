import { BucketError } from '../bucket/bucket-error.ts';
import type { Bucket } from '../bucket/bucket.ts';
import { DAMAGED_FOLDER, KEYS_FOLDER, RESERVE_FOLDER } from '../../format/repository/file-names.ts';
import type { StorageLocks } from '../storage-locks.ts';
import { LockedError } from './locked-error.ts';
import { isStoredName } from '../stored-name.ts';

/** Files that may have to be deleted at once: envelopes of codes and passphrases, what a repair moved aside, and the reserve. */
const UNLOCKED = [KEYS_FOLDER, DAMAGED_FOLDER, RESERVE_FOLDER] as const;

/** The locks of a bucket. Failures are `BucketError`s. */
export class BucketLocks implements StorageLocks {
  period = 0;
  readonly #bucket: Bucket;
  readonly #convert: (error: unknown) => unknown;
  #answer: Promise<boolean> | undefined;
  #created = new Map<string, number>();

  /** @param convert converts a failure of the bucket to one of the storage */
  constructor(bucket: Bucket, convert: (error: unknown) => unknown) {
    this.#bucket = bucket;
    this.#convert = convert;
  }

  isSupported(signal?: AbortSignal): Promise<boolean> {
    this.#answer ??= this.#call(() => this.#bucket.versions.canLock(signal)).catch((error: unknown) => {
      this.#answer = undefined;
      throw error;
    });
    return this.#answer;
  }

  now(): number {
    return this.#bucket.versions.now();
  }

  takeCreated(): ReadonlyMap<string, number> {
    const created = this.#created;
    this.#created = new Map();
    return created;
  }

  /**
   * Creates a file, locked if it has to be. A store such as Ceph replaces objects of a bucket with versions whatever the request says, so
   * the name is looked up before.
   */
  async put(name: string, bytes: Uint8Array, signal?: AbortSignal): Promise<boolean> {
    const isAsked = this.period > 0 || this.#answer !== undefined;
    if (!isAsked || !(await this.isSupported(signal))) return await this.#bucket.putNew(name, bytes, signal);
    if ((await this.#bucket.size(name)) !== undefined) return false;
    const isLocked = this.period > 0 && !UNLOCKED.some((folder) => name.startsWith(folder));
    const until = isLocked ? this.#end() : undefined;
    const isCreated = await this.#bucket.putNew(name, bytes, signal, until);
    if (isCreated && until !== undefined) this.#created.set(name, until);
    return isCreated;
  }

  /**
   * Deletes a file. In a bucket with object lock all of its versions are deleted for good: a deletion without a version
   * would only hide them.
   *
   * @throws LockedError
   */
  async delete(name: string, signal?: AbortSignal): Promise<void> {
    if (!(await this.isSupported(signal))) return await this.#bucket.delete([name], signal);
    const { versions } = this.#bucket;
    // The current one first: if it is locked, nothing changes.
    const found = (await versions.of(name, signal)).toSorted((a, b) => Number(b.isCurrent) - Number(a.isCurrent));
    for (const { id } of found) {
      try {
        await versions.delete(name, id, signal);
      } catch (error) {
        if (!isDenied(error)) throw error;
        const until = await versions.lockedUntil(name, id, signal);
        throw until !== undefined && until > this.now() ? new LockedError(until, error) : error;
      }
    }
  }

  async extend(name: string, until: number, signal?: AbortSignal): Promise<number | undefined> {
    return await this.#call(() => this.#bucket.versions.lock(name, Math.ceil(until / 1000) * 1000, signal));
  }

  async hidden(prefix: string, signal?: AbortSignal): Promise<readonly string[]> {
    return await this.#call(async () => {
      const markers = new Set<string>();
      const found = new Set<string>();
      for await (const page of this.#bucket.versions.pages(prefix, signal)) {
        for (const { name, isMarker, isCurrent } of page) if (isMarker && isCurrent) markers.add(name);
        for (const { name, isMarker } of page)
          if (!isMarker && markers.has(name) && isStoredName(name)) found.add(name);
      }
      return [...found];
    });
  }

  async show(name: string, signal?: AbortSignal): Promise<boolean> {
    return await this.#call(async () => {
      const { versions } = this.#bucket;
      try {
        for (const { id, isMarker } of await versions.of(name, signal)) {
          if (isMarker) await versions.delete(name, id, signal);
        }
        return true;
      } catch (error) {
        if (isDenied(error)) return false;
        throw error;
      }
    });
  }

  async restore(name: string, isRight: (bytes: Uint8Array) => boolean, signal?: AbortSignal): Promise<boolean> {
    return await this.#call(async () => {
      // The oldest first: whoever covers a file adds versions.
      for (const { id, isMarker, isCurrent } of (await this.#bucket.versions.of(name, signal)).toReversed()) {
        const bytes = isMarker ? undefined : await this.#bucket.versions.get(name, id, signal);
        if (bytes === undefined || !isRight(bytes)) continue;
        if (isCurrent) return true;
        const until = this.period > 0 ? this.#end() : undefined;
        await this.#bucket.put(name, bytes, until);
        if (until !== undefined) this.#created.set(name, until);
        return true;
      }
      return false;
    });
  }

  /** Stores count whole seconds. */
  #end(): number {
    return Math.ceil((this.now() + this.period) / 1000) * 1000;
  }

  async #call<Result>(call: () => Promise<Result>): Promise<Result> {
    try {
      return await call();
    } catch (error) {
      throw this.#convert(error);
    }
  }
}

function isDenied(error: unknown): boolean {
  return error instanceof BucketError && error.problem === 'denied';
}
