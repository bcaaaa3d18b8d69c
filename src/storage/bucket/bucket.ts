import { bufferOf } from '../../base/buffer-of.ts';
import { userHome } from '../../base/files/user-home.ts';
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandInput,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  S3Client,
  type _Object,
  type PutObjectCommandInput,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { createHash } from 'node:crypto';
import type { BucketConfig } from './bucket-config.ts';
import { isWebPage } from '../web-page.ts';
import { attemptsOf, BucketError, statusOf, strange, toBucketError } from './bucket-error.ts';
import { limitWaiting, type WaitingLimit } from './limited-waiting.ts';
import { nextOf } from './next-part.ts';
import { BucketVersions, LOCK_MODE } from './bucket-versions.ts';
import { MINUTE } from '../../model/units.ts';
import type { Outage } from '../../remote/http/outage.ts';

/** Concurrent requests of one process, which make up for the round trip that each blob takes. */
export const PARALLEL_REQUESTS = 32;

/** Attempts at a request, with pauses of up to 20 s: a minute or two in all. */
const ATTEMPTS = 10;

const CONNECTING = 10_000;
/** Milliseconds without any data after which a request fails. */
const SILENCE = MINUTE;

/** Attempts at a request whose answer is not that of a store. */
const STRANGE_ANSWERS = 3;

/** The most keys in one deletion. */
const DELETED_AT_ONCE = 1_000;

export interface BucketOptions {
  /** The number of attempts at a request. */
  readonly attempts?: number | undefined;
  /** Without it only attempts are limited. */
  readonly waiting?: WaitingLimit | undefined;
}

export interface ListedObject {
  /** Relative to the prefix of the bucket's part. */
  readonly name: string;
  readonly size: number;
  /** By the store's clock, in milliseconds since the epoch; `undefined` if the store does not say. */
  readonly modified: number | undefined;
}

/**
 * The operations on one part of a bucket. Names are relative to its prefix. A request is repeated several times before it fails with
 * a `BucketError`.
 */
export class Bucket {
  readonly versions: BucketVersions;
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;

  readonly #outage: Outage | undefined;

