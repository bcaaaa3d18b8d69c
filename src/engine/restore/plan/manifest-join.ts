import { comparePaths } from '../../../protocol/path.ts';
import { packDigests, TreeEntriesHash } from '../../tree/entries-hash.ts';
import { FileCursor } from './file-cursor.ts';
import type { FileManifestReceiver, ManifestFile } from '../source/manifest.ts';
import type { PlanStore } from './plan-store.ts';

/** Files of the manifest that no tree knows: named up to this number. */
const MOST_STRANGERS = 100;
const PAGE_ROWS = 500;

interface JoinedRow {
  readonly id: number;
  readonly path: string;
  readonly size: number;
  readonly modified: number;
  readonly chunks: Buffer;
}

/** Gives the files of a tree their chunks, and hashes what the service sent as the backup hashed it. */
export class ManifestJoin implements FileManifestReceiver {
  readonly #store: PlanStore;
  readonly #cursor: FileCursor;
  readonly #strangers = new Set<string>();
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
    this.#cursor = new FileCursor(store.database);
  }

  /** Paths that the service has and the tree has not. */
  get strangers(): ReadonlySet<string> {
    return this.#strangers;
  }

  onFiles(files: readonly ManifestFile[]): void {
    for (const { path, entry, session } of files) {
      const chunks = packDigests(entry.chunks);
      const content = { size: entry.size, modified: Date.parse(entry.modified), session, chunks };
      const id = this.#cursor.find(path);
      if (id === undefined) this.#noteStranger(path);
      else this.#store.addContent(id, content);
      this.#sealedNames ||= path !== entry.path;
      this.#inOrder &&= this.#lastPath === undefined || comparePaths(this.#lastPath, path) < 0;
      if (this.#inOrder) this.#hash.add(path, entry.path, content.size, content.modified, chunks);
      this.#lastPath = path;
    }
  }

  onRestart(): void {
    // What came before is in the plan and comes again: the hash is made afterwards, from the plan.
    this.#inOrder = false;
  }

  /**
   * After the last file: the entries hash of what was sent; nothing where the tree does not know all of it.
   *
   * @param sealPath how the service spells a path, where names are sealed
   */
  entriesHash(sealPath: (path: string) => string): string | undefined {
    // The hash is over what has records.
    if (this.#strangers.size > 0) return undefined;
    if (!this.#inOrder) this.#hashPlan(this.#sealedNames ? sealPath : (path) => path);
    return this.#hash.digest();
  }

  #hashPlan(spell: (path: string) => string): void {
    this.#hash = new TreeEntriesHash(this.#pieceEnds);
    const page = this.#store.database.prepare(
      `SELECT id, path, content.size, modified, chunks FROM entry JOIN content USING (id)
       WHERE id > ? ORDER BY id LIMIT ${PAGE_ROWS}`,
    );
    for (let rows = page.all(0) as JoinedRow[]; rows.length > 0; rows = page.all(rows.at(-1)!.id) as JoinedRow[]) {
      for (const row of rows) this.#hash.add(row.path, spell(row.path), row.size, row.modified, row.chunks);
    }
  }

  #noteStranger(path: string): void {
    if (this.#strangers.size < MOST_STRANGERS) this.#strangers.add(path);
  }
}
