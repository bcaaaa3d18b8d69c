import { comparePaths, isWithin } from '../../model/entry-path.ts';
import { DIRECTORY, type CatalogEntry } from './entry.ts';
import type { EntryReader } from './entry-reader.ts';

/** An entry with its path. */
export interface TraversedEntry {
  readonly path: string;
  /** The directory that holds it. */
  readonly directory: number;
  readonly entry: CatalogEntry;
}

const PAGE = 512;
const BATCH = 1024;

interface Frame {
  readonly directory: number;
  /** Precedes a name: the folder's path with its slash; empty for the roots, which are named by full paths. */
  readonly prefix: string;
  page: readonly CatalogEntry[];
  index: number;
  last: boolean;
}

/** Sorts a folder's entries if their order is not that of their names. */
export type NameOrder = (prefix: string, entries: CatalogEntry[]) => CatalogEntry[];

/**
 * Traverses the entries of a set from a path on.
 *
 * @param from an entry path; its entry, if it exists, is the first
 */
export function traverseFrom(
  entries: EntryReader,
  rootsDirectory: number,
  from: string,
): Generator<readonly TraversedEntry[]> {
  return traverseFrames(entries, seek(entries, rootsDirectory, from), undefined);
}

/**
 * Traverses all entries of a set in the order of manifests, in batches. Holds one page for each level of depth. The
 * caller may write to the catalog between two batches.
 *
 * @param order the order of sealed names, if those are sent; each folder is then held completely
 */
export function traverse(
  entries: EntryReader,
  rootsDirectory: number,
  order?: NameOrder,
): Generator<readonly TraversedEntry[]> {
  return traverseFrames(entries, [openFrame(rootsDirectory, '')], order);
}

function* traverseFrames(
  entries: EntryReader,
  frames: Frame[],
  order: NameOrder | undefined,
): Generator<readonly TraversedEntry[]> {
  let batch: TraversedEntry[] = [];
  for (let frame = frames.at(-1); frame; frame = frames.at(-1)) {
    const entry = frame.page[frame.index];
    if (entry === undefined) {
      if (frame.last) frames.pop();
      // Roots are named by full paths, whose order is not that of their bytes.
      else nextPage(entries, frame, order ?? (frame.prefix === '' ? byPath : undefined));
      continue;
    }
    frame.index += 1;
    const path = frame.prefix + entry.name;
    batch.push({ path, directory: frame.directory, entry });
    if (entry.kind === DIRECTORY && entry.child !== null) {
      frames.push(openFrame(entry.child, prefixOf(path)));
    }
    if (batch.length >= BATCH) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

const byPath: NameOrder = (_prefix, entries) => entries.sort((a, b) => comparePaths(a.name, b.name));

/** Returns the frames above a path, each at the first entry that is not before it. */
function seek(entries: EntryReader, rootsDirectory: number, from: string): Frame[] {
  const roots = openFrame(rootsDirectory, '');
  nextPage(entries, roots, byPath);
  const isBefore = ({ name }: CatalogEntry): boolean => comparePaths(name, from) < 0 && !isWithin(from, name);
  roots.index = countWhile(roots.page, isBefore);
  const frames = [roots];
  let frame = roots;
  let entry = roots.page[roots.index];
  let path = entry?.name;
  // Enter each folder that contains the path; the folder itself comes before it.
  while (entry && path !== undefined && path !== from && isWithin(from, path) && entry.child !== null) {
    frame.index += 1;
    frame = openFrame(entry.child, prefixOf(path));
    frames.push(frame);
    const name = from.slice(frame.prefix.length).split('/', 1)[0]!;
    entry = entries.find(entry.child, name);
    // The first page starts with the name, if it exists.
    const rest = entries.page(frame.directory, name, PAGE);
    frame.page = entry ? [entry, ...rest] : rest;
    frame.last = rest.length < PAGE;
    path = frame.prefix + name;
  }
  // A path below something that is no longer a folder, or below a missing entry: the next one follows it.
  if (entry && path !== undefined && path !== from && isWithin(from, path)) frame.index += 1;
  return frames;
}

function countWhile<Item>(items: readonly Item[], test: (item: Item) => boolean): number {
  const index = items.findIndex((item) => !test(item));
  return index < 0 ? items.length : index;
}

function prefixOf(path: string): string {
  return path.endsWith('/') ? path : `${path}/`;
}

function openFrame(directory: number, prefix: string): Frame {
  return { directory, prefix, page: [], index: 0, last: false };
}

function nextPage(entries: EntryReader, frame: Frame, order: NameOrder | undefined): void {
  if (order) {
    const all: CatalogEntry[] = [];
    for (let after = ''; ; after = all.at(-1)!.name) {
      const page = entries.page(frame.directory, after, PAGE);
      all.push(...page);
      if (page.length < PAGE) break;
    }
    frame.page = order(frame.prefix, all);
    frame.last = true;
  } else {
    frame.page = entries.page(frame.directory, frame.page.at(-1)?.name ?? '', PAGE);
    frame.last = frame.page.length < PAGE;
  }
  frame.index = 0;
}
