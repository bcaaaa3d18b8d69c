import type { ListedEntry } from '../../../engine/restore/types.ts';
import { HoldfastError } from '../../../base/errors.ts';
import type { InputOf, OutputOf } from '../../../base/calls/contract.ts';
import type { BrowsedEntry, restoreMethods } from '../../../ipc/contract/restore.ts';
import { withoutTrailingSlash } from '../../../protocol/path.ts';
import { RestoreTree } from './restore-tree.ts';

/** Folders that are open at a time: where a person is, and where they were. */
const LISTINGS = 4;
/** Restore points whose trees are kept. */
const TREES = 2;
/** What most folders are whole within. */
const PATIENCE_MS = 700;

interface OpenListing {
  readonly tree: string;
  readonly path: string;
  readonly number: number;
}

export type OpenInput = InputOf<typeof restoreMethods, 'restore.open'>;
export type RowsInput = InputOf<typeof restoreMethods, 'restore.rows'>;
export type FindInput = InputOf<typeof restoreMethods, 'restore.find'>;
export type RowsOutput = OutputOf<typeof restoreMethods, 'restore.rows'>;

/** Which tree. */
type TreeReference = Pick<OpenInput, 'set' | 'device' | 'restorePoint'>;

export interface RestoreBrowserParts {
  /** A folder of ours, which is there whenever something is asked. */
  readonly scratch: string;
  /** All entries of a tree in path order, in batches. */
  readonly read: (tree: TreeReference, signal: AbortSignal) => AsyncIterable<readonly ListedEntry[]>;
}

/** Folders of restore points, of any size, a page at a time. */
export class RestoreBrowser {
  readonly #parts: RestoreBrowserParts;
  /** The newest stand last, as in all maps of this kind. */
  readonly #trees = new Map<string, RestoreTree>();
  readonly #listings = new Map<string, OpenListing>();
  #next = 1;

  constructor(parts: RestoreBrowserParts) {
    this.#parts = parts;
  }

  /** @throws HoldfastError `path_not_found`, and what `Agent.list` throws */
  async open(input: OpenInput): Promise<string> {
    const path = withoutTrailingSlash(input.path);
    const { key, answer: number } = await this.#asked(input, (tree) => tree.open(path, PATIENCE_MS));
    const listing = `listing-${this.#next}`;
    this.#next += 1;
    this.#listings.set(listing, { tree: key, path, number });
    for (const oldest of excess(this.#listings, LISTINGS)) this.#dropListing(oldest);
    return listing;
  }

  /** @throws HoldfastError `refused` for a listing that was dropped; HoldfastError as `open` */
  rows({ listing, from, count }: RowsInput): RowsOutput {
    const open = this.#listings.get(listing);
    const tree = open && this.#trees.get(open.tree);
    if (!open || !tree) throw listingClosed();
    touch(this.#listings, listing, open);
    touch(this.#trees, open.tree, tree);
    return tree.rows(open.number, open.path, from, count);
  }

  /** @throws as `open` */
  async find(input: FindInput): Promise<readonly BrowsedEntry[]> {
    return (await this.#asked(input, (tree) => tree.find(input.paths))).answer;
  }

  /** Forgets everything; listings that are still asked for have to be opened again. */
  close(): void {
    for (const tree of this.#trees.values()) tree.close();
    this.#trees.clear();
    this.#listings.clear();
  }

  async #asked<Answer>(
    reference: TreeReference,
    question: (tree: RestoreTree) => Promise<Answer>,
  ): Promise<{ readonly key: string; readonly answer: Answer }> {
    const key = JSON.stringify([reference.device, reference.set, reference.restorePoint]);
    const tree = this.#treeOf(key, reference);
    try {
      return { key, answer: await question(tree) };
    } catch (error) {
      const isDropped = this.#trees.get(key) !== tree;
      // It is read anew when it is asked for again.
      if (tree.error !== undefined) this.#dropTree(key, tree);
      throw isDropped ? listingClosed() : error;
    }
  }

  #treeOf(key: string, reference: TreeReference): RestoreTree {
    const known = this.#trees.get(key);
    if (known && known.error === undefined) {
      touch(this.#trees, key, known);
      return known;
    }
    const { scratch, read } = this.#parts;
    const tree = new RestoreTree(scratch, (signal) => read(reference, signal));
    if (known) this.#dropTree(key, known);
    this.#trees.set(key, tree);
    for (const oldest of excess(this.#trees, TREES)) this.#dropTree(oldest, this.#trees.get(oldest)!);
    return tree;
  }

  #dropTree(key: string, tree: RestoreTree): void {
    tree.close();
    if (this.#trees.get(key) === tree) this.#trees.delete(key);
    for (const [listing, open] of this.#listings) if (open.tree === key) this.#listings.delete(listing);
  }

  #dropListing(listing: string): void {
    const open = this.#listings.get(listing);
    this.#listings.delete(listing);
    if (open) this.#trees.get(open.tree)?.closeListing(open.number);
  }
}

/** Whoever still wants it opens it again. */
function listingClosed(): HoldfastError {
  return new HoldfastError('refused', { problem: 'listing-closed' });
}

function touch<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
}

function excess(map: ReadonlyMap<string, unknown>, most: number): readonly string[] {
  return [...map.keys()].slice(0, Math.max(0, map.size - most));
}
