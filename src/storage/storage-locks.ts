/**
 * Locks of a store that keeps the versions of its files, such as a bucket with object lock. A file that is locked can be hidden or
 * covered by another version, but nobody can delete it before the lock ends.
 */
export interface StorageLocks {
  /** Files that are created from now on are locked for so many milliseconds; 0 locks none. */
  period: number;
  /** Returns whether the store locks files. Asks it once. */
  isSupported(signal?: AbortSignal): Promise<boolean>;
  /** Time by the store's clock, in milliseconds since the epoch. A wrong clock here would lock files for years. */
  now(): number;
  /** Returns the ends of the locks of files that were created since the last call, by name. */
  takeCreated(): ReadonlyMap<string, number>;
  /** Locks a file until then. Returns when its lock ends, which may be later; `undefined` if it is not there, or is hidden. */
  extend(name: string, until: number, signal?: AbortSignal): Promise<number | undefined>;
  /** Returns the names of files that somebody deleted without a trace in listings, although the store still has them. */
  hidden(prefix: string, signal?: AbortSignal): Promise<readonly string[]>;
  /** Shows a hidden file again. Returns false if the store forbids it. */
  show(name: string, signal?: AbortSignal): Promise<boolean>;
  /** Makes a version current that is right, unless the current one is. Returns false if there is none. */
  restore(name: string, isRight: (bytes: Uint8Array) => boolean, signal?: AbortSignal): Promise<boolean>;
}