  constructor(config: BucketConfig, { attempts = ATTEMPTS, waiting }: BucketOptions = {}) {
    const { endpoint, region, credentials } = config;
    const sockets = { keepAlive: true, maxSockets: PARALLEL_REQUESTS };
    // The client looks for settings of its own in the home folder, and would fail without one.
    if (userHome() === undefined) process.env['USERPROFILE'] ??= '/nonexistent';
    this.#bucket = config.bucket;
    this.#prefix = config.prefix;
    this.#client = new S3Client({
      region,
      credentials: {
        accessKeyId: credentials.accessKeyId,
        secretAccessKey: credentials.secretAccessKey,
        ...(credentials.sessionToken === undefined ? {} : { sessionToken: credentials.sessionToken }),
      },
      // Other services often have no host name for each bucket.
      ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
      // Many services do not support newer checksums; the signature covers the body's SHA-256 anyway.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      maxAttempts: attempts,
      requestHandler: {
        httpAgent: sockets,
        httpsAgent: sockets,
        connectionTimeout: CONNECTING,
        socketTimeout: SILENCE,
      },
    });
    this.#outage = waiting && limitWaiting(this.#client, waiting);
    this.versions = new BucketVersions({ client: this.#client, bucket: config.bucket, prefix: config.prefix });
  }

  /** Creates or replaces an object. @param lockedUntil milliseconds since the epoch */
  async put(name: string, bytes: Uint8Array, lockedUntil?: number): Promise<void> {
    await this.#send(() =>
      this.#client.send(
        new PutObjectCommand({
          Bucket: this.#bucket,
          Key: this.#prefix + name,
          Body: ownView(bytes),
          ContentLength: bytes.length,
          ...lockHeaders(bytes, lockedUntil),
        }),
      ),
    );
  }

  /**
   * Creates an object; returns false if one of that name exists, which stays unchanged. An object of the same bytes counts as created
   * if a response was lost, since an earlier attempt probably created it. A success without the tag that every store gives an object may
   * be the answer of something else, such as a proxy: the object has to be there then.
   *
   * @param lockedUntil milliseconds since the epoch
   */
  async putNew(name: string, bytes: Uint8Array, signal?: AbortSignal, lockedUntil?: number): Promise<boolean> {
    const command = new PutObjectCommand({
      Bucket: this.#bucket,
      Key: this.#prefix + name,
      Body: ownView(bytes),
      ContentLength: bytes.length,
      IfNoneMatch: '*',
      ...lockHeaders(bytes, lockedUntil),
    });
    for (let tries = 1; ; tries += 1) {
      try {
        const { ETag } = await this.#client.send(command, optionsWith(signal));
        if (ETag !== undefined || (await this.size(name)) === bytes.length) return true;
        if (tries === STRANGE_ANSWERS) throw strange();
      } catch (error) {
        signal?.throwIfAborted();
        const status = statusOf(error);
        if (status === 412) {
          if (tries === 1 && attemptsOf(error) === 1) return false;
          return (await this.get(name, undefined, signal))?.equals(bytes) ?? false;
        }
        if (status === 501) throw new BucketError('unconditional', '501', error);
        // Amazon responds 409 to a concurrent PUT of the same name, which has to be repeated.
        if (status !== 409 || tries === ATTEMPTS) throw toBucketError(error);
      }
    }
  }

  /**
   * Reads an object; returns `undefined` if it does not exist, and no bytes if it ends before the range.
   *
   * @param range first byte and number of bytes, at least one
   */
  async get(
    name: string,
    range?: readonly [first: number, bytes: number],
    signal?: AbortSignal,
  ): Promise<Buffer | undefined> {
    const from = range && `bytes=${range[0]}-${range[0] + range[1] - 1}`;
    for (let tries = 1; ; tries += 1) {
      let hasResponse = false;
      try {
        const { Body, ContentRange, ContentType } = await this.#client.send(
          new GetObjectCommand({
            Bucket: this.#bucket,
            Key: this.#prefix + name,
            ...(from === undefined ? {} : { Range: from }),
          }),
          optionsWith(signal),
        );
        hasResponse = true;
        const bytes = await Body!.transformToByteArray();
        if (ContentRange !== undefined || !isWebPage(bytes, ContentType)) return bufferOf(bytes);
        if (tries === STRANGE_ANSWERS) throw strange();
      } catch (error) {
        signal?.throwIfAborted();
        const status = statusOf(error);
        if (status === 416) return Buffer.alloc(0);
        if (status === 404 && (await this.#isMissing(name, error, signal))) return undefined;
        // The client does not repeat a request whose body breaks off.
        if (!hasResponse || tries === STRANGE_ANSWERS) throw toBucketError(error);
      }
    }
  }

  /** Returns whether an object does not exist. A 404 that does not say so is perhaps none of the store's: a listing has to confirm it. */
  async #isMissing(name: string, error: unknown, signal: AbortSignal | undefined): Promise<boolean> {
    const code = error instanceof Error ? error.name : '';
    if (code === 'NoSuchKey') return true;
    if (code === 'NoSuchBucket') return false;
    for await (const page of this.pages(name, signal)) if (page.some((object) => object.name === name)) return false;
    return true;
  }

  /** Returns an object's size; `undefined` if it does not exist. */
  async size(name: string, signal?: AbortSignal): Promise<number | undefined> {
    try {
      const { ContentLength } = await this.#client.send(
        new HeadObjectCommand({ Bucket: this.#bucket, Key: this.#prefix + name }),
        optionsWith(signal),
      );
      return ContentLength;
    } catch (error) {
      signal?.throwIfAborted();
      if (statusOf(error) === 404) return undefined;
      throw toBucketError(error);
    }
  }

  /** Returns up to a thousand objects whose names begin with `folder` and follow `after`, in the byte order of their names. */
  async list(folder: string, after = ''): Promise<readonly ListedObject[]> {
    const { Contents = [] } = await this.#page({
      Prefix: this.#prefix + folder,
      ...(after === '' ? {} : { StartAfter: this.#prefix + after }),
    });
    return Contents.map((content) => this.#listed(content));
  }

  /**
   * Yields all objects whose names begin with `folder`, up to a thousand for each request.
   *
   * @throws BucketError `broken` if a part of the listing is missing, or leads back to one before it: that would pass for an end, or have none
   */
  async *pages(folder: string, signal?: AbortSignal): AsyncGenerator<readonly ListedObject[]> {
    let token: string | undefined;
    const tokens = new Set<string>();
    do {
      const more = token === undefined ? {} : { ContinuationToken: token };
      const page: ListObjectsV2CommandOutput = await this.#page({ Prefix: this.#prefix + folder, ...more }, signal);
      yield (page.Contents ?? []).map((content) => this.#listed(content));
      token = page.IsTruncated === true ? nextOf(page.NextContinuationToken, tokens) : undefined;
    } while (token !== undefined);
  }

  /** @throws BucketError `broken` if the answer is no listing: it must not pass for one of an empty bucket */
  async #page(
    part: Omit<ListObjectsV2CommandInput, 'Bucket'>,
    signal?: AbortSignal,
  ): Promise<ListObjectsV2CommandOutput> {
    const command = new ListObjectsV2Command({ Bucket: this.#bucket, ...part });
    for (let tries = 1; ; tries += 1) {
      const page = await this.#send(() => this.#client.send(command, optionsWith(signal)));
      const { Name, KeyCount, IsTruncated, Contents } = page;
      if ([Name, KeyCount, IsTruncated, Contents].some((property) => property !== undefined)) return page;
      if (tries === STRANGE_ANSWERS) throw strange();
    }
  }

  /**
   * Deletes objects, ignoring those that do not exist.
   *
   * @throws BucketError `broken` also if the answer says nothing of any of them
   */
  async delete(names: readonly string[], signal?: AbortSignal): Promise<void> {
    for (let from = 0; from < names.length; from += DELETED_AT_ONCE) {
      const Objects = names.slice(from, from + DELETED_AT_ONCE).map((name) => ({ Key: this.#prefix + name }));
      const { Deleted = [], Errors = [] } = await this.#send(() =>
        this.#client.send(new DeleteObjectsCommand({ Bucket: this.#bucket, Delete: { Objects } }), optionsWith(signal)),
      );
      if (Deleted.length + Errors.length === 0) throw strange();
      const failed = Errors.find(({ Code }) => Code !== 'NoSuchKey');
      if (failed) throw new BucketError(failed.Code === 'AccessDenied' ? 'denied' : 'broken', failed.Code ?? 'delete');
    }
  }

  /**
   * Creates a URL for a PUT of exactly `size` bytes that never replaces an object: the length and `If-None-Match` are signed.
   *
   * @param now milliseconds since the epoch
   */
  async presignPut(name: string, size: number, now: number, seconds: number): Promise<string> {
    const command = new PutObjectCommand({
      Bucket: this.#bucket,
      Key: this.#prefix + name,
      ContentLength: size,
      IfNoneMatch: '*',
    });
    return getSignedUrl(this.#client, command, {
      expiresIn: seconds,
      signingDate: new Date(now),
      signableHeaders: new Set(['host', 'content-length', 'if-none-match']),
    });
  }

  async presignGet(name: string, now: number, seconds: number): Promise<string> {
    const command = new GetObjectCommand({ Bucket: this.#bucket, Key: this.#prefix + name });
    return getSignedUrl(this.#client, command, { expiresIn: seconds, signingDate: new Date(now) });
  }

  /** Lets calls ask again that would fail, since another has waited in vain. */
  reached(): void {
    this.#outage?.reached();
  }

  close(): void {
    this.#client.destroy();
  }

  #listed({ Key = '', Size = 0, LastModified }: _Object): ListedObject {
    return { name: Key.slice(this.#prefix.length), size: Size, modified: LastModified?.getTime() };
  }

  async #send<Result>(call: () => Promise<Result>): Promise<Result> {
    try {
      return await call();
    } catch (error) {
      throw toBucketError(error);
    }
  }
}

function optionsWith(signal: AbortSignal | undefined): { readonly abortSignal?: AbortSignal } {
  return signal ? { abortSignal: signal } : {};
}

/** A lock takes a checksum of the body, of which MD5 is the one that all stores accept. */
function lockHeaders(
  bytes: Uint8Array,
  until: number | undefined,
): Pick<PutObjectCommandInput, 'ContentMD5' | 'ObjectLockMode' | 'ObjectLockRetainUntilDate'> {
  if (until === undefined) return {};
  const ContentMD5 = createHash('md5').update(bytes).digest('base64');
  return { ContentMD5, ObjectLockMode: LOCK_MODE, ObjectLockRetainUntilDate: new Date(until) };
}

/** Copies shared memory: Node's HTTP refuses it as a body, and another thread must not change bytes that are being signed. */
function ownView(bytes: Uint8Array): Uint8Array {
  return bytes.buffer instanceof SharedArrayBuffer ? Buffer.from(bytes) : bytes;
}
