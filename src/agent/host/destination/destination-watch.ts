import { statfs } from 'node:fs/promises';
import { inspectFolder } from '../../../storage/folder/inspect-folder.ts';
import { locationOf } from '../../home/destination-location.ts';
import type { Destination } from '../../../model/destination.ts';
import { resultWithin } from '../result-within.ts';
import { isOnDiskOf } from '../../../os/disks/own-disk.ts';
import type { StateChanges } from '../state-changes.ts';

export interface DestinationStatus {
  readonly isPresent: boolean;
  readonly freeBytes: number | undefined;
  /** True if it is on a disk with files that are backed up, or was when it was last present; `undefined` while it is not known. */
  readonly isOnSourceDisk?: boolean | undefined;
  /** When the last check found that it is missing, in milliseconds since the epoch. */
  readonly missingAt?: number;
}

/** A destination that is not a folder counts as present: the next run finds out. */
const UNKNOWN: DestinationStatus = { isPresent: true, freeBytes: undefined };
const MISSING: DestinationStatus = { isPresent: false, freeBytes: undefined };

/** A network drive whose server is gone may never respond. */
const TIMEOUT_MS = 5000;
/** Free space changes slowly. */
const FRESH_MS = 15_000;

/** Checks whether a destination is present, one check at a time and without blocking: a sleeping disk is slow. */
export class DestinationWatch {
  readonly #destination: () => Destination | undefined;
  readonly #roots: () => readonly string[];
  readonly #changes: StateChanges;
  readonly #onMissing: (() => void)[] = [];
  readonly #onFound: (() => void)[] = [];
  #directory: string | undefined;
  #status: DestinationStatus = UNKNOWN;
  #checking: Promise<void> | undefined;
  #checkedAt = Number.NEGATIVE_INFINITY;
  /** The roots for which `#isOnSourceDisk` was found out since the destination was connected. */
  #comparedWith: string | undefined;
  /** Kept while the destination does not respond, or is missing. */
  #isOnSourceDisk: boolean | undefined;

  /**
   * @param destination as the settings have it now
   * @param roots the folders of all sets now
   */
  constructor(destination: () => Destination | undefined, roots: () => readonly string[], changes: StateChanges) {
    this.#destination = destination;
    this.#roots = roots;
    this.#changes = changes;
  }

  /** The result of the last check. */
  get status(): DestinationStatus {
    return this.#status;
  }

  /** Adds a listener for a destination that has become missing. */
  onMissing(listener: () => void): void {
    this.#onMissing.push(listener);
  }

  /** Adds a listener for a destination that was missing and is present again. */
  onFound(listener: () => void): void {
    this.#onFound.push(listener);
  }

  /** Checks a present destination occasionally, and a missing one every time. */
  refresh(): void {
    const isFresh = this.#status.isPresent && performance.now() - this.#checkedAt < FRESH_MS;
    const directory = directoryOf(this.#destination());
    if (!isFresh || directory !== this.#directory) void this.check();
    // A new folder of a set may be on this disk.
    else if (directory !== undefined) void this.#compare(directory);
  }

  /** Checks now. Resolves within five seconds: a destination that has not responded by then counts as missing. */
  async check(): Promise<DestinationStatus> {
    const directory = directoryOf(this.#destination());
    this.#checkedAt = performance.now();
    if (directory !== this.#directory) {
      this.#directory = directory;
      this.#isOnSourceDisk = undefined;
      this.#update(UNKNOWN);
    }
    if (directory === undefined) return UNKNOWN;
    this.#checking ??= this.#check(directory).finally(() => (this.#checking = undefined));
    const checked = this.#checking.then(() => true);
    if (!(await resultWithin(TIMEOUT_MS, checked))) this.#update(MISSING);
    return this.#status;
  }

  /** Checks now, and returns the path of the destination if it is missing. */
  async missingPath(): Promise<string | undefined> {
    const destination = this.#destination();
    const { isPresent } = await this.check();
    return isPresent || !destination ? undefined : locationOf(destination);
  }

  async #check(directory: string): Promise<void> {
    const status = await statusOf(directory);
    if (directory !== this.#directory) return;
    const isOnSourceDisk = this.#isOnSourceDisk;
    if (status.isPresent) {
      this.#update({ ...status, isOnSourceDisk });
      void this.#compare(directory);
    } else {
      this.#update({ ...status, isOnSourceDisk, missingAt: Date.now() });
      // It may come back on another disk.
      this.#comparedWith = undefined;
    }
  }

  /** Finds out whether the destination shares a disk with the sources, once for the same sources: disks are listed by a program. */
  async #compare(directory: string): Promise<void> {
    const roots = this.#roots();
    const key = JSON.stringify([directory, ...roots]);
    if (key === this.#comparedWith) return;
    this.#comparedWith = key;
    const isOnSourceDisk = await isOnDiskOf(directory, roots).catch(() => undefined);
    if (key !== this.#comparedWith) return;
    this.#isOnSourceDisk = isOnSourceDisk;
    if (this.#status.isPresent) this.#update({ ...this.#status, isOnSourceDisk });
  }

  #update(status: DestinationStatus): void {
    const before = this.#status;
    this.#status = status;
    const isSame = status.isPresent === before.isPresent && status.freeBytes === before.freeBytes;
    if (isSame && status.isOnSourceDisk === before.isOnSourceDisk) return;
    if (!status.isPresent) for (const listener of this.#onMissing) listener();
    if (status.isPresent && !before.isPresent) for (const listener of this.#onFound) listener();
    this.#changes.notify();
  }
}

/** Only a folder can be checked. */
function directoryOf(destination: Destination | undefined): string | undefined {
  return destination?.kind === 'folder' ? destination.directory : undefined;
}

async function statusOf(directory: string): Promise<DestinationStatus> {
  try {
    if ((await inspectFolder(directory)) !== 'repository') return MISSING;
  } catch {
    return MISSING;
  }
  try {
    const { bavail, bsize } = await statfs(directory);
    return { isPresent: true, freeBytes: bavail * bsize };
  } catch {
    return { isPresent: true, freeBytes: undefined };
  }
}
