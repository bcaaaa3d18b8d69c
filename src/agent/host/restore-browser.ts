import { makeFolderSync } from '../../engine/filesystem/make-folder.ts';
import { CallFailure } from '../../ipc/failure.ts';
import type { InputOf, OutputOf } from '../../ipc/method.ts';
import type { restoreMethods } from '../../ipc/restore.ts';
import { withoutTrailingSlash } from '../../protocol/path.ts';
import { pointInTime } from '../point-in-time.ts';
import type { HostParts } from './host-parts.ts';
import { RestoreTree } from './restore-tree.ts';

/** Folders that are open at a time: where a person is, and where they were. */
const LISTINGS = 4;
/** Restore points whose trees are kept. */
const TREES = 2;
/** A person who browses does something in that time. */
const IDLE_MS = 10 * 60_000;
/** What most folders are whole within. */
const PATIENCE_MS = 700;

interface OpenListing {
  readonly tree: string;
  readonly path: string;
  readonly number: number;
}

type OpenInput = InputOf<typeof restoreMethods, 'restore.open'>;
type RowsInput = InputOf<typeof restoreMethods, 'restore.rows'>;
type RowsOutput = OutputOf<typeof restoreMethods, 'restore.rows'>;

/** Folders of restore points, of any size, a page at a time. */
export class RestoreBrowser {
  readonly #parts: Pick<HostParts, 'agent' | 'home' | 'clock'>;
  /** The newest stand last, as in all maps of this kind. */
  readonly #trees = new Map<string, RestoreTree>();
  readonly #listings = new Map<string, OpenListing>();
  #next = 1;
  #idle: NodeJS.Timeout | undefined;

  constructor(parts: Pick<HostParts, 'agent' | 'home' | 'clock'>) {
    this.#parts = parts;
  }

  /** @throws HoldfastError `path_not_found`, and what `Agent.list` throws */
  async open(input: OpenInput): Promise<string> {
    this.#stayAwake();
    const key = JSON.stringify([input.device, input.set, input.restorePoint]);
    const tree = this.#treeOf(key, input);
    const path = withoutTrailingSlash(input.path);
    const number = await tree.open(path, PATIENCE_MS).catch((error: unknown) => {
      const isDropped = this.#trees.get(key) !== tree;
      // It is read anew when it is asked for again.
      if (tree.error !== undefined) this.#dropTree(key, tree);
      throw isDropped ? listingClosed() : error;
    });
    const listing = `listing-${this.#next}`;
    this.#next += 1;
    this.#listings.set(listing, { tree: key, path, number });
    for (const oldest of excess(this.#listings, LISTINGS)) this.#dropListing(oldest);
    return listing;
  }

  /** @throws CallFailure `refused` for a listing that was dropped; HoldfastError as `open` */
  async rows({ listing, from, count }: RowsInput): Promise<RowsOutput> {
    this.#stayAwake();
    const open = this.#listings.get(listing);
    const tree = open && this.#trees.get(open.tree);
    if (!open || !tree) throw listingClosed();
    touch(this.#listings, listing, open);
    touch(this.#trees, open.tree, tree);
    return await tree.rows(open.number, open.path, from, count).catch((error: unknown) => {
      throw this.#trees.get(open.tree) === tree ? error : listingClosed();
    });
  }

  /** Forgets everything; listings that are still asked for have to be opened again. */
  close(): void {
    clearTimeout(this.#idle);
    for (const tree of this.#trees.values()) tree.close();
    this.#trees.clear();
    this.#listings.clear();
  }

  #treeOf(key: string, { set, device, restorePoint }: OpenInput): RestoreTree {
    const known = this.#trees.get(key);
    if (known && known.error === undefined) {
      touch(this.#trees, key, known);
      return known;
    }
    const { agent, home, clock } = this.#parts;
    makeFolderSync(home.scratchFolder, 0o700);
    const tree = new RestoreTree(home.scratchFolder, async function* (signal) {
      const at = await pointInTime(restorePoint, clock.now());
      const reference = device === undefined ? { set } : { set, device };
      yield* agent.list({ ...reference, at, path: '/', recursive: true }, signal);
    });
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

  #stayAwake(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.close(), IDLE_MS).unref();
  }
}

/** Whoever still wants it opens it again. */
function listingClosed(): CallFailure {
  return new CallFailure({ code: 'refused', details: { problem: 'listing-closed' } });
}

function touch<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
}

function excess(map: ReadonlyMap<string, unknown>, most: number): readonly string[] {
  return [...map.keys()].slice(0, Math.max(0, map.size - most));
}
