import { randomBytes } from 'node:crypto';
import { isHoldfastError } from '../base/errors/errors.ts';
import { RESERVE_FILE, RESERVE_FOLDER } from '../format/repository/file-names.ts';
import type { Storage } from '../storage/storage.ts';
import { isOfOneFolder, leaveOut, UnlistedFiles, unreadableProblem, type OnUnreadable } from '../storage/unreadable.ts';
import { MIB } from '../model/units.ts';

/** Room for what frees more than it takes: the facts of a removal, and what lives in a pack that is mostly dead. */
const SMALLEST_BYTES = MIB;
const LARGEST_BYTES = 8 * MIB;
/** Where each byte is sent over a network. */
const LARGEST_REMOTE_BYTES = 2 * MIB;
/** A reserve has at most this share of a disk. */
const SHARE = 1 / 256;

/**
 * A file at the destination that holds nothing but space. On a store without room not even a removal could be stated, which frees room: what
 * frees gives the reserve up and goes on. Backups do not get it.
 *
 * Its bytes are random, so that a file system that compresses, or stores runs of zeros as holes, has them allocated, too.
 */
export class Reserve {
  readonly #storage: Storage;
  readonly #onUnreadable: OnUnreadable;

  /** @param onUnreadable is told if its place cannot be read. Nothing but removals on a full store needs it */
  constructor(storage: Storage, onUnreadable: OnUnreadable) {
    this.#storage = storage;
    this.#onUnreadable = onUnreadable;
  }

  /** Does work, and once more without the reserve if there was no room. @throws what `work` throws */
  async lend<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (!isHoldfastError(error, 'destination_full') || !(await this.giveUp(signal))) throw error;
      return await work();
    }
  }

  /** Deletes the reserve. Returns false if there is none, or the store forbids it. */
  async giveUp(signal?: AbortSignal): Promise<boolean> {
    if ((await this.bytes(signal)) === 0) return false;
    try {
      await this.#storage.delete(RESERVE_FILE, signal);
      return true;
    } catch (error) {
      if (isHoldfastError(error, 'permission_denied')) return false;
      throw error;
    }
  }

  /**
   * Makes the reserve if it is missing and there is room.
   *
   * @returns whether it is there
   * @throws what the storage throws, other than that it is full
   */
  async keep(signal?: AbortSignal): Promise<boolean> {
    const unlisted = new UnlistedFiles();
    const bytes = await this.#bytes(unlisted.add, signal);
    if (bytes > 0) return true;
    if (unlisted.problems.size > 0) return false;
    try {
      await this.#storage.put(RESERVE_FILE, [randomBytes(await this.size(signal))], signal);
      return true;
    } catch (error) {
      if (isHoldfastError(error, 'destination_full')) return false;
      if (!isOfOneFolder(error)) throw error;
      this.#onUnreadable(RESERVE_FOLDER.slice(0, -1), unreadableProblem(error) ?? 'unreadable', error);
      return false;
    }
  }

  /** Bytes that the reserve has; 0 if there is none. */
  async bytes(signal?: AbortSignal): Promise<number> {
    return await this.#bytes(leaveOut, signal);
  }

  async #bytes(onUnreadable: OnUnreadable, signal: AbortSignal | undefined): Promise<number> {
    const tell: OnUnreadable = (...words) => {
      onUnreadable(...words);
      this.#onUnreadable(...words);
    };
    for await (const batch of this.#storage.list(RESERVE_FOLDER, signal, tell)) {
      const found = batch.find(({ name }) => name === RESERVE_FILE);
      if (found) return found.bytes;
    }
    return 0;
  }

  /** Bytes that a new reserve gets. */
  async size(signal?: AbortSignal): Promise<number> {
    const { total = 0 } = (await this.#storage.space?.(signal)) ?? {};
    const largest = this.#storage.listsAtNoCost === true ? LARGEST_BYTES : LARGEST_REMOTE_BYTES;
    const share = Math.floor(total * SHARE);
    return Math.min(largest, Math.max(SMALLEST_BYTES, share));
  }
}
