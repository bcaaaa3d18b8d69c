import { lstatSync } from 'node:fs';
import { systemCodeOf } from '../../base/errors/errors.ts';
import { FolderWalk } from '../../os/filesystem/folder-walk.ts';
import { Folder } from '../../os/filesystem/folder.ts';

const OWNER_MAY_ALL = 0o700;
const PERMISSIONS = 0o7777;

/**
 * Folders of an interrupted run that have their final mode already, which may forbid writing to them. The run that continues gives it to
 * them again when they are complete; one that stops before that gives it back at once.
 */
export class OpenedFolders {
  readonly #opened: { readonly names: readonly string[]; readonly before: number }[] = [];

  /** Lets the owner write to a folder. Others get no right that they have not. @param names from the target folder down */
  open(folder: Folder, names: readonly string[]): void {
    const before = lstatSync(folder.self).mode & PERMISSIONS;
    if ((before & OWNER_MAY_ALL) === OWNER_MAY_ALL) return;
    folder.setMode(before | OWNER_MAY_ALL);
    this.#opened.push({ names, before });
  }

  /** Gives the folders the modes that they had, unless they have got others. @param target the target folder */
  closeAgain(target: string): void {
    if (this.#opened.length === 0) return;
    using walk = new FolderWalk(Folder.open(target));
    // Innermost first: their modes may forbid entering them.
    for (const { names, before } of this.#opened.splice(0).toReversed()) {
      try {
        const folder = walk.enter(names);
        if ((lstatSync(folder.self).mode & PERMISSIONS) === (before | OWNER_MAY_ALL)) folder.setMode(before);
      } catch (error) {
        if (systemCodeOf(error) === undefined) throw error;
      }
    }
  }
}
