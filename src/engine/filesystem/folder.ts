import { chmodSync, closeSync, constants, existsSync, lstatSync, mkdirSync, openSync } from 'node:fs';
import { systemCodeOf } from '../../base/errors.ts';
import { pathIn, type FolderReference } from './folder-reference.ts';

/** O_PATH of Linux, which Node does not name: a handle that asks for no permission to read. */
const O_PATH = 0x200000;
const HANDLE_FLAGS = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

let handles: boolean | undefined;

/** Whether a folder can be held open and its entries be reached through the handle (`/proc/self/fd` of Linux). */
function hasHandles(): boolean {
  handles ??= process.platform === 'linux' && leadsInside();
  return handles;
}

/** `/proc` is not mounted everywhere. */
function leadsInside(): boolean {
  const root = openSync('/', O_PATH | constants.O_DIRECTORY);
  try {
    return existsSync(`/proc/self/fd/${root}/proc/self/fd`);
  } finally {
    closeSync(root);
  }
}

/**
 * A folder that stays the one that it was when it was opened, whatever its path comes to mean: where the system allows,
 * a handle. Nothing is reached through a symlink that somebody put in its place, and no path gets too long, since names
 * are looked up from the handle. Other systems go by the path, after a look at what stands there.
 *
 * Counted: each holder retains it and releases it once; the last release closes it.
 */
export class Folder {
  readonly #handle: number | undefined;
  readonly #path: string | Buffer;
  #holders = 1;

  private constructor(path: string | Buffer, handle: number | undefined) {
    this.#path = path;
    this.#handle = handle;
  }

  /** @param path of this system; may lead over symlinks, as the person's own words. Throws a system error. */
  static open(path: string | Buffer): Folder {
    if (!hasHandles()) return new Folder(path, undefined);
    const handle = openSync(path, O_PATH | constants.O_DIRECTORY);
    return new Folder(`/proc/self/fd/${handle}`, handle);
  }

  /** Opens a folder inside, never over a symlink. Throws a system error (ENOENT, ENOTDIR …). */
  child(name: string): Folder {
    const path = this.pathOf(name);
    if (this.#handle === undefined) {
      if (!lstatSync(path).isDirectory()) throw notADirectory(path);
      return new Folder(path, undefined);
    }
    const handle = openSync(path, HANDLE_FLAGS);
    return new Folder(`/proc/self/fd/${handle}`, handle);
  }

  /** Makes a folder that its owner alone may enter; answers false where something stands there already. */
  makeChild(name: string): boolean {
    try {
      mkdirSync(this.pathOf(name), 0o700);
      return true;
    } catch (error) {
      if (systemCodeOf(error) === 'EEXIST') return false;
      throw error;
    }
  }

  /** What to pass to `node:fs` for a name inside (a segment of an entry path), in any thread while this is held. */
  pathOf(name: string): string | Buffer {
    return pathIn({ path: this.#path, handle: this.#handle }, name);
  }

  /** For other threads, while this is held. */
  get reference(): FolderReference {
    return { path: this.#path, handle: this.#handle };
  }

  /** The folder itself, for functions that do not follow links. */
  get self(): string | Buffer {
    return this.#handle === undefined ? this.#path : `/proc/self/fd/${this.#handle}/.`;
  }

  /** Also where the mode before takes the right to enter away. */
  setMode(mode: number): void {
    chmodSync(this.#path, mode);
  }

  retain(): this {
    this.#holders += 1;
    return this;
  }

  release(): void {
    this.#holders -= 1;
    if (this.#holders === 0 && this.#handle !== undefined) closeSync(this.#handle);
  }
}

function notADirectory(path: string | Buffer): Error {
  return Object.assign(new Error(`ENOTDIR: not a directory, '${path.toString()}'`), { code: 'ENOTDIR' });
}
