import { systemCodeOf } from '../../base/errors/errors.ts';
import type { FolderWalk } from '../../os/filesystem/folder-walk.ts';
import type { Folder } from '../../os/filesystem/folder.ts';
import type { ChunkLocation } from '../../read/chunks/chunk-source.ts';
import type { WrittenChunk } from '../../read/chunks/packed-chunks.ts';

/** When so many other folders have been opened since, the batch that reads from a folder has long been written. */
const MAX_OPEN_FOLDERS = 1024;

/** Opens the folders of files that repeated chunks are read from, and keeps them open meanwhile. */
export class WrittenChunks implements Disposable {
  readonly #walk: FolderWalk;
  readonly #open: Folder[] = [];

  /** @param walk over the target folder; disposed of with this */
  constructor(walk: FolderWalk) {
    this.#walk = walk;
  }

  /** Makes a chunk readable by its path; returns `undefined` if its folder cannot be entered. */
  open({ target, offset, length }: ChunkLocation): WrittenChunk | undefined {
    const names = target.split('/');
    const name = names.pop()!;
    const folder = this.#enter(names);
    if (!folder) return undefined;
    if (this.#open.at(-1) !== folder) this.#keepOpen(folder);
    return { path: folder.pathOf(name), offset, length };
  }

  #enter(names: readonly string[]): Folder | undefined {
    try {
      return this.#walk.enter(names);
    } catch (error) {
      if (systemCodeOf(error) === undefined) throw error;
      return undefined;
    }
  }

  #keepOpen(folder: Folder): void {
    this.#open.push(folder.retain());
    if (this.#open.length > MAX_OPEN_FOLDERS) this.#open.shift()!.release();
  }

  [Symbol.dispose](): void {
    for (const folder of this.#open) folder.release();
    this.#walk[Symbol.dispose]();
  }
}
