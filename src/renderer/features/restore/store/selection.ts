import { nameOf, parentOf } from '../../../../model/entry-path.ts';
import type { BrowsedEntry } from '../../../../ipc/contract/restore/restore.ts';
import type { RestoreRequest } from '../../../../model/restore-request.ts';

type Entries = ReadonlyMap<string, BrowsedEntry>;

/**
 * The entries to restore, by path. A folder stands for all of its contents except those in `without`. The deepest decision
 * about an entry counts, and none repeats the one above it.
 */
export interface Selection {
  readonly chosen: Entries;
  readonly without: Entries;
}

export const NOTHING: Selection = { chosen: new Map(), without: new Map() };

export type Chosen = 'chosen' | 'with-folder' | 'partly' | 'not';

/** `with-folder`: a folder above it is selected. `partly`: a part of its contents is. */
export function chosenAs({ chosen, without }: Selection, path: string): Chosen {
  const isIn = isChosen({ chosen, without }, path);
  const others = isIn ? without : chosen;
  const prefix = `${path}/`;
  for (const other of others.keys()) if (other.startsWith(prefix)) return 'partly';
  if (!isIn) return 'not';
  return chosen.has(path) ? 'chosen' : 'with-folder';
}

/** Selects all of an entry, or removes all of it from the selection. */
export function toggled(selection: Selection, entry: BrowsedEntry): Selection {
  const { path } = entry;
  const as = chosenAs(selection, path);
  const prefix = `${path}/`;
  const rest = (entries: Entries): Map<string, BrowsedEntry> =>
    new Map([...entries].filter(([other]) => other !== path && !other.startsWith(prefix)));
  const [chosen, without] = [rest(selection.chosen), rest(selection.without)];
  const wanted = as === 'partly' || as === 'not';
  const byFolder = isChosen({ chosen, without }, parentOf(path));
  if (wanted && !byFolder) chosen.set(path, entry);
  if (!wanted && byFolder) without.set(path, entry);
  return { chosen, without };
}

/** Selects all of several entries of one folder. */
export function withAll(selection: Selection, entries: readonly BrowsedEntry[]): Selection {
  const paths = new Set(entries.map(({ path }) => path));
  const rest = (held: Entries): Map<string, BrowsedEntry> =>
    new Map([...held].filter(([path]) => !foldersFrom(path).some((above) => paths.has(above))));
  const next = { chosen: rest(selection.chosen), without: rest(selection.without) };
  for (const entry of entries) if (!isChosen(next, entry.path)) next.chosen.set(entry.path, entry);
  return next;
}

/** Replaces entries of the selection by their newer versions, if there are any. */
export function renewed({ chosen, without }: Selection, entries: readonly BrowsedEntry[]): Selection {
  const known = new Map(entries.map((entry) => [entry.path, entry]));
  const renew = (held: Entries): Entries => new Map([...held].map(([path, entry]) => [path, known.get(path) ?? entry]));
  return { chosen: renew(chosen), without: renew(without) };
}

/** Returns the selection without the missing entries. */
export function present({ chosen, without }: Selection, missing: ReadonlySet<string>): Selection {
  if (missing.size === 0) return { chosen, without };
  const keep = (held: Entries): Entries => new Map([...held].filter(([path]) => !missing.has(path)));
  return { chosen: keep(chosen), without: keep(without) };
}

/** Returns a selection of entries of which only the path is known yet. */
export function selectionOf({ paths, without = [] }: Pick<RestoreRequest, 'paths' | 'without'>): Selection {
  const unknown = (path: string): [string, BrowsedEntry] => [
    path,
    { path, name: nameOf(path), type: 'directory', size: 0, modified: '' },
  ];
  return { chosen: new Map(paths.map(unknown)), without: new Map(without.map(unknown)) };
}

export function pathsOf({ chosen, without }: Selection): string[] {
  return [...chosen.keys(), ...without.keys()];
}

/** Returns whether the contents of all folders are known. */
export function isMeasured({ chosen, without }: Selection): boolean {
  return [...chosen.values(), ...without.values()].every(({ type, within }) => type !== 'directory' || within);
}

export interface SelectionCount {
  readonly folders: number;
  readonly files: number;
  readonly leftOut: number;
  /** Size of all files in it; `undefined` while a folder has not been read. */
  readonly bytes: number | undefined;
}

export function countOf(selection: Selection): SelectionCount {
  const { chosen, without } = selection;
  const folders = [...chosen.values()].filter(({ type }) => type === 'directory').length;
  const bytesOf = (entries: Entries): number =>
    [...entries.values()].reduce(
      (sum, { type, size, within }) => sum + (type === 'directory' ? (within?.bytes ?? 0) : size),
      0,
    );
  return {
    folders,
    files: chosen.size - folders,
    leftOut: without.size,
    bytes: isMeasured(selection) ? bytesOf(chosen) - bytesOf(without) : undefined,
  };
}

/** A path and the folders above it, innermost first. */
function foldersFrom(path: string): readonly string[] {
  const paths: string[] = [];
  for (let above = path; above !== ''; above = parentOf(above)) paths.push(above);
  return paths;
}

function isChosen({ chosen, without }: Selection, path: string): boolean {
  for (const above of foldersFrom(path)) {
    if (without.has(above)) return false;
    if (chosen.has(above)) return true;
  }
  return false;
}
