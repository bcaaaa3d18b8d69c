import { DIGEST_BYTES } from '../../chunk/chunk-list.ts';
import { comparePaths } from '../../../protocol/path.ts';
import { packDigests, TreeEntriesHash } from '../../tree/entries-hash.ts';
import type { ManifestFile, ManifestReceiver } from '../source/manifest.ts';
import type { PlanStore } from './plan-store.ts';
import type { PlannedEntry } from './planned-entry.ts';

/** Files of the manifest that the tree does not have: named up to this number. */
const MAX_UNKNOWN = 100;

/** Gives the files of a tree their chunks, and hashes what the service sent as the backup hashed it. */
export class ManifestJoin implements ManifestReceiver {
  readonly #store: PlanStore;
  readonly #cursor: FileCursor;
  readonly #unknown = new Set<string>();
  readonly #pieceEnds: readonly (string | undefined)[];
  #hash: TreeEntriesHash;
  #lastPath: string | undefined;
  #inOrder = true;
  #sealedNames = false;

  /** @param pieceEnds of the tree (tree/record.ts) */
  constructor(store: PlanStore, pieceEnds: readonly (string | undefined)[]) {
    this.#store = store;
    this.#pieceEnds = pieceEnds;
    this.#hash = new TreeEntriesHash(pieceEnds);
    this.#cursor = new FileCursor(store);
  }

  /** Paths of the manifest that are not in the tree, the first of them. */
  get unknown(): ReadonlySet<string> {
    return this.#unknown;
  }

  onFiles(files: readonly ManifestFile[]): void {
    for (const { path, entry, session } of files) {
      const chunks = packDigests(entry.chunks);
      const content = { size: entry.size, modified: Date.parse(entry.modified), session, chunks };
      const id = this.#cursor.find(path);
      if (id !== undefined) this.#store.addContent(id, content);
      else if (this.#unknown.size < MAX_UNKNOWN) this.#unknown.add(path);
      this.#sealedNames ||= path !== entry.path;
      this.#inOrder &&= this.#lastPath === undefined || comparePaths(this.#lastPath, path) < 0;
      if (this.#inOrder) this.#hash.add(path, { ...content, path: entry.path, stride: DIGEST_BYTES });
      this.#lastPath = path;
    }
  }

  onRestart(): void {
    // The files so far are in the plan and come again: the hash is computed from the plan at the end.
    this.#inOrder = false;
  }

  /**
   * The entries hash of what was sent; `undefined` if the tree does not have all of it. To be called after the last file.
   *
   * @param sealPath returns the service's spelling of a path if names are sealed
   */
  entriesHash(sealPath: (path: string) => string): string | undefined {
    // The tree's hash covers files with records only.
    if (this.#unknown.size > 0) return undefined;
    if (!this.#inOrder) this.#hashPlan(this.#sealedNames ? sealPath : (path) => path);
    return this.#hash.digest();
  }

  #hashPlan(spell: (path: string) => string): void {
    this.#hash = new TreeEntriesHash(this.#pieceEnds);
    for (const { path, size, modified, chunks } of this.#store.contentsInOrder()) {
      this.#hash.add(path, { path: spell(path), size, modified, chunks, stride: DIGEST_BYTES });
    }
  }
}

/** Finds files of the plan by path. A manifest is mostly in the plan's order, so only what is not is looked up by index. */
class FileCursor {
  readonly #store: PlanStore;
  readonly #files: ReturnType<PlanStore['filesInOrder']>;
  #next: Pick<PlannedEntry, 'id' | 'path'> | undefined;

  constructor(store: PlanStore) {
    this.#store = store;
    this.#files = store.filesInOrder();
    this.#advance();
  }

  /** The id of the file with that path. */
  find(path: string): number | undefined {
    while (this.#next) {
      const { id, path: next } = this.#next;
      const order = next === path ? 0 : comparePaths(next, path);
      if (order > 0) break;
      this.#advance();
      if (order === 0) return id;
    }
    return this.#store.findFile(path);
  }

  #advance(): void {
    const step = this.#files.next();
    this.#next = step.done ? undefined : step.value;
  }
}
