import { lstatSync } from 'node:fs';
import { systemCodeOf } from '../../base/errors/errors.ts';
import { DIRECTORY, FILE, SYMLINK, type KnownEntry } from '../../catalog/entries/entry.ts';
import { entryPathIn, fileSystemPath } from '../../os/filesystem/names/entry-path.ts';
import { isSystemName } from '../../os/filesystem/names/system-names.ts';
import type { Exclusion, ExclusionScope } from './exclusion.ts';
import type { KnownContent } from './known-content.ts';
import { readDirectorySync } from './read-directory.ts';

/** What is left in a folder. */
export interface Left {
  /** The most that was found. `nothing`: at most folders, what the rules leave out, and what systems create by themselves. */
  readonly most: 'files' | 'links' | 'nothing';
  /** Entry paths of folders in which there may be more. */
  readonly unreadable: ReadonlySet<string>;
}

/** A folder, and the scope that it is in. */
export interface ScopedFolder {
  readonly path: string;
  readonly scope: ExclusionScope;
}

/**
 * Finds folders that have lost everything, although they are there: a disk that was emptied has its `lost+found`, one that somebody formatted the
 * folders that a system creates, and what removes files often leaves their folders.
 */
export class RemainingFiles {
  readonly #exclusion: Exclusion;
  readonly #oneFileSystem: boolean;

  constructor(exclusion: Exclusion, { oneFileSystem }: { readonly oneFileSystem: boolean }) {
    this.#exclusion = exclusion;
    this.#oneFileSystem = oneFileSystem;
  }

  /** Returns the scope around a source. */
  rootScope(root: string): ExclusionScope {
    return this.#exclusion.rootScope(root);
  }

  /**
   * Returns whether newest backups have files of a folder, seen in the place in which it is, and it has none any more. What the rules leave out now
   * counts on neither side.
   */
  areLost(folder: ScopedFolder, known: KnownEntry, place: number, content: KnownContent): boolean {
    // Most folders have a file that is found at once.
    const left = this.leftIn(folder);
    if (left.most === 'files' || known.child === null) return false;
    const pending = [{ ...folder, child: known.child }];
    for (let next = pending.pop(); next; next = pending.pop()) {
      const scope = this.#enter(next.scope, next.path);
      for (const entry of content.of(next.child)) {
        const path = entryPathIn(next.path, entry.name);
        if (!this.isOwn(scope, path, entry.name, entry.kind === DIRECTORY)) continue;
        if (entry.child !== null) {
          if (!left.unreadable.has(path)) pending.push({ path, scope, child: entry.child });
        } else if (entry.place === place && isMissed(left, entry.kind)) return true;
      }
    }
    return false;
  }

  /** Looks for what a backup takes in a folder, until it finds a file. */
  leftIn(folder: ScopedFolder): Left {
    const unreadable = new Set<string>();
    let most: Left['most'] = 'nothing';
    const device = this.#oneFileSystem ? deviceOf(folder.path) : undefined;
    const pending = [folder];
    for (let next = pending.pop(); next; next = pending.pop()) {
      try {
        const names = readDirectorySync(next.path);
        const scope = this.#exclusion.enter(next.scope, next.path, (name) => names.includes(name));
        for (const name of names) {
          const path = entryPathIn(next.path, name);
          const stat = isSystemName(name) ? undefined : lstatSync(fileSystemPath(path), { throwIfNoEntry: false });
          if (!stat || !this.isOwn(scope, path, name, stat.isDirectory())) continue;
          if (stat.isFile()) return { most: 'files', unreadable };
          if (stat.isSymbolicLink()) most = 'links';
          if (stat.isDirectory() && (device === undefined || stat.dev === device)) pending.push({ path, scope });
        }
      } catch (error) {
        if (systemCodeOf(error) === undefined) throw error;
        unreadable.add(next.path);
      }
    }
    return { most, unreadable };
  }

  /** Returns whether an entry is one that a person would miss. @param scope that of the folder that it is in */
  isOwn(scope: ExclusionScope, path: string, name: string, isDirectory: boolean): boolean {
    return !isSystemName(name) && this.#exclusion.excludes(scope, path, isDirectory) === undefined;
  }

  /**
   * Returns whether something in a folder, which need not be there any more, is what a person would miss.
   *
   * @param path entry path of something in the folder
   */
  isOwnIn(folder: ScopedFolder, path: string, { unreadable }: Left): boolean {
    const names = path.slice(folder.path.length).split('/').filter(Boolean);
    let { path: at, scope } = folder;
    for (const [index, name] of names.entries()) {
      if (unreadable.has(at)) return false;
      scope = this.#enter(scope, at);
      at = entryPathIn(at, name);
      if (!this.isOwn(scope, at, name, index < names.length - 1)) return false;
    }
    return true;
  }

  /** Returns the scope that a folder is in. @param root entry path of the source that has it */
  scopeAround(root: string, path: string): ExclusionScope {
    let scope = this.rootScope(root);
    let folder = root;
    for (const name of path.slice(root.length).split('/').filter(Boolean)) {
      scope = this.#enter(scope, folder);
      folder = entryPathIn(folder, name);
    }
    return scope;
  }

  /** The folder may be gone, and cannot always be looked into. */
  #enter(scope: ExclusionScope, path: string): ExclusionScope {
    try {
      return this.#exclusion.enter(scope, path);
    } catch (error) {
      if (systemCodeOf(error) === undefined) throw error;
      return scope;
    }
  }
}

/** Returns whether entries of a kind are missed where no more is left. */
export function isMissed({ most }: Left, kind: KnownEntry['kind']): boolean {
  return kind === FILE || (kind === SYMLINK && most === 'nothing');
}

function deviceOf(path: string): number | undefined {
  return lstatSync(fileSystemPath(`${path}/`), { throwIfNoEntry: false })?.dev;
}
