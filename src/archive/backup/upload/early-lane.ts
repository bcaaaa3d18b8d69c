import type { Clock } from '../../../base/clock.ts';
import { withGrace } from '../../../jobs/interruption.ts';
import type { BlobUploader, SealedBlob, ServiceClient } from '../../../remote/ports.ts';
import { isSessionEnded } from './session-ended.ts';
import { ServiceProgress } from './service-progress.ts';
import type { UploadObserver } from './upload-observer.ts';

/** Chunks of the sample, and their bytes. */
const SAMPLE = 8;
const SAMPLE_BYTES = 8 * 2 ** 20;

export interface EarlyLaneOptions {
  readonly service: ServiceClient;
  readonly uploader: BlobUploader;
  readonly clock: Clock;
  readonly deviceId: string;
  readonly backupSet: string;
  readonly observer: UploadObserver;
  readonly signal: AbortSignal | undefined;
}

/** One destination's part of an early upload: a session whose manifest follows, and what is being sent in it. */
export class EarlyLane {
  /** Rejects when something could not be sent. */
  readonly failed: Promise<never>;
  readonly #options: EarlyLaneOptions;
  readonly #flightSignal: AbortSignal | undefined;
  /** The uploads in flight, none of which rejects. */
  readonly #running = new Set<Promise<void>>();
  readonly #fail: (reason: unknown) => void;
  readonly #storedSample: Pick<SealedBlob, 'hash' | 'size'>[] = [];
  /** Blobs that the sample was taken from. */
  #sampled = 0;
  #hasFailed = false;
  #hasEnded = false;
  #session: Promise<string> | undefined;
  #progress: ServiceProgress | undefined;

  constructor(options: EarlyLaneOptions) {
    this.#options = options;
    this.#flightSignal = withGrace(options.signal);
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => undefined);
    this.failed = promise;
    this.#fail = reject;
  }

  /** The session; `undefined` if nothing was sent, or if the service has ended it. */
  get session(): Promise<string> | undefined {
    return this.#hasEnded ? undefined : this.#session;
  }

  /** A random sample of chunks that were sent and may have been stored before. */
  get storedSample(): readonly string[] {
    let bytes = 0;
    return this.#storedSample.filter(({ size }) => (bytes += size) <= SAMPLE_BYTES).map(({ hash }) => hash);
  }

  /** The number of tasks whose chunks are being sent. */
  get size(): number {
    return this.#running.size;
  }

  /** True if the lane takes no more chunks. */
  get isOver(): boolean {
    return this.#hasFailed || this.#hasEnded;
  }

  /** Resolves when fewer are being sent than now. */
  async ended(): Promise<void> {
    await Promise.race(this.#running);
  }

  /** Resolves when the storage has acknowledged the blobs, or when sending them has failed. */
  send(blobs: readonly SealedBlob[], path: string): Promise<void> {
    const running: Promise<void> = this.#send(blobs, path)
      .catch((reason: unknown) => {
        if (isSessionEnded(reason)) {
          this.#hasEnded = true;
          return;
        }
        this.#hasFailed = true;
        this.#fail(reason);
      })
      .finally(() => {
        this.#running.delete(running);
      });
    this.#running.add(running);
    return running;
  }

  /** Waits until nothing is being sent any more. @throws the first failure */
  async finish(): Promise<void> {
    await this.settle();
    if (this.#hasFailed) await this.failed;
  }

  /** Waits until nothing is being sent any more. */
  async settle(): Promise<void> {
    await Promise.all(this.#running);
    await this.#progress?.finish();
  }

  async #send(blobs: readonly SealedBlob[], path: string): Promise<void> {
    this.#session ??= this.#open();
    const stored = await this.#options.uploader.upload(await this.#session, blobs, this.#flightSignal);
    if (stored.blobs < blobs.length) this.#sample(blobs);
    this.#progress?.add(stored.blobs, stored.bytes);
    this.#options.observer.onUploaded({
      chunks: stored.blobs,
      plaintextBytes: stored.plaintextBytes,
      blobBytes: stored.bytes,
      path,
    });
  }

  /** Adds blobs of which some were stored to the sample, each with the same probability. */
  #sample(blobs: readonly SealedBlob[]): void {
    for (const { hash, size } of blobs) {
      this.#sampled += 1;
      const place = this.#sampled <= SAMPLE ? this.#sampled - 1 : Math.floor(Math.random() * this.#sampled);
      if (place < SAMPLE) this.#storedSample[place] = { hash, size };
    }
  }

  async #open(): Promise<string> {
    const { service, clock, deviceId, backupSet, signal } = this.#options;
    const session = await service.backupOpen({ deviceId, backupSet }, signal);
    this.#progress = new ServiceProgress(service, clock, session, 0);
    return session;
  }
}
