import { lstatSync, readdirSync, type BigIntStats } from 'node:fs';
import { systemCodeOf } from '../../base/errors/errors.ts';
import { isWithin, parentOf } from '../../model/entry-path.ts';
import { entryPathIn, segmentOfBytes, entryPathOfBytes } from '../../os/filesystem/names/entry-path.ts';
import type { FolderWalk } from '../../os/filesystem/folder-walk.ts';
import type { Folder } from '../../os/filesystem/folder.ts';
import { isSideFolderName } from '../../os/filesystem/names/side-folder.ts';
import { isPartialName } from '../../os/filesystem/names/partial-name.ts';
import { throwIfInterrupted } from '../../jobs/interruption.ts';
import type { Exclusion, ExclusionScope } from '../../archive/scan/exclusion.ts';
import type { SurplusStore, UsedFolder } from '../record/surplus-store.ts';
import { TimeSlice } from '../../read/time-slice.ts';
import type { PathExclusion } from './request-paths.ts';
import { mountList } from '../../os/filesystem/mount-list.ts';

/** The rules of a set that is backed up from this computer. */
export interface SetRules {
  /** Entry paths. */
  readonly roots: readonly string[];
  readonly exclusion: Exclusion;
}

export interface SurplusInput {
  readonly store: SurplusStore;
  /** Real path of the target folder. */
  readonly target: string;
  /** Over the target folder. */
  readonly walk: FolderWalk;
  readonly rules: SetRules;
  /** What the request leaves out. */
  readonly without: PathExclusion;
  /** Entry paths that the backup could not read: whether they existed then, and with what in them, is not known. */
  readonly unknown: ReadonlySet<string>;
  readonly signal: AbortSignal | undefined;
}

/**
 * Finds what exists in the folders of a plan and did not exist at its time, and stores it in the plan. Not found is, and so left alone:
 * what the backup could not read, what the rules of the set exclude, other file systems, sockets and devices, folders that cannot be read, what a restore has moved aside
 * or put beside, and another spelling of a planned name. Writes nothing to the target.
 */
export async function findSurplus(input: SurplusInput): Promise<void> {
  await new SurplusSearch(input).run();
}

/** Returns whether everything in an existing folder would be surplus if the plan had nothing there. */
export function isSurplusAsWhole(folder: UsedFolder, input: SurplusInput): Promise<boolean> {
  return new SurplusSearch(input).isWhole(folder);
}

/** A folder whose content is compared. */
interface SearchedFolder extends UsedFolder {
  readonly scope: ExclusionScope;
}

class SurplusSearch {
  readonly #input: SurplusInput;
  readonly #slice = new TimeSlice();
  /** A folder of the same file system may be mounted, too. */
  readonly #mounts = mountPoints();
  /** From a root of the set down to the current folder; without a scope where it is excluded. */
  readonly #levels: { readonly path: string; readonly scope: ExclusionScope | undefined }[] = [];

  constructor(input: SurplusInput) {
    this.#input = input;
  }

  async run(): Promise<void> {
    for (const used of this.#input.store.used()) {
      const scope = this.#isUnknown(used.path) ? undefined : this.#scopeIn(used.path);
      if (scope) await this.#compare({ ...used, scope });
    }
  }

  async isWhole({ path, location }: UsedFolder): Promise<boolean> {
    const { rules, store } = this.#input;
    const scope = rules.roots.includes(path) ? rules.exclusion.rootScope(path) : this.#scopeIn(parentOf(path));
    const device = this.#statAt(location.split('/').slice(0, -1).join('/'))?.dev;
    if (!scope || device === undefined) return false;
    const found = await this.#measure({ path, location, scope }, location.split('/').at(-1)!, { device });
    store.removeBelow(location);
    return found?.isWhole === true;
  }

  async #compare(folder: SearchedFolder): Promise<void> {
    const { store } = this.#input;
    const children = this.#list(folder.location);
    for (const name of children?.names ?? []) {
      await this.#pause();
      const path = entryPathIn(folder.path, name);
      if (store.isPlanned(path) || store.isBeside(entryPathIn(folder.location, name))) continue;
      if (this.#isOtherSpelling(folder, name, children!.names)) continue;
      const child = { path, location: entryPathIn(folder.location, name), scope: folder.scope };
      const found = await this.#measure(child, name, children!);
      if (found?.isWhole === true) store.add({ location: child.location, files: found.files, bytes: found.bytes });
    }
  }

