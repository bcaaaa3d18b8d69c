import { BucketError } from '../bucket/bucket-error.ts';
import type { VersioningStatus } from '../bucket/bucket-versions.ts';
import type { Bucket } from '../bucket/bucket.ts';
import type { KeptVersions } from '../kept-versions.ts';
import type { StorageLocks } from '../storage-locks.ts';

/** What a bucket with versions keeps of deleted files. One with object lock keeps nothing: each version is deleted there. */
export class BucketKeptVersions implements KeptVersions {
  readonly #bucket: Bucket;
  readonly #locks: Pick<StorageLocks, 'isSupported'>;
  readonly #convert: (error: unknown) => unknown;
  #known: VersioningStatus | undefined;

  /** @param convert converts a failure of the bucket to one of the storage */
  constructor(bucket: Bucket, locks: Pick<StorageLocks, 'isSupported'>, convert: (error: unknown) => unknown) {
    this.#bucket = bucket;
    this.#locks = locks;
    this.#convert = convert;
  }

  async areKept(signal?: AbortSignal): Promise<boolean> {
    return (await this.#status(signal)) === 'Enabled';
  }

  async bytes(signal?: AbortSignal): Promise<number> {
    const status = await this.#status(signal);
    if (status === 'never') return 0;
    let sum = 0;
    try {
      for await (const page of this.#bucket.versions.pages('', signal)) {
        for (const { bytes, isCurrent } of page) if (!isCurrent) sum += bytes;
      }
    } catch (error) {
      signal?.throwIfAborted();
      // Keys that may not ask, or a store without versions.
      if (error instanceof BucketError && (error.problem === 'denied' || status === 'unknown')) return 0;
      throw this.#convert(error);
    }
    return sum;
  }

  /** Asks for it once, unless that fails: what a bucket does with versions does not change while it is open. */
  async #status(signal: AbortSignal | undefined): Promise<VersioningStatus> {
    if (await this.#locks.isSupported(signal)) return 'never';
    try {
      this.#known ??= await this.#bucket.versions.status(signal);
      return this.#known;
    } catch (error) {
      signal?.throwIfAborted();
      throw this.#convert(error);
    }
  }
}
