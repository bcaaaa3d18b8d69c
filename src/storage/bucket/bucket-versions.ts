import {
  DeleteObjectCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  GetObjectLockConfigurationCommand,
  HeadObjectCommand,
  ListObjectVersionsCommand,
  PutObjectRetentionCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { bufferOf } from '../../base/buffer-of.ts';
import { statusOf, toBucketError } from './bucket-error.ts';
import { nextOf } from './next-part.ts';

/** Nobody can end such a lock before its time, not even the owner of the bucket (docs/decisions/0103-object-lock.md). */
export const LOCK_MODE = 'COMPLIANCE';

/** One version of an object, or a marker that hides the versions below it. */
export interface ObjectVersion {
  /** Relative to the prefix of the bucket's part. */
  readonly name: string;
  readonly id: string;
  readonly isMarker: boolean;
  /** True for the one that a request without a version gets. */
  readonly isCurrent: boolean;
  readonly bytes: number;
}

/** Whether a bucket keeps the versions of its objects: it does, it did, it never has, or it does not say. */
export type VersioningStatus = 'Enabled' | 'Suspended' | 'never' | 'unknown';

/** How stores without locks or versions respond, and keys that may not ask. */
const LOCKLESS: ReadonlySet<number> = new Set([400, 403, 404, 405, 501]);

export interface BucketPart {
  readonly client: S3Client;
  readonly bucket: string;
  readonly prefix: string;
}

/** The versions and locks of the objects in one part of a bucket. Failures are `BucketError`s. */
export class BucketVersions {
  readonly #part: BucketPart;

  constructor(part: BucketPart) {
    this.#part = part;
  }

  /** The time by the store's clock, as far as a response has shown it; milliseconds since the epoch. */
  now(): number {
    return Date.now() + this.#part.client.config.systemClockOffset;
  }

  /** Returns whether objects of the bucket can be locked. Keys that may not ask count as a bucket without locks. */
  async canLock(signal?: AbortSignal): Promise<boolean> {
    const { client, bucket } = this.#part;
    try {
      const { ObjectLockConfiguration } = await client.send(
        new GetObjectLockConfigurationCommand({ Bucket: bucket }),
        signal && { abortSignal: signal },
      );
      return ObjectLockConfiguration?.ObjectLockEnabled === 'Enabled';
    } catch (error) {
      signal?.throwIfAborted();
      requireLockless(error);
      return false;
    }
  }

  /** Returns whether the bucket keeps the versions of its objects. */
  async status(signal?: AbortSignal): Promise<VersioningStatus> {
    const { client, bucket } = this.#part;
    try {
      const { Status } = await client.send(
        new GetBucketVersioningCommand({ Bucket: bucket }),
        signal && { abortSignal: signal },
      );
      return Status ?? 'never';
    } catch (error) {
      signal?.throwIfAborted();
      requireLockless(error);
      return 'unknown';
    }
  }

  /**
   * Locks an object until a time. Returns `undefined` if there is none of that name, else when its lock ends, which is later if it was
   * locked for longer before.
   *
   * @param until milliseconds since the epoch
   */
  async lock(name: string, until: number, signal?: AbortSignal): Promise<number | undefined> {
    const { client, bucket } = this.#part;
    const Retention = { Mode: LOCK_MODE, RetainUntilDate: new Date(until) } as const;
    try {
      await client.send(
        new PutObjectRetentionCommand({ Bucket: bucket, Key: this.#key(name), Retention }),
        signal && { abortSignal: signal },
      );
      return until;
    } catch (error) {
      signal?.throwIfAborted();
      const status = statusOf(error);
      // Amazon responds 405 for a name whose newest version is a marker.
      if ((status === 404 && !isBucketMissing(error)) || status === 405) return undefined;
      const end = status === 403 || status === 400 ? await this.lockedUntil(name, undefined, signal) : undefined;
      if (end !== undefined && end >= until) return end;
      throw toBucketError(error);
    }
  }

  /** Returns when the lock of an object or of one of its versions ends; `undefined` if it has none, or does not exist. */
  async lockedUntil(name: string, id: string | undefined, signal?: AbortSignal): Promise<number | undefined> {
    const { client, bucket } = this.#part;
    try {
      const { ObjectLockRetainUntilDate: until } = await client.send(
        new HeadObjectCommand({ Bucket: bucket, Key: this.#key(name), ...(id !== undefined && { VersionId: id }) }),
        signal && { abortSignal: signal },
      );
      return until?.getTime();
    } catch (error) {
      signal?.throwIfAborted();
      if (statusOf(error) === 404 || statusOf(error) === 405) return undefined;
      throw toBucketError(error);
    }
  }

  /** Yields all versions of the objects whose names begin with `folder`, up to a thousand for each request; of one name the newest first. */
  async *pages(folder: string, signal?: AbortSignal): AsyncGenerator<readonly ObjectVersion[]> {
    const { client, bucket } = this.#part;
    let next: { readonly KeyMarker?: string | undefined; readonly VersionIdMarker?: string | undefined } | undefined =
      {};
    const starts = new Set<string>();
    while (next !== undefined) {
      const command: ListObjectVersionsCommand = new ListObjectVersionsCommand({
        Bucket: bucket,
        Prefix: this.#key(folder),
        ...next,
      });
      const page = await this.#send(() => client.send(command, signal && { abortSignal: signal }), signal);
      const { Versions = [], DeleteMarkers = [] } = page;
      yield [
        ...DeleteMarkers.map((entry) => this.#version(entry, true)),
        ...Versions.map((entry) => this.#version(entry, false)),
      ];
      const { IsTruncated, NextKeyMarker: KeyMarker, NextVersionIdMarker: VersionIdMarker } = page;
      if (IsTruncated === true) nextOf(KeyMarker && JSON.stringify([KeyMarker, VersionIdMarker]), starts);
      next = IsTruncated === true ? { KeyMarker, VersionIdMarker } : undefined;
    }
  }

  /** Returns all versions of one object, those before markers. */
  async of(name: string, signal?: AbortSignal): Promise<readonly ObjectVersion[]> {
    const versions: ObjectVersion[] = [];
    for await (const page of this.pages(name, signal))
      versions.push(...page.filter((version) => version.name === name));
    return versions;
  }

  /** Reads one version; returns `undefined` if it does not exist. */
  async get(name: string, id: string, signal?: AbortSignal): Promise<Buffer | undefined> {
    const { client, bucket } = this.#part;
    try {
      const { Body } = await client.send(
        new GetObjectCommand({ Bucket: bucket, Key: this.#key(name), VersionId: id }),
        signal && { abortSignal: signal },
      );
      return bufferOf(await Body!.transformToByteArray());
    } catch (error) {
      signal?.throwIfAborted();
      if (statusOf(error) === 404) return undefined;
      throw toBucketError(error);
    }
  }

  /**
   * Deletes one version for good, or a marker, which shows the version below it.
   *
   * @throws BucketError `denied` if it is locked, or the keys may not
   */
  async delete(name: string, id: string, signal?: AbortSignal): Promise<void> {
    const { client, bucket } = this.#part;
    const command = new DeleteObjectCommand({ Bucket: bucket, Key: this.#key(name), VersionId: id });
    await this.#send(() => client.send(command, signal && { abortSignal: signal }), signal);
  }

  #key(name: string): string {
    return this.#part.prefix + name;
  }

  #version(
    {
      Key = '',
      VersionId = '',
      IsLatest = false,
      Size = 0,
    }: {
      Key?: string | undefined;
      VersionId?: string | undefined;
      IsLatest?: boolean | undefined;
      Size?: number | undefined;
    },
    isMarker: boolean,
  ): ObjectVersion {
    return { name: Key.slice(this.#part.prefix.length), id: VersionId, isMarker, isCurrent: IsLatest, bytes: Size };
  }

  async #send<Result>(call: () => Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
    try {
      return await call();
    } catch (error) {
      signal?.throwIfAborted();
      throw toBucketError(error);
    }
  }
}

/** @throws BucketError unless the store has no locks or versions, or the keys may not ask for them */
function requireLockless(error: unknown): void {
  const failure = toBucketError(error);
  if (isBucketMissing(error) || !LOCKLESS.has(statusOf(error) ?? 0)) throw failure;
  if (failure.problem === 'denied' && !['AccessDenied', '403'].includes(failure.detail)) throw failure;
}

function isBucketMissing(error: unknown): boolean {
  return error instanceof Error && error.name === 'NoSuchBucket';
}
