import { HoldfastError } from '../../base/errors/errors.ts';
import { UndiciHttp } from '../../remote/http/undici-http.ts';
import { LeftOvers } from '../left-overs.ts';
import type { StorageParts } from '../retries.ts';
import type { ByteRange, Move, Obstacle, Space, Storage, StoredFile } from '../storage.ts';
import type { OnUnreadable } from '../unreadable.ts';
import { untilAborted } from '../until-aborted.ts';
import { WebdavStorage } from '../webdav/webdav-storage.ts';
import { rcloneAddress } from './rclone-address.ts';
import { startRclone, type RcloneConfig, type RcloneProcess } from './rclone-process.ts';
import { spaceOfRemote } from './rclone-space.ts';

const FIRST_BYTE: ByteRange = { offset: 0, length: 1 };

/** Attempts of what an end of rclone interrupts. */
const ATTEMPTS = 3;

interface Running {
  readonly process: RcloneProcess;
  readonly storage: WebdavStorage;
}

/** A store in whatever rclone reaches, through a process of rclone that ends with this one. */
export class RcloneStorage implements Storage {
  readonly address: string;
  readonly concurrency = 4;
  readonly leftOvers = new LeftOvers();
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

  async *list(
    prefix: string,
    signal?: AbortSignal,
    onUnreadable?: OnUnreadable,
  ): AsyncGenerator<readonly StoredFile[]> {
    const { storage } = await untilAborted(this.#started(), signal);
    yield* storage.list(prefix, signal, onUnreadable);
  }

  rootNames(signal?: AbortSignal): Promise<readonly string[]> {
    return this.#repeated((storage, until) => storage.rootNames(until), signal);
  }

  obstacles(folders: readonly string[], signal?: AbortSignal): Promise<readonly Obstacle[]> {
    return this.#repeated((storage, until) => storage.obstacles(folders, until), signal);
  }

  space(signal?: AbortSignal): Promise<Space | undefined> {
    return spaceOfRemote(this.#config, signal);
  }

  deleteLeftOvers(names: readonly string[], signal?: AbortSignal): Promise<void> {
    return this.#repeated((storage) => storage.deleteLeftOvers(names), signal);
  }

  get(name: string, range?: ByteRange, signal?: AbortSignal): Promise<Uint8Array | undefined> {
    return this.#repeated((storage, until) => storage.get(name, range, until), signal);
  }

  put(name: string, parts: readonly Uint8Array[], signal?: AbortSignal): Promise<'created' | 'exists'> {
    return this.#repeated(async (storage, until, attempt) => {
      const outcome = await storage.put(name, parts, until);
      if (outcome === 'created' || attempt === 1) return outcome;
      // The rclone before may have created it, and ended before it answered.
      const found = await storage.get(name, undefined, until);
      return found && Buffer.concat(parts).equals(found) ? 'created' : 'exists';
    }, signal);
  }

  move(name: string, to: string, signal?: AbortSignal): Promise<Move> {
    return this.#repeated(async (storage, until, attempt) => {
      const outcome = await storage.move(name, to, until);
      if (attempt === 1 || outcome === 'moved' || outcome === 'unsupported') return outcome;
      if (await storage.get(name, FIRST_BYTE, until)) return outcome;
      return (await storage.get(to, FIRST_BYTE, until)) ? 'moved' : 'missing';
    }, signal);
  }

  delete(name: string, signal?: AbortSignal): Promise<void> {
    return this.#repeated((storage, until) => storage.delete(name, until), signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const running = await this.#running?.catch(() => undefined);
    this.#running = undefined;
    await running?.storage[Symbol.asyncDispose]();
    await running?.process.end();
  }

  /** Repeats what is interrupted by an end of rclone, whose address nobody serves any more, with another rclone. */
  async #repeated<Result>(
    work: (storage: WebdavStorage, until: AbortSignal, attempt: number) => Promise<Result>,
    signal: AbortSignal | undefined,
  ): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      const { storage, process } = await untilAborted(this.#started(), signal);
      try {
        return await work(storage, signal ? AbortSignal.any([signal, process.ended]) : process.ended, attempt);
      } catch (error) {
        signal?.throwIfAborted();
        if (!process.ended.aborted) throw error;
        if (attempt === ATTEMPTS) {
          const details = { address: this.address, reason: 'rclone' };
          throw new HoldfastError('service_unreachable', details, { cause: error, retryable: true });
        }
      }
    }
  }

  /** Starts rclone, also when it has ended meanwhile. */
  async #started(): Promise<Running> {
    const starting = this.#running ?? this.#start();
    this.#running = starting;
    try {
      const running = await starting;
      if (!running.process.ended.aborted) return running;
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
    const parts = {
      ...this.#parts,
      http: new UndiciHttp(),
      address: this.address,
      leftOvers: this.leftOvers,
      // Not every remote knows its space; many say so only when they refuse a file.
      space: async (signal?: AbortSignal): Promise<Space | undefined> => {
        const space = await this.space(signal);
        return process.saidFull() ? { total: space?.total ?? 0, free: 0 } : space;
      },
    };
    return { process, storage: new WebdavStorage({ url, credentials }, parts, this.#options) };
  }
}
