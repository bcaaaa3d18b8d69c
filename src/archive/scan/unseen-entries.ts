import type { BigIntStats } from 'node:fs';
import { DIRECTORY, FILE, type KnownEntry } from '../../catalog/entries/entry.ts';
import { entryPathIn } from '../../os/filesystem/names/entry-path.ts';
import type { RunWarning } from '../../jobs/run-warning.ts';
import { DiskCopies } from './disk-copies.ts';
import type { ExclusionScope } from './exclusion.ts';
import type { KnownContent } from './known-content.ts';
import { depthOf } from './places.ts';
import { RemainingFiles } from './remaining-files.ts';
import { sizeIn, unpackStat } from '../../os/filesystem/stat-record.ts';
import type { Folder, ReadFolder, SeenEntry } from './seen-entry.ts';
import type { Tally } from './tally.ts';
import type { ScanCatalog, ScanOptions } from './types.ts';

/** An entry as it is found now. */
interface Found {
  readonly place: number;
  readonly isChanged: boolean;
}

interface UnseenParts {
  readonly catalog: ScanCatalog;
  readonly content: KnownContent;
  readonly tally: Tally;
  readonly options: Pick<ScanOptions, 'exclusion' | 'oneFileSystem' | 'accepts' | 'optional' | 'places'>;
}

/**
 * Decides what becomes of known entries that a scan does not see. **An entry is deleted only if its folder was read in the place in which the entry was seen
 * last.** Else it keeps its last version: the disk is not connected, or another one is in its place. Each entry has its place, written whenever it
 * is seen and never otherwise, so neither a run that fails nor one that does without a disk makes a later one forget it.
 */
export class UnseenEntries {
  readonly warnings: RunWarning[] = [];
  /** Warnings that the set does without. */
  readonly silent: RunWarning[] = [];
  /** Entry paths of places of subvolumes that are not there, and of which nothing is known. */
  readonly bare: string[] = [];
  /** Entry paths of what only a visiting disk had, which is kept without a word. */
  readonly visiting: string[] = [];
  readonly #parts: UnseenParts;
  readonly #remaining: RemainingFiles;
  readonly #copies: DiskCopies;
  readonly #named = new Set<string>();

  constructor(parts: UnseenParts) {
    this.#parts = parts;
    this.#remaining = new RemainingFiles(parts.options.exclusion, parts.options);
    this.#copies = new DiskCopies(parts.catalog);
  }

  /**
   * Removes an entry that a folder does not have any more, as far as it was in the same place.
   *
   * @param path entry path of the entry
   * @param scope the rules that apply to it: what they exclude needs no last version
   * @returns whether nothing of it stays
   */
  forget(folder: ReadFolder, known: KnownEntry, path: string, scope: ExclusionScope): boolean {
    const { catalog, content, tally } = this.#parts;
    if (content.isWhollyIn(folder.place, known) || this.#isUnwanted(folder, known, path, scope)) {
      catalog.remove(folder.id, known);
      return true;
    }
    if (known.place !== folder.place || known.child === null) {
      if (depthOf(known.place) > depthOf(folder.place)) this.keep(known, path);
      // What a visiting disk had is no reason to call the one that is at home another.
      else if (this.#copies.isAtHome(folder.top, folder.place)) {
        this.#parts.tally.addKnown(known);
        this.visiting.push(path);
      } else this.keep(known, path, folder.mount);
      return false;
    }
    const inside = { ...folder, id: known.child };
    let isGone = true;
    for (const child of catalog.children(known.child)) {
      if (!this.forget(inside, child, entryPathIn(path, child.name), scope)) isGone = false;
    }
    if (isGone) catalog.remove(folder.id, known);
    // It leads to what stays.
    else tally.addFolder();
    return isGone;
  }

  /**
   * Keeps the last version of an entry.
   *
   * @param replaced entry path of the folder on which another disk is now; `undefined` if none is in its place
   */
  keep(known: KnownEntry, path: string, replaced?: string): undefined {
    this.#parts.tally.addKnown(known);
    if (replaced === undefined) this.#name(path, 'folder-not-mounted');
    else this.#name(replaced, 'folder-other-disk');
  }

  /**
   * Keeps the last version of a file or link if another disk is in the place of the one that had it, and does not have what that had: it would be
   * replaced by what only has its name.
   *
   * @param found where it is now, and whether size, times or inode are others
   * @returns whether that is so
   */
  keepOther({ known, path, folder, name, stat }: SeenEntry, found: Found, parent: Folder | undefined): boolean {
    const { place, isChanged } = found;
    // One that was deeper is not mounted, which its folder says.
    if (!known || known.kind === DIRECTORY || known.place === place || depthOf(known.place) > depthOf(place))
      return false;
    if (this.#parts.options.accepts(path)) return false;
    const isCopy = parent
      ? this.#copies.isCopy(parent.top, known.place)
      : known.kind !== FILE || this.#copies.isSame(folder.id!, name, path, sizeIn(known.stat));
    // The disk from which another one was copied has older versions of what was changed on the copy.
    if (isCopy && !(isChanged && parent && isOlder(stat, known.stat))) return false;
    if (parent && this.#copies.isAtHome(parent.top, place)) {
      this.#parts.tally.addKnown(known);
      this.#name(path, 'name-of-other-disk');
    } else this.keep(known, path, folder.mount);
    return true;
  }

  /**
   * Keeps the last version of everything in a folder if what is mounted at it may not be what it was.
   *
   * @param names what the folder has
   * @returns whether that is so
   */
  keepDoubtful(folder: Folder, names: readonly string[]): boolean {
    const { path, known, within } = folder;
    const { places, accepts } = this.#parts.options;
    if (!known || !places.isMountPoint(path, within) || accepts(path)) return false;
    // A server may export the folder in which its own disk is not mounted.
    if (!within.isProven && this.#parts.content.isNoneOf(known, names)) this.#name(path, 'folder-not-mounted');
    else if (this.#remaining.areLost(folder, known, folder.place, this.#parts.content))
      this.#name(path, 'folder-empty');
    else return false;
    this.#parts.tally.addKnownIn(known.child);
    return true;
  }

  /** Keeps the last version of everything in a subvolume that a rollback has left behind. Returns whether that is so. */
  keepSubvolume({ path, stat, known }: SeenEntry): boolean {
    const { places, accepts } = this.#parts.options;
    if (!places.lacksSubvolume(path, stat) || accepts(path)) return false;
    if (known?.kind !== DIRECTORY || this.#parts.content.count(known) === 0) {
      this.bare.push(path);
      return false;
    }
    this.#parts.tally.addKnown(known);
    this.#name(path, 'folder-subvolume');
    return true;
  }

  #isUnwanted(folder: ReadFolder, known: KnownEntry, path: string, scope: ExclusionScope): boolean {
    const { exclusion, oneFileSystem, accepts } = this.#parts.options;
    if (accepts(path)) return true;
    if (oneFileSystem && depthOf(known.place) > depthOf(folder.place)) return true;
    return exclusion.excludes(scope, path, known.kind === DIRECTORY) !== undefined;
  }

  #name(path: string, reason: string): void {
    if (this.#named.has(path)) return;
    this.#named.add(path);
    (this.#parts.options.optional?.has(path) === true ? this.silent : this.warnings).push({ path, reason });
  }
}

function isOlder({ mtimeNs }: BigIntStats, known: Buffer): boolean {
  return mtimeNs < unpackStat(known).mtimeNs;
}
