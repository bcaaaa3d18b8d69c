import { closeSync, constants, fchownSync, openSync, statSync } from 'node:fs';

/** Opens a folder, and no link in its place. */
const FOLDER = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);

/** A user and a group, by their numbers. */
export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Returns who gets what root creates in a folder: the owner of the folder. A run by `sudo` would otherwise shut people out of their own home
 * and destination. `undefined` for all other users, and in folders of root.
 */
export function ownerToKeep(folder: string): Owner | undefined {
  if (process.geteuid?.() !== 0) return undefined;
  const { uid, gid } = statSync(folder);
  return uid === 0 ? undefined : { uid, gid };
}

/** Gives an open file to its owner. A file system without owners, or one that does not let root change them, leaves it as it is. */
export function giveToSync(descriptor: number, owner: Owner | undefined): void {
  if (!owner) return;
  try {
    fchownSync(descriptor, owner.uid, owner.gid);
  } catch {
    // The file is there, and only root can read it.
  }
}

/** Gives a folder that was just created to the owner of the one around it. @param path of the new folder */
export function giveFolderToSync(path: string, owner: Owner | undefined): void {
  if (!owner) return;
  const descriptor = openSync(path, FOLDER);
  try {
    giveToSync(descriptor, owner);
  } finally {
    closeSync(descriptor);
  }
}
