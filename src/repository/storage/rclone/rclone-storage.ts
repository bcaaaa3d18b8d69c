import { UndiciHttp } from '../../../engine/transfer/http/undici-http.ts';
import type { StorageParts } from '../retries.ts';
import type { ByteRange, Move, Obstacle, Storage, StoredFile } from '../storage.ts';
import { untilAborted } from '../until-aborted.ts';
import { WebdavStorage } from '../webdav/webdav-storage.ts';
import { rcloneAddress } from './rclone-address.ts';
import { startRclone, type RcloneConfig, type RcloneProcess } from './rclone-process.ts';

interface Running {
  readonly process: RcloneProcess;
  readonly storage: WebdavStorage;
}

/** A store in whatever rclone reaches, through a process of rclone that ends with this one. */
export class RcloneStorage implements Storage {
  readonly address: string;
  readonly concurrency = 4;
  readonly #config: RcloneConfig;
  readonly #parts: StorageParts;
  readonly #options: { readonly isNew?: boolean };
  #running: Promise<Running> | undefined;

  constructor(config: RcloneConfig, parts: StorageParts, options: { readonly isNew?: boolean } = {}) {
    this.address = rcloneAddress(config);
    this.#config = config;
    this.#parts = parts;
    this.#options = options;
  }

  async *list(prefix: string, signal?: AbortSignal): AsyncGenerator<readonly StoredFile[]> {
    const { storage } = await untilAborted(this.#started(), signal);
    yield* storage.list(prefix, signal);
  }

  async rootNames(signal?: AbortSignal): Promise<readonly string[]> {
    return (await untilAborted(this.#started(), signal)).storage.rootNames(signal);
  }

  async obstacles(folders: readonly string[], signal?: AbortSignal): Promise<readonly Obstacle[]> {
    return (await untilAborted(this.#started(), signal)).storage.obstacles(folders, signal);
  }

  async get(name: string, range?: ByteRange, signal?: AbortSignal): Promise<Uint8Array | undefined> {
    return (await untilAborted(this.#started(), signal)).storage.get(name, range, signal);
  }

  async put(name: string, parts: readonly Uint8Array[], signal?: AbortSignal): Promise<'created' | 'exists'> {
    return (await untilAborted(this.#started(), signal)).storage.put(name, parts, signal);
  }

  async move(name: string, to: string, signal?: AbortSignal): Promise<Move> {
    return (await untilAborted(this.#started(), signal)).storage.move(name, to, signal);
  }

  async delete(name: string, signal?: AbortSignal): Promise<void> {
    await (await untilAborted(this.#started(), signal)).storage.delete(name, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const running = await this.#running?.catch(() => undefined);
    this.#running = undefined;
    await running?.storage[Symbol.asyncDispose]();
    await running?.process.end();
  }

  /** Starts rclone, also when it has ended meanwhile. */
  async #started(): Promise<Running> {
    const starting = this.#running ?? this.#start();
    this.#running = starting;
    try {
      const running = await starting;
      if (!running.process.hasEnded) return running;
    } catch (error) {
      if (this.#running === starting) this.#running = undefined;
      throw error;
    }
    if (this.#running === starting) this.#running = undefined;
    return this.#started();
  }

  async #start(): Promise<Running> {
    const process = await startRclone(this.#config);
    const { url, credentials } = process;
    // A proxy of the environment is none for the loopback.
    const parts = { ...this.#parts, http: new UndiciHttp(), address: this.address };
    return { process, storage: new WebdavStorage({ url, credentials }, parts, this.#options) };
  }
}
