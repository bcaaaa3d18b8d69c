import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { HoldfastError, systemCodeOf } from '../../base/errors/errors.ts';
import { looksLikeBackups } from '../foreign-content.ts';
import { asFolderError } from './folder-error.ts';
import { KIB } from '../../model/units.ts';

/** Files of which every repository has one: a description and its copy. */
const MARKERS = ['holdfast.json', 'holdfast-copy.json'] as const;

/** Failures that say nothing about whether the disk is there. */
const IS_HERE = new Set(['EACCES', 'EPERM', 'EMFILE', 'ENFILE', 'ENOMEM']);

interface Identity {
  readonly device: bigint;
  readonly inode: bigint;
}

/**
 * The folder of a destination, which may vanish when a disk is unplugged. What lies below a mount point must not be taken for
 * the disk, so each write is preceded by a check of the folder's identity and of the repository's marker.
 */
export class DestinationRoot {
  readonly directory: string;
  #identity: Identity;
  /** The marker's content; `undefined` while a new repository has none. */
  #marker: Buffer | undefined;

  private constructor(directory: string, identity: Identity, marker: Buffer | undefined) {
    this.directory = directory;
    this.#identity = identity;
    this.#marker = marker;
  }

  /**
   * Opens an existing folder without writing to it.
   *
   * @param isNew whether the marker may be missing, since it is about to be written
   * @throws HoldfastError `destination_missing`, `destination_unwritable`
   */
  static async open(directory: string, isNew: boolean): Promise<DestinationRoot> {
    let problem: 'undescribed' | undefined;
    try {
      const identity = await identityOf(directory);
      const marker = await readMarker(directory);
      if (identity && (marker || isNew)) return new DestinationRoot(directory, identity, marker);
      if (identity && looksLikeBackups(await readdir(directory))) problem = 'undescribed';
    } catch (error) {
      throw asFolderError(error, directory, IS_HERE.has(systemCodeOf(error) ?? ''));
    }
    throw new HoldfastError('destination_missing', { directory, ...(problem && { problem }) });
  }

  /** @throws HoldfastError `destination_missing` if the folder is no longer the one that was opened */
  async check(): Promise<void> {
    if (!(await this.isPresent())) throw new HoldfastError('destination_missing', { directory: this.directory });
  }

  async isPresent(): Promise<boolean> {
    try {
      const identity = await identityOf(this.directory);
      if (!identity) return false;
      const isSame = identity.device === this.#identity.device && identity.inode === this.#identity.inode;
      if (isSame && this.#marker) {
        return (await firstMarker(this.directory, statOf)) !== undefined;
      }
      const marker = await readMarker(this.directory);
      if (isSame) {
        this.#marker = marker;
        return true;
      }
      // Some file systems number their folders anew, and a disk may have been plugged in again: the content decides.
      if (!marker || !this.#marker?.equals(marker)) return false;
      this.#identity = identity;
      return true;
    } catch (error) {
      return IS_HERE.has(systemCodeOf(error) ?? '');
    }
  }
}

async function identityOf(directory: string): Promise<Identity | undefined> {
  const found = await statOf(directory);
  return found?.isDirectory() ? { device: found.dev, inode: found.ino } : undefined;
}

/** A description has a few hundred bytes. */
const LARGEST_MARKER_BYTES = 64 * KIB;

async function readMarker(directory: string): Promise<Buffer | undefined> {
  return await firstMarker(directory, async (path) => {
    const found = await orMissing(() => stat(path));
    if (!found?.isFile() || found.size > LARGEST_MARKER_BYTES) return undefined;
    return await orMissing(() => readFile(path));
  });
}

/** Looks at the markers until one is found. One that cannot be read is no reason to give up while the other can. @throws the system error of the first */
async function firstMarker<Result>(
  directory: string,
  look: (path: string) => Promise<Result | undefined>,
): Promise<Result | undefined> {
  const failures: unknown[] = [];
  for (const name of MARKERS) {
    try {
      const found = await look(join(directory, name));
      if (found !== undefined) return found;
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return undefined;
}

async function statOf(path: string): Promise<Awaited<ReturnType<typeof bigStat>> | undefined> {
  return orMissing(() => bigStat(path));
}

function bigStat(path: string) {
  return stat(path, { bigint: true });
}

async function orMissing<Result>(call: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await call();
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return undefined;
    throw error;
  }
}
