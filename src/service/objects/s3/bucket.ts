import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { BucketConfig } from './bucket-config.ts';
import { BucketError, statusOf, toBucketError } from './bucket-error.ts';

/** Requests of one process that are under way at once; a blob takes a round trip, so that many make up for it. */
export const PARALLEL_REQUESTS = 32;

/** A request that fails is tried so many times in all, with pauses of up to 20 s: a minute or two. */
const ATTEMPTS = 10;

const CONNECTING = 10_000;
/** Milliseconds without a byte. */
const SILENCE = 60_000;

/** Keys that one deletion may name. */
const DELETED_AT_ONCE = 1_000;

export interface ListedObject {
  /** Without the prefix of the bucket's part. */
  readonly name: string;
  readonly size: number;
}

/**
 * One part of a bucket, as small as we need it. Names are relative to its prefix. Whatever fails is a `BucketError`, after
 * it was tried several times.
 */
export class Bucket {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;

  /** @param attempts how often a request is tried before it counts as failed */
  constructor(config: BucketConfig, attempts = ATTEMPTS) {
    const { endpoint, region, credentials } = config;
    const sockets = { keepAlive: true, maxSockets: PARALLEL_REQUESTS };
    this.#bucket = config.bucket;
    this.#prefix = config.prefix;
    this.#client = new S3Client({
      region,
      credentials: {
        accessKeyId: credentials.accessKeyId,
        secretAccessKey: credentials.secretAccessKey,
        ...(credentials.sessionToken === undefined ? {} : { sessionToken: credentials.sessionToken }),
      },
      // Other stores often have no name for each bucket.
      ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
      // Newer checksums are unknown to many stores; the signature covers the body's SHA-256 anyway.
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
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    await this.#send(() =>
      this.#client.send(
        new PutObjectCommand({
          Bucket: this.#bucket,
          Key: this.#prefix + name,
          Body: ownView(bytes),
          ContentLength: bytes.length,
        }),
      ),
    );
  }

  /** False where an object of that name is there already; it stays as it is. */
  async putNew(name: string, bytes: Uint8Array): Promise<boolean> {
    const command = new PutObjectCommand({
      Bucket: this.#bucket,
      Key: this.#prefix + name,
      Body: ownView(bytes),
      ContentLength: bytes.length,
      IfNoneMatch: '*',
    });
    for (let tries = 1; ; tries += 1) {
      try {
        await this.#client.send(command);
        return true;
      } catch (error) {
        const status = statusOf(error);
        if (status === 412) return false;
        if (status === 501) throw new BucketError('unconditional', '501', error);
        // Another one of the same name is on its way: Amazon says so, and wants to be asked again.
        if (status !== 409 || tries === ATTEMPTS) throw toBucketError(error);
      }
    }
  }

  /** Nothing where there is no such object. @param range first byte and number of bytes */
  async get(name: string, range?: readonly [first: number, bytes: number]): Promise<Buffer | undefined> {
    const from = range && `bytes=${range[0]}-${range[0] + range[1] - 1}`;
    for (let tries = 1; ; tries += 1) {
      try {
        const { Body } = await this.#client.send(
          new GetObjectCommand({
            Bucket: this.#bucket,
            Key: this.#prefix + name,
            ...(from === undefined ? {} : { Range: from }),
          }),
        );
        const bytes = await Body!.transformToByteArray();
        return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      } catch (error) {
        const status = statusOf(error);
        if (status === 404 && !(error instanceof Error && error.name === 'NoSuchBucket')) return undefined;
        // A body that breaks off is nothing that the client tries again by itself.
        if (status !== undefined || tries === 3) throw toBucketError(error);
      }
    }
  }

  /** Bytes of an object; nothing where there is none. */
  async size(name: string): Promise<number | undefined> {
    try {
      const { ContentLength } = await this.#client.send(
        new HeadObjectCommand({ Bucket: this.#bucket, Key: this.#prefix + name }),
      );
      return ContentLength;
    } catch (error) {
      if (statusOf(error) === 404) return undefined;
      throw toBucketError(error);
    }
  }

  /** At most a thousand objects whose names begin with `folder`, behind `after`, in the order of their names' bytes. */
  async list(folder: string, after = ''): Promise<readonly ListedObject[]> {
    const { Contents = [] } = await this.#send(() =>
      this.#client.send(
        new ListObjectsV2Command({
          Bucket: this.#bucket,
          Prefix: this.#prefix + folder,
          ...(after === '' ? {} : { StartAfter: this.#prefix + after }),
        }),
      ),
    );
    return Contents.map(({ Key = '', Size = 0 }) => ({ name: Key.slice(this.#prefix.length), size: Size }));
  }

  /** Does nothing for what is not there. */
  async delete(names: readonly string[]): Promise<void> {
    for (let from = 0; from < names.length; from += DELETED_AT_ONCE) {
      const Objects = names.slice(from, from + DELETED_AT_ONCE).map((name) => ({ Key: this.#prefix + name }));
      const { Errors = [] } = await this.#send(() =>
        this.#client.send(new DeleteObjectsCommand({ Bucket: this.#bucket, Delete: { Objects, Quiet: true } })),
      );
      const failed = Errors.find(({ Code }) => Code !== 'NoSuchKey');
      if (failed) throw new BucketError(failed.Code === 'AccessDenied' ? 'denied' : 'broken', failed.Code ?? 'delete');
    }
  }

  /**
   * An address for a PUT of exactly `size` bytes that creates the object and never replaces one: the length and
   * `If-None-Match` are part of what is signed.
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

  close(): void {
    this.#client.destroy();
  }

  async #send<Result>(call: () => Promise<Result>): Promise<Result> {
    try {
      return await call();
    } catch (error) {
      throw toBucketError(error);
    }
  }
}

/** Node's HTTP refuses shared memory as a body, and another thread may not change what is being signed. */
function ownView(bytes: Uint8Array): Uint8Array {
  return bytes.buffer instanceof SharedArrayBuffer ? Buffer.from(bytes) : bytes;
}
