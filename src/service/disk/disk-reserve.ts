import { randomBytes } from 'node:crypto';
import { closeSync, constants, existsSync, fstatSync, ftruncateSync, openSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { KIB, MIB } from '../../model/units.ts';
import { diskFailureOf } from './disk-failure.ts';

/** Name of the reserve inside a store's directory. */
export const RESERVE_FILE = 'reserve';

const SMALLEST_BYTES = MIB;
const LARGEST_BYTES = 4 * MIB;
/** A reserve has at most this share of a disk. */
const SHARE = 1 / 256;

/** Bytes that are given up at once: other programs on the disk may take what a write leaves of them. */
const PART_BYTES = 256 * KIB;

/**
 * A file that holds nothing but space. On a disk without a free byte nobody could sign in, since a spent token has to be recorded, and
 * nothing could be removed: small writes give the reserve up, a part at a time. What grows the store is refused until it is whole again.
 *
 * Its bytes are random, so that a file system that compresses has them allocated, too.
 */
export class DiskReserve {
  readonly #file: string;
  readonly #marker: string;
  readonly #folder: string;

  /** @param marker the file without which the folder is no store: it lies below the mount point of a disk that is gone */
  constructor(folder: string, marker: string) {
    this.#folder = folder;
    this.#file = join(folder, RESERVE_FILE);
    this.#marker = join(folder, marker);
  }

  /** Gives a part up. Returns false if nothing is left. */
  giveUp(): boolean {
    return this.#open(
      constants.O_RDWR,
      (file) => {
        const { size } = fstatSync(file);
        if (size === 0) return false;
        ftruncateSync(file, Math.max(0, size - PART_BYTES));
        return true;
      },
      false,
    );
  }

  /** Makes the reserve whole if there is room. Returns false if there is not. */
  keep(): boolean {
    if (!existsSync(this.#marker)) return true;
    return this.#open(constants.O_RDWR | constants.O_CREAT, (file) => this.#fill(file), true);
  }

  #fill(file: number): boolean {
    const { bavail, blocks, bsize } = statfsSync(this.#folder);
    const whole = Math.min(LARGEST_BYTES, Math.max(SMALLEST_BYTES, Math.floor(blocks * bsize * SHARE)));
    const { size } = fstatSync(file);
    if (size >= whole) return true;
    if (bavail * bsize < whole - size) return false;
    const bytes = randomBytes(whole - size);
    for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done, bytes.length - done, size + done);
    return true;
  }

  /** @param unusable the answer if the file cannot be used for another reason than that the disk is full */
  #open(flags: number, work: (file: number) => boolean, unusable: boolean): boolean {
    let file: number | undefined;
    try {
      file = openSync(this.#file, flags, 0o600);
      return work(file);
    } catch (error) {
      return diskFailureOf(error) === 'full' ? false : unusable;
    } finally {
      if (file !== undefined) closeSync(file);
    }
  }
}

/** Makes room for a write that failed `failures` times because the disk is full. Returns false if there is none. */
export type MakeRoom = (failures: number) => boolean;

/** Does work, and again whenever room was made for it. @throws what `work` throws */
export async function withRoom<Result>(
  work: () => Promise<Result>,
  makeRoom: (failures: number) => boolean | Promise<boolean>,
): Promise<Result> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await work();
    } catch (error) {
      if (diskFailureOf(error) !== 'full' || !(await makeRoom(failures))) throw error;
    }
  }
}

/** Like `withRoom`, without letting others in between. */
export function withRoomNow<Result>(work: () => Result, makeRoom: MakeRoom): Result {
  for (let failures = 0; ; failures += 1) {
    try {
      return work();
    } catch (error) {
      if (diskFailureOf(error) !== 'full' || !makeRoom(failures)) throw error;
    }
  }
}
