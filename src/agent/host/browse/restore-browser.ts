import type { ListedEntry } from '../../../read/list.ts';
import { HoldfastError } from '../../../base/errors/errors.ts';
import type { InputOf, OutputOf } from '../../../base/calls/contract.ts';
import type { BrowsedEntry, restoreMethods } from '../../../ipc/contract/restore/restore.ts';
import { withoutTrailingSlash } from '../../../model/entry-path.ts';
import { RestoreTree } from './restore-tree.ts';

/** Folders that are open at a time: the current one, and those before it. */
const MAX_LISTINGS = 4;
/** Restore points whose trees are open at a time. */
const MAX_TREES = 2;
/** Enough to read most folders completely. */
const OPEN_TIMEOUT_MS = 700;
const BY_NAME = { by: 'name', isDescending: false } as const;

interface OpenListing {
  readonly tree: string;
  readonly path: string;
  readonly number: number;
}

export type OpenInput = InputOf<typeof restoreMethods, 'restore.open'>;
export type RowsInput = InputOf<typeof restoreMethods, 'restore.rows'>;
export type FindInput = InputOf<typeof restoreMethods, 'restore.find'>;
export type JumpInput = InputOf<typeof restoreMethods, 'restore.jump'>;
export type RowsOutput = OutputOf<typeof restoreMethods, 'restore.rows'>;

export type TreeReference = Pick<OpenInput, 'set' | 'device' | 'destination' | 'restorePoint'>;

export interface RestoreBrowserParts {
  /** An existing folder for temporary files. */
  readonly scratch: string;
  /** All entries of a tree in path order, in batches. */
  readonly read: (tree: TreeReference, signal: AbortSignal) => AsyncIterable<readonly ListedEntry[]>;
}

/** Lists the folders of restore points page by page, however large they are. */
export class RestoreBrowser {
  readonly #parts: RestoreBrowserParts;
  /** The most recently used last, like `#listings`. */
  readonly #trees = new Map<string, RestoreTree>();
  readonly #listings = new Map<string, OpenListing>();
  #next = 1;

  constructor(parts: RestoreBrowserParts) {
    this.#parts = parts;
  }

  /** @throws HoldfastError `path_not_found`, and what `Agent.list` throws */
  async open(input: OpenInput): Promise<string> {
    const path = withoutTrailingSlash(input.path);
    const { key, answer: number } = await this.#query(input, (tree) =>
      tree.open(path, input.order ?? BY_NAME, OPEN_TIMEOUT_MS),
    );
    const listing = `listing-${this.#next}`;
    this.#next += 1;
    this.#listings.set(listing, { tree: key, path, number });
    for (const oldest of excess(this.#listings, MAX_LISTINGS)) this.#dropListing(oldest);
    return listing;
  }

  /** @throws HoldfastError `refused` for a listing that was dropped; and as `open` */
  rows({ listing, from, count }: RowsInput): RowsOutput {
    const { open, tree } = this.#opened(listing);
    return tree.rows(open.number, open.path, from, count);
  }

  /** @throws as `rows` */
  jump({ listing, start, from }: JumpInput): number | undefined {
    const { open, tree } = this.#opened(listing);
    return tree.jump(open.number, start, from);
  }

  /** @throws as `open` */
  async find(input: FindInput): Promise<readonly BrowsedEntry[]> {
    return (await this.#query(input, (tree) => tree.find(input.paths))).answer;
  }

  /** Closes all trees and listings. */
  close(): void {
    for (const tree of this.#trees.values()) tree.close();
    this.#trees.clear();
    this.#listings.clear();
  }

  async #query<Answer>(
    reference: TreeReference,
    query: (tree: RestoreTree) => Promise<Answer>,
  ): Promise<{ readonly key: string; readonly answer: Answer }> {
    const key = JSON.stringify([reference.device, reference.destination, reference.set, reference.restorePoint]);
    const tree = this.#treeOf(key, reference);
    try {
      return { key, answer: await query(tree) };
    } catch (error) {
      const isDropped = this.#trees.get(key) !== tree;
      // The next query reads it again.
      if (tree.error !== undefined) this.#dropTree(key, tree);
      throw isDropped ? listingClosed() : error;
    }
  }

  #opened(listing: string): { readonly open: OpenListing; readonly tree: RestoreTree } {
    const open = this.#listings.get(listing);
    const tree = open && this.#trees.get(open.tree);
    if (!open || !tree) throw listingClosed();
    touch(this.#listings, listing, open);
    touch(this.#trees, open.tree, tree);
    return { open, tree };
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
    for (const oldest of excess(this.#trees, MAX_TREES)) this.#dropTree(oldest, this.#trees.get(oldest)!);
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

/** The caller has to open the folder again. */
function listingClosed(): HoldfastError {
  return new HoldfastError('refused', { problem: 'listing-closed' });
}

function touch<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
}

function excess(map: ReadonlyMap<string, unknown>, limit: number): readonly string[] {
  return [...map.keys()].slice(0, Math.max(0, map.size - limit));
}
