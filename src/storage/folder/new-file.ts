import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { link, open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { giveToSync, ownerToKeep } from '../../base/files/keep-owner.ts';
import { systemCodeOf } from '../../base/errors/errors.ts';
import { tryRenameExclusiveSync } from '../../os/filesystem/rename.ts';
import { CLAIM_BYTES, UNFINISHED } from '../stored-name.ts';
import { MINUTE } from '../../model/units.ts';

/** The system calls that differ between file systems; tests replace them. */
export const FILE_CALLS = { link, rename, tryRenameExclusiveSync } as const;

const OWNER_ONLY = 0o600;

const CLAIM = new Uint8Array(CLAIM_BYTES);

/**
 * What file systems without hard links respond, among them exFAT, SMB and FUSE; EISDIR is Windows' response. EIO is that of mounts by
 * rclone; where a disk fails, renaming fails, too.
 */
const NO_LINKS = new Set([
  'EIO',
  'EPERM',
  'EACCES',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EINVAL',
  'EMLINK',
  'EISDIR',
  'UNKNOWN',
]);
const NO_SYNC = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EPERM', 'EACCES', 'EISDIR', 'EBADF']);

/** Milliseconds after which a claim is no longer taken for a file that is being created. */
const ABANDONED = MINUTE;

/** Attempts at a file that the file system closes by itself. */
const MOST_TRIES = 5;

/** A complete file under a temporary name, on disk. */
export class UnfinishedFile {
  readonly path: string;
  /** When it was written, by the file system's clock; milliseconds since the epoch. */
  readonly written: number;

  private constructor(path: string, written: number) {
    this.path = path;
    this.written = written;
  }

  /**
   * Writes the bytes to a new file in a folder. A mount by rclone without a cache closes a file when this process starts another one, which closes
   * its copy of the descriptor: such a file is written again.
   *
   * @throws system errors, having removed the file
   */
  static async write(folder: string, bytes: Uint8Array, signal?: AbortSignal): Promise<UnfinishedFile> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await UnfinishedFile.#write(folder, bytes, signal);
      } catch (error) {
        if (systemCodeOf(error) !== 'EBADF' || tries === MOST_TRIES) throw error;
      }
    }
  }

  static async #write(folder: string, bytes: Uint8Array, signal: AbortSignal | undefined): Promise<UnfinishedFile> {
    const path = join(folder, `${UNFINISHED}${randomBytes(12).toString('hex')}`);
    const handle = await open(path, 'wx', OWNER_ONLY);
    try {
      let written: number;
      try {
        giveToSync(handle.fd, ownerToKeep(folder));
        await handle.writeFile(bytes, signal ? { signal } : {});
        await sync(handle);
        written = (await handle.stat()).mtimeMs;
      } finally {
        await handle.close();
      }
      return new UnfinishedFile(path, written);
    } catch (error) {
      await rm(path, { force: true }).catch(() => undefined);
      throw error;
    }
  }

  /**
   * Gives the file its final name, unless that is taken. The temporary name is gone afterwards, also after a failure.
   *
   * A file system without hard links and exclusive renames gets a file of one byte with the final name first. If the process is killed
   * before that is replaced, it remains; it does not match the hash in its name, and a later call replaces it.
   */
  async publish(path: string, calls = FILE_CALLS): Promise<'created' | 'exists'> {
    try {
      const outcome = await this.#publish(path, calls);
      // Also a name that is taken: a process that was killed may have created it without syncing it.
      await syncFolder(dirname(path));
      return outcome;
    } finally {
      await this.remove();
    }
  }

  async remove(): Promise<void> {
    await rm(this.path, { force: true }).catch(() => undefined);
  }

  async #publish(path: string, calls: typeof FILE_CALLS): Promise<'created' | 'exists'> {
    try {
      await calls.link(this.path, path);
      await this.remove();
      return 'created';
    } catch (error) {
      const code = systemCodeOf(error) ?? '';
      // A network share may have created the link, lost the response and repeated the call.
      if (code === 'EEXIST') return (await isSameFile(this.path, path)) ? 'created' : 'exists';
      if (!NO_LINKS.has(code)) throw error;
    }
    try {
      return calls.tryRenameExclusiveSync(this.path, path) ? 'created' : await this.#claim(path, calls);
    } catch (error) {
      if (systemCodeOf(error) === 'EEXIST') return 'exists';
      throw error;
    }
  }

  /** Creates the name first, which only one process can, and then replaces it. */
  async #claim(path: string, calls: typeof FILE_CALLS): Promise<'created' | 'exists'> {
    try {
      const claim = await open(path, 'wx', OWNER_ONLY);
      try {
        giveToSync(claim.fd, ownerToKeep(dirname(path)));
        await claim.writeFile(CLAIM);
      } finally {
        await claim.close();
      }
    } catch (error) {
      if (systemCodeOf(error) !== 'EEXIST') throw error;
      const found = await stat(path);
      if (found.size > CLAIM_BYTES || this.written - found.mtimeMs < ABANDONED) return 'exists';
    }
    await calls.rename(this.path, path);
    return 'created';
  }
}

/** Syncs a folder, which makes the names in it durable. Not every file system can do that. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows has no such call and needs none.
  if (process.platform === 'win32') return;
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await sync(handle);
  } finally {
    await handle.close();
  }
}

/** Syncs a file or folder. On macOS Node waits for the disk, too (F_FULLFSYNC). */
async function sync(handle: FileHandle): Promise<void> {
  try {
    await handle.sync();
  } catch (error) {
    if (!NO_SYNC.has(systemCodeOf(error) ?? '')) throw error;
  }
}

async function isSameFile(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([stat(one, { bigint: true }), stat(other, { bigint: true })]);
  return first.nlink > 1n && first.ino === second.ino && first.dev === second.dev;
}
