import { bucketAddress, type BucketConfig } from '../bucket/bucket-config.ts';
import { Bucket, type BucketOptions } from '../bucket/bucket.ts';
import { CutOffFiles } from '../cut-off-files.ts';
import { joinParts } from '../join-parts.ts';
import type { ByteRange, Storage, StoredFile } from '../storage.ts';
import { checkName, checkPrefix, isStoredName } from '../stored-name.ts';
import { BucketKeptVersions } from './bucket-kept-versions.ts';
import { BucketLocks } from './bucket-locks.ts';
import { asStorageError } from './bucket-storage-error.ts';

/** A few packs fill most lines, and each is in memory twice. */
const PARALLEL_CALLS = 8;

/** A store in a part of a bucket. A file is an object, and each call is one request, or a few in a bucket with object lock. */
export class BucketStorage implements Storage {
  readonly address: string;
  readonly concurrency = PARALLEL_CALLS;
  readonly locks: BucketLocks;
  readonly kept: BucketKeptVersions;
  readonly #bucket: Bucket;
  readonly #config: BucketConfig;
  /** Sends each request once. Made when it is needed: only a file that is not given out, or a store that is away, needs it. */
  #singleTries: Bucket | undefined;
  readonly #cutOff: CutOffFiles;

  constructor(config: BucketConfig, options: BucketOptions = {}) {
    this.address = bucketAddress(config);
    this.#cutOff = new CutOffFiles(this.address);
    this.#bucket = new Bucket(config, options);
    this.#config = config;
    const convert = (error: unknown): unknown => asStorageError(error, this.address);
    this.locks = new BucketLocks(this.#bucket, convert);
    this.kept = new BucketKeptVersions(this.#bucket, this.locks, convert);
  }

  async *list(prefix: string, signal?: AbortSignal): AsyncGenerator<readonly StoredFile[]> {
    checkPrefix(prefix);
    signal?.throwIfAborted();
    try {
      for await (const page of this.#bucket.pages(prefix, signal)) {
        yield page
          .filter(({ name }) => isStoredName(name))
          .map(({ name, size, modified }) => ({ name, bytes: size, created: modified }));
      }
    } catch (error) {
      signal?.throwIfAborted();
      throw asStorageError(error, this.address);
    }
  }

  async get(name: string, range?: ByteRange, signal?: AbortSignal): Promise<Uint8Array | undefined> {
    checkName(name);
    // HTTP has no empty ranges.
    const wanted = range && ([range.offset, Math.max(1, range.length)] as const);
    // The client of the bucket repeats requests by itself.
    const request = (bucket: Bucket): Promise<Uint8Array | undefined> =>
      this.#call(signal, () => bucket.get(name, wanted, signal));
    const ways = {
      repeated: () => request(this.#bucket),
      once: () => request(this.#single),
      probe: () => this.#probe(signal),
    };
    const bytes = await this.#cutOff.read(name, ways, signal);
    return range ? bytes?.subarray(0, range.length) : bytes;
  }

  async put(name: string, parts: readonly Uint8Array[], signal?: AbortSignal): Promise<'created' | 'exists'> {
    checkName(name);
    const isCreated = await this.#call(signal, () => this.locks.put(name, joinParts(parts), signal));
    return isCreated ? 'created' : 'exists';
  }

  async size(name: string, signal?: AbortSignal): Promise<number | undefined> {
    checkName(name);
    return await this.#call(signal, () => this.#bucket.size(name, signal));
  }

  async delete(name: string, signal?: AbortSignal): Promise<void> {
    checkName(name);
    await this.#call(signal, () => this.locks.delete(name, signal), 'bucket-delete');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#bucket.close();
    this.#singleTries?.close();
  }

  get #single(): Bucket {
    this.#singleTries ??= new Bucket(this.#config, { attempts: 1 });
    return this.#singleTries;
  }

  /** Reads the first page of a short listing. */
  async #probe(signal: AbortSignal | undefined): Promise<void> {
    await this.#call(signal, () => this.#single.pages('keys/', signal).next());
    this.#bucket.reached();
  }

  async #call<Result>(
    signal: AbortSignal | undefined,
    call: () => Promise<Result>,
    right?: 'bucket-delete',
  ): Promise<Result> {
    signal?.throwIfAborted();
    try {
      return await call();
    } catch (error) {
      signal?.throwIfAborted();
      throw asStorageError(error, this.address, right);
    }
  }
}
