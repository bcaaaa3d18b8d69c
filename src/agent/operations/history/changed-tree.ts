import { setImmediate as nextTurn } from 'node:timers/promises';
import type { HistoryChange } from '../../../history/queries.ts';
import { nameOf, parentOf } from '../../../model/entry-path.ts';

/** What happened to an entry; `within` is a folder that existed and exists, with changes in it. */
export type ChangeState = 'added' | 'changed' | 'removed' | 'within';

/** Files and links that changed, and the bytes that came and went with them. */
export interface ChangeSums {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/** A changed entry. Of a folder, `sums` are those of everything in it. */
export interface ChangedEntry {
  readonly path: string;
  /** Of a folder that contains only a folder, with the names of both. */
  readonly name: string;
  readonly isFolder: boolean;
  readonly state: ChangeState;
  readonly sums: ChangeSums;
}

/** More are counted, but not listed: the tree is held in memory. */
const MAX_LISTED = 200_000;

/** The changes between two restore points by folders, each kind by name, folders first. */
export class ChangedTree {
  readonly #folders = new Map<string, Folder>([['', new Folder('')]]);
  readonly #maxListed: number;
  #listed = 0;
  #isCut = false;

  constructor(maxListed = MAX_LISTED) {
    this.#maxListed = maxListed;
  }

  /** Reads all pages. Other calls are answered between them. */
  static async of(pages: Iterable<readonly HistoryChange[]>): Promise<ChangedTree> {
    const tree = new ChangedTree();
    for (const page of pages) {
      for (const change of page) tree.add(change);
      await nextTurn();
    }
    return tree;
  }

  /** True if not all changes are listed. */
  get isCut(): boolean {
    return this.#isCut;
  }

  get sums(): ChangeSums {
    return this.#folders.get('')!.sums;
  }

  add({ path, before, after }: HistoryChange): void {
    const wasFolder = before?.kind === 'directory';
    const isFolder = after?.kind === 'directory';
    if (wasFolder || isFolder) this.#addFolder(path, { wasFolder, isFolder });
    const [old, now] = [wasFolder ? undefined : before, isFolder ? undefined : after];
    if (!old && !now) return;
    const state = !old ? 'added' : now ? 'changed' : 'removed';
    const sums = { ...NONE, [state]: 1, bytesBefore: old?.size ?? 0, bytesAfter: now?.size ?? 0 };
    const parent = this.#folderAt(folderOf(path));
    for (let at = parent; ; at = this.#folderAt(folderOf(at.path))) {
      at.add(sums);
      if (at.path === '') break;
    }
    if (this.#listed === this.#maxListed) {
      this.#isCut = true;
      return;
    }
    this.#listed += 1;
    parent.files.push({ name: nameOf(path), state, before: sums.bytesBefore, after: sums.bytesAfter });
  }

  /** Lists a folder from an index on; the top with ''. */
  entries(path: string, from: number, count: number): { readonly entries: ChangedEntry[]; readonly total: number } {
    const folder = this.#folders.get(path);
    if (!folder) return { entries: [], total: 0 };
    folder.sort();
    const { folders, files } = folder;
    const entries: ChangedEntry[] = folders.slice(from, from + count).map((child) => {
      const last = onlyFolderBelow(child);
      return {
        path: last.path,
        name: path === '' ? last.path : last.path.slice(path.length + 1),
        isFolder: true,
        state: last.state,
        sums: last.sums,
      };
    });
    const rest = files.slice(Math.max(0, from - folders.length), Math.max(0, from + count - folders.length));
    for (const { name, state, before, after } of rest) {
      const sums = { ...NONE, [state]: 1, bytesBefore: before, bytesAfter: after };
      entries.push({ path: `${path}/${name}`, name, isFolder: false, state, sums });
    }
    return { entries, total: folders.length + files.length };
  }

  #addFolder(path: string, { wasFolder, isFolder }: { readonly wasFolder: boolean; readonly isFolder: boolean }): void {
    // A folder whose own attributes changed is no change of a file.
    if (wasFolder && isFolder) return;
    this.#folderAt(path).state = isFolder ? 'added' : 'removed';
  }

  #folderAt(path: string): Folder {
    const known = this.#folders.get(path);
    if (known) return known;
    const folder = new Folder(path);
    this.#folders.set(path, folder);
    this.#folderAt(folderOf(path)).folders.push(folder);
    return folder;
  }
}

interface ChangedFile {
  readonly name: string;
  readonly state: 'added' | 'changed' | 'removed';
  readonly before: number;
  readonly after: number;
}

const NONE: ChangeSums = { added: 0, changed: 0, removed: 0, bytesBefore: 0, bytesAfter: 0 };

const NAMES = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

class Folder {
  readonly path: string;
  readonly folders: Folder[] = [];
  readonly files: ChangedFile[] = [];
  state: ChangeState = 'within';
  sums: ChangeSums = NONE;
  #sorted = 0;

  constructor(path: string) {
    this.path = path;
  }

  add({ added, changed, removed, bytesBefore, bytesAfter }: ChangeSums): void {
    const { sums } = this;
    this.sums = {
      added: sums.added + added,
      changed: sums.changed + changed,
      removed: sums.removed + removed,
      bytesBefore: sums.bytesBefore + bytesBefore,
      bytesAfter: sums.bytesAfter + bytesAfter,
    };
  }

  sort(): void {
    const all = this.folders.length + this.files.length;
    if (this.#sorted === all) return;
    this.folders.sort((a, b) => NAMES.compare(a.path, b.path));
    this.files.sort((a, b) => NAMES.compare(a.name, b.name));
    this.#sorted = all;
  }
}

/** The drive of a path on Windows has nothing above it. */
function folderOf(path: string): string {
  return path.includes('/') ? parentOf(path) : '';
}

/** Follows folders that contain nothing but one folder. */
function onlyFolderBelow(folder: Folder): Folder {
  let last = folder;
  while (last.state === 'within' && last.files.length === 0 && last.folders.length === 1) last = last.folders[0]!;
  return last;
}
