import type { DeltaEntry } from '../../../protocol/extensions.ts';
import { comparePaths, isWithin, parentOf } from '../../../model/entry-path.ts';
import type { DirtyPath } from '../../../catalog/entries/dirty-paths.ts';
import { DIRECTORY, FILE, type CatalogEntry } from '../../../catalog/entries/entry.ts';
import type { EntryReader } from '../../../catalog/entries/entry-reader.ts';
import { traverseFrom, type TraversedEntry } from '../../../catalog/entries/traverse.ts';
import type { PathNames } from '../../../format/crypto/path-names.ts';
import type { CatalogRun } from '../catalog-run.ts';
import { fileEntry, reservedFile, type ReservedEntry } from './manifest-entries.ts';

const BATCH = 500;

/** The change of one path. */
type Change =
  | { readonly kind: 'removed'; readonly path: string }
  | ({ readonly kind: 'file' } & TraversedEntry)
  | { readonly kind: 'reserved'; readonly path: string; readonly entry: ReservedEntry };

/**
 * Yields the manifest as its differences from the newest restore point's, in the order of the paths that are sent. Applied
 * to that manifest, they give the result of `manifestEntries`.
 */
export function* deltaEntries(
  catalogRun: CatalogRun,
  dirty: readonly DirtyPath[],
  reserved: readonly ReservedEntry[],
  names: PathNames | undefined,
): Generator<readonly DeltaEntry[]> {
  const changes: Change[] = reserved.map((entry) => ({ kind: 'reserved', path: entry.path, entry }));
  const sent = (path: string): string => names?.sealPath(path) ?? path;
  for (const change of changesAt(catalogRun, dirty)) changes.push({ ...change, path: sent(change.path) });
  // The sort is stable: a removal stays before the file that replaced it.
  changes.sort((a, b) => comparePaths(a.path, b.path));
  for (let start = 0; start < changes.length; start += BATCH) {
    yield changes.slice(start, start + BATCH).map(deltaEntry);
  }
}

/** Yields the files that changed since the newest restore point, under their unsealed paths. */
export function* changedFiles(catalogRun: CatalogRun, dirty: readonly DirtyPath[]): Generator<TraversedEntry> {
  for (const change of changesAt(catalogRun, dirty)) if (change.kind === 'file') yield change;
}

function deltaEntry(change: Change): DeltaEntry {
  if (change.kind === 'removed') return { path: change.path, removed: true };
  return change.kind === 'file' ? fileEntry(change.path, change.entry) : reservedFile(change.entry);
}

/** Yields the changes under their unsealed paths. */
function* changesAt(catalogRun: CatalogRun, dirty: readonly DirtyPath[]): Generator<Change> {
  const lookup = new PathLookup(catalogRun);
  /** The folder whose whole content was yielded last. */
  let covered: string | undefined;
  for (const { path, removed } of dirty) {
    if (covered !== undefined && isWithin(path, covered)) continue;
    const found = lookup.find(path);
    if (!removed && found) {
      if (found.entry.kind === FILE) yield { kind: 'file', path, ...found };
      continue;
    }
    yield { kind: 'removed', path };
    // A removal covers everything below it, so all that is there now is listed, whether it is dirty or not.
    if (found) yield* filesWithin(catalogRun, path);
    covered = path;
  }
}

function* filesWithin({ entries, run }: CatalogRun, folder: string): Generator<Change> {
  for (const batch of traverseFrom(entries, run.rootsDirectory, folder)) {
    for (const item of batch) {
      if (!isWithin(item.path, folder)) return;
      if (item.entry.kind === FILE) yield { kind: 'file', ...item };
    }
  }
}

/** Finds entries by path; consecutive paths of one folder cost one look-up each. */
class PathLookup {
  readonly #entries: EntryReader;
  readonly #rootsDirectory: number;
  readonly #roots: readonly string[];
  #folder: { readonly path: string; readonly directory: number | undefined } | undefined;

  constructor({ entries, run: { rootsDirectory } }: CatalogRun) {
    this.#entries = entries;
    this.#rootsDirectory = rootsDirectory;
    this.#roots = entries.children(rootsDirectory).map((root) => root.name);
  }

  find(path: string): Omit<TraversedEntry, 'path'> | undefined {
    const root = this.#roots.find((name) => isWithin(path, name));
    if (root === undefined) return undefined;
    if (root === path) return this.#entryIn(this.#rootsDirectory, root);
    const parent = parentOf(path);
    if (this.#folder?.path !== parent) this.#folder = { path: parent, directory: this.#directoryOf(root, parent) };
    const { directory } = this.#folder;
    return directory === undefined ? undefined : this.#entryIn(directory, path.slice(parent.length + 1));
  }

  #entryIn(directory: number, name: string): Omit<TraversedEntry, 'path'> | undefined {
    const entry = this.#entries.find(directory, name);
    return entry && { directory, entry };
  }

  #directoryOf(root: string, folder: string): number | undefined {
    let directory = childOf(this.#entries.find(this.#rootsDirectory, root));
    for (const name of folder.slice(root.length).split('/')) {
      if (name !== '' && directory !== undefined) directory = childOf(this.#entries.find(directory, name));
    }
    return directory;
  }
}

function childOf(entry: CatalogEntry | undefined): number | undefined {
  return entry?.kind === DIRECTORY && entry.child !== null ? entry.child : undefined;
}
