import { comparePaths } from '../../protocol/path.ts';
import { DIRECTORY, type CatalogEntries, type CatalogEntry } from './entries.ts';

/** An entry with its place. */
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
  /** What stands before a name: the folder's path with its slash; nothing for the roots, named by whole paths. */
  readonly prefix: string;
  page: readonly CatalogEntry[];
  index: number;
  last: boolean;
}

/** The order of a folder's entries where it is not that of their names. */
export type NameOrder = (prefix: string, entries: CatalogEntry[]) => CatalogEntry[];

/**
 * All entries of a set in the order of manifests, a batch at a time; holds one page for each level of depth. The caller
 * may write to the catalog between two batches.
 *
 * @param order where names are sent sealed, the order of their sealed forms; each folder is then held whole
 */
export function* traverse(
  entries: CatalogEntries,
  rootsDirectory: number,
  order?: NameOrder,
): Generator<readonly TraversedEntry[]> {
  const frames: Frame[] = [openFrame(rootsDirectory, '')];
  let batch: TraversedEntry[] = [];
  for (let frame = frames.at(-1); frame; frame = frames.at(-1)) {
    const entry = frame.page[frame.index];
    if (entry === undefined) {
      if (frame.last) frames.pop();
      // Roots are named by whole paths, whose order is not that of their bytes.
      else nextPage(entries, frame, order ?? (frame.prefix === '' ? byPath : undefined));
      continue;
    }
    frame.index += 1;
    const path = frame.prefix + entry.name;
    batch.push({ path, directory: frame.directory, entry });
    if (entry.kind === DIRECTORY && entry.child !== null) {
      frames.push(openFrame(entry.child, path.endsWith('/') ? path : `${path}/`));
    }
    if (batch.length >= BATCH) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

const byPath: NameOrder = (_prefix, entries) => entries.sort((a, b) => comparePaths(a.name, b.name));

function openFrame(directory: number, prefix: string): Frame {
  return { directory, prefix, page: [], index: 0, last: false };
}

function nextPage(entries: CatalogEntries, frame: Frame, order: NameOrder | undefined): void {
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
