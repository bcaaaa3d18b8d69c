/** Names begin with neither a dot nor a slash, so that they cannot leave the repository or be those of unfinished files. */
const NAME = /^[0-9a-z-][0-9a-z.-]*(?:\/[0-9a-z-][0-9a-z.-]*)*$/;
const LONGEST = 200;

/** Prefix of the last segment of an unfinished file's name. */
export const UNFINISHED = '.tmp-';

/** Returns whether a repository may have a file of this name. Everything else in a store is foreign. */
export function isStoredName(name: string): boolean {
  return name.length <= LONGEST && NAME.test(name);
}

/** Throws if the name is invalid, which is a bug. */
export function checkName(name: string): void {
  if (!isStoredName(name)) throw new TypeError(`not a name in a repository: ${JSON.stringify(name)}`);
}

/** Throws if the prefix is invalid, which is a bug. */
export function checkPrefix(prefix: string): void {
  if (prefix !== '' && !(prefix.endsWith('/') && isStoredName(prefix.slice(0, -1)))) {
    throw new TypeError(`not a prefix of names: ${JSON.stringify(prefix)}`);
  }
}

/**
 * The most bytes of a file that keeps a name until its content replaces it, on a file system without links. It has one byte, since a mount by
 * rclone stores an empty file only some time after it was closed, and then in the place of what has the name.
 */
export const CLAIM_BYTES = 1;