  /** Measures something that is not planned. Of a folder that has to stay, it stores those of its entries that have not. */
  async #measure(
    child: SearchedFolder,
    name: string,
    { device }: Pick<Children, 'device'>,
  ): Promise<Measured | undefined> {
    const stat = this.#statAt(child.location);
    if (!stat || this.#isLeftAlone(child, name, stat, device)) return undefined;
    if (!stat.isDirectory()) return { isWhole: true, files: stat.isFile() ? 1 : 0, bytes: Number(stat.size) };
    const scope = this.#enterScope(child.scope, child.path);
    const children = scope && this.#list(child.location);
    if (!children) return undefined;
    const { store } = this.#input;
    const sum = { isWhole: true, files: 0, bytes: 0 };
    for (const inner of children.names) {
      await this.#pause();
      const entry = { path: entryPathIn(child.path, inner), location: entryPathIn(child.location, inner), scope };
      const found = await this.#measure(entry, inner, children);
      sum.files += found?.files ?? 0;
      sum.bytes += found?.bytes ?? 0;
      sum.isWhole &&= found?.isWhole === true;
      if (found?.isWhole === true) store.add({ location: entry.location, files: found.files, bytes: found.bytes });
    }
    if (sum.isWhole) store.removeBelow(child.location);
    return sum;
  }

  #isLeftAlone({ path, location, scope }: SearchedFolder, name: string, stat: BigIntStats, device: bigint): boolean {
    const isFolder = stat.isDirectory();
    if (!isFolder && !stat.isFile() && !stat.isSymbolicLink()) return true;
    if (isFolder ? isSideFolderName(name) || stat.dev !== device : isPartialName(name)) return true;
    if (this.#input.unknown.has(path) || this.#mounts.has(entryPathIn(this.#input.target, location))) return true;
    return (
      this.#input.without.excludes(path) || this.#input.rules.exclusion.excludes(scope, path, isFolder) !== undefined
    );
  }

  /** Returns whether a folder is what the backup could not read, or in it. */
  #isUnknown(path: string): boolean {
    const { unknown } = this.#input;
    if (unknown.size === 0) return false;
    for (let above = path; above !== ''; above = parentOf(above)) if (unknown.has(above)) return true;
    return false;
  }

  /** On a file system that takes two spellings for one name, a planned entry may be what exists here. */
  #isOtherSpelling(folder: SearchedFolder, name: string, names: readonly string[]): boolean {
    const spellings = new Set([name.toLowerCase(), name.toUpperCase(), name.normalize('NFC'), name.normalize('NFD')]);
    spellings.delete(name);
    // What is there and is not listed is this file. It may have another number: some programs number files by their spellings.
    const isFolded = [...spellings].some(
      (other) => !names.includes(other) && this.#statAt(entryPathIn(folder.location, other)) !== undefined,
    );
    if (!isFolded) return false;
    const wanted = fold(entryPathIn(folder.path, name));
    for (const path of this.#input.store.plannedWithin(folder.path)) if (fold(path) === wanted) return true;
    return false;
  }

  /** Returns the rules inside a folder of the plan; `undefined` if it is excluded, or in no root of the set. */
  #scopeIn(path: string): ExclusionScope | undefined {
    while (this.#levels.length > 0 && !isWithin(path, this.#levels.at(-1)!.path)) this.#levels.pop();
    const known = this.#levels.at(-1);
    const { roots, exclusion } = this.#input.rules;
    const root = known ? undefined : roots.find((one) => isWithin(path, one));
    if (!known && root === undefined) return undefined;
    let scope = known ? known.scope : this.#enterScope(exclusion.rootScope(root!), root!);
    const from = known?.path ?? root!;
    if (!known) this.#levels.push({ path: from, scope });
    const between = path.slice(from.length).split('/').filter(Boolean);
    let above = from;
    for (const name of between) {
      above = entryPathIn(above, name);
      const isExcluded = !scope || exclusion.excludes(scope, above, true) !== undefined;
      scope = isExcluded ? undefined : this.#enterScope(scope!, above);
      this.#levels.push({ path: above, scope });
    }
    return scope;
  }

  /** Returns `undefined` if the ignore file of a folder cannot be read: everything in it stays. */
  #enterScope(scope: ExclusionScope, path: string): ExclusionScope | undefined {
    try {
      return this.#input.rules.exclusion.enter(scope, path);
    } catch (error) {
      const code = systemCodeOf(error);
      if (code === undefined) throw error;
      return code === 'ENOENT' ? scope : undefined;
    }
  }

  #list(location: string): Children | undefined {
    try {
      const folder: Folder = this.#input.walk.enter(location.split('/'));
      const names = readdirSync(folder.self, { encoding: 'buffer' }).map((name) => segmentOfBytes(name));
      return { names, device: lstatSync(folder.self, { bigint: true }).dev };
    } catch (error) {
      if (systemCodeOf(error) === undefined) throw error;
      return undefined;
    }
  }

  #statAt(location: string): BigIntStats | undefined {
    const names = location.split('/');
    try {
      const path = this.#input.walk.pathOf(names);
      return lstatSync(path, { bigint: true });
    } catch (error) {
      if (systemCodeOf(error) === undefined) throw error;
      return undefined;
    }
  }

  async #pause(): Promise<void> {
    throwIfInterrupted(this.#input.signal);
    if (this.#slice.isOver) await this.#slice.yield();
  }
}

interface Children {
  readonly names: readonly string[];
  readonly device: bigint;
}

interface Measured {
  /** False if something in it stays. */
  readonly isWhole: boolean;
  readonly files: number;
  readonly bytes: number;
}

/** Equal for spellings that a file system may take for one. */
export function fold(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

/** Returns the entry paths on which something is mounted; none where the system has no list of mounts. */
function mountPoints(): ReadonlySet<string> {
  return new Set(mountList().map(({ path }) => entryPathOfBytes(path)));
}
