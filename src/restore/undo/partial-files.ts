import { lstatSync, readdirSync, unlinkSync } from 'node:fs';
import { systemCodeOf } from '../../base/errors/errors.ts';
import { segmentOfBytes } from '../../os/filesystem/names/entry-path.ts';
import type { FolderWalk } from '../../os/filesystem/folder-walk.ts';
import { isPartialName, partialPrefixOf } from '../../os/filesystem/names/partial-name.ts';

/** Removes the incomplete files that a restore has left because it was killed. */
export class PartialFiles {
  readonly #walk: FolderWalk;
  readonly #prefix: string;
  readonly #swept = new Set<string>();

  /** @param restore the id of its journal */
  constructor(walk: FolderWalk, restore: string) {
    this.#walk = walk;
    this.#prefix = partialPrefixOf(restore);
  }

  /** Looks into each folder once. Throws a system error unless the folder is gone. @returns whether any was there */
  remove(names: readonly string[]): boolean {
    const key = names.join('/');
    if (this.#swept.has(key)) return false;
    this.#swept.add(key);
    let isAny = false;
    try {
      const folder = this.#walk.enter(names);
      for (const bytes of readdirSync(folder.self, { encoding: 'buffer' })) {
        const name = segmentOfBytes(bytes);
        if (!isPartialName(name, this.#prefix)) continue;
        const path = folder.pathOf(name);
        if (lstatSync(path).isDirectory()) continue;
        unlinkSync(path);
        isAny = true;
      }
    } catch (error) {
      const code = systemCodeOf(error);
      if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
    }
    return isAny;
  }
}
