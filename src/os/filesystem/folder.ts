import { chmodSync, closeSync, constants, existsSync, lstatSync, mkdirSync, openSync } from 'node:fs';
import { systemCodeOf } from '../../base/errors/errors.ts';
import { pathIn, type FolderReference } from './folder-reference.ts';

/** O_PATH of Linux, which Node does not define: a handle that needs no read permission. */
const O_PATH = 0x200000;
const HANDLE_FLAGS = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

let handles: boolean | undefined;

/** Returns whether entries can be accessed through a folder's handle (`/proc/self/fd` of Linux). */
function hasHandles(): boolean {
  handles ??= process.platform === 'linux' && leadsInside();
  return handles;
}

/** Tests whether `/proc` is mounted. */
function leadsInside(): boolean {
  const root = openSync('/', O_PATH | constants.O_DIRECTORY);
  try {
    return existsSync(`/proc/self/fd/${root}/proc/self/fd`);
  } finally {
    closeSync(root);
  }
}

/**
 * A reference to a folder that remains valid when its path changes, by a handle if the system supports it. Names are looked up
 * relative to the handle, so a symlink in the folder's place has no effect and paths never get too long. Other systems use
 * the path, after checking what it denotes.
 *
 * Reference-counted: each holder retains it and releases it once; the last release closes it.
 */
export class Folder {
  readonly #handle: number | undefined;
  readonly #path: string | Buffer;
  #holders = 1;

  private constructor(path: string | Buffer, handle: number | undefined) {
    this.#path = path;
    this.#handle = handle;
  }

  /** @param path of this system; it may contain symlinks, since the person chose it. Throws a system error. */
  static open(path: string | Buffer): Folder {
    if (!hasHandles()) return new Folder(path, undefined);
    const handle = openSync(path, O_PATH | constants.O_DIRECTORY);
    return new Folder(`/proc/self/fd/${handle}`, handle);
  }

  /** Opens a subfolder without following symlinks. Throws a system error (ENOENT, ENOTDIR …). */
  child(name: string): Folder {
    const path = this.pathOf(name);
    if (this.#handle === undefined) {
      if (!lstatSync(path).isDirectory()) throw notADirectory(path);
      return new Folder(path, undefined);
    }
    const handle = openSync(path, HANDLE_FLAGS);
    return new Folder(`/proc/self/fd/${handle}`, handle);
  }

  /** Creates a subfolder with access for its owner only. Returns `false` if the name exists. */
  makeChild(name: string): boolean {
    try {
      mkdirSync(this.pathOf(name), 0o700);
      return true;
    } catch (error) {
      if (systemCodeOf(error) === 'EEXIST') return false;
      throw error;
    }
  }

  /** Returns the `node:fs` path of a name (a segment of an entry path), valid in any thread while this is held. */
  pathOf(name: string): string | Buffer {
    return pathIn({ path: this.#path, handle: this.#handle }, name);
  }

  /** A reference for other threads, valid while this is held. */
  get reference(): FolderReference {
    return { path: this.#path, handle: this.#handle };
  }

  /** The folder's own path, for functions that do not follow links. */
  get self(): string | Buffer {
    return this.#handle === undefined ? this.#path : `/proc/self/fd/${this.#handle}/.`;
  }

  /** Works even if the current mode denies access. */
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
