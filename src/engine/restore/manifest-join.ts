import { comparePaths, pathOfSortKey, pathSortKey } from '../../protocol/path.ts';
import { EntriesHash, packDigests } from '../tree/entries-hash.ts';
import { FileCursor } from './file-cursor.ts';
import type { FileManifestReceiver, ManifestFile } from './file-manifest.ts';
import type { PlanStore } from './plan-store.ts';

/** Files of the manifest that no tree knows: named up to this number. */
const MOST_STRANGERS = 100;

/** Gives the files of a tree their chunks, and hashes what the service sent as the backup hashed it. */
export class ManifestJoin implements FileManifestReceiver {
  readonly #store: PlanStore;
  readonly #cursor: FileCursor;
  readonly #strangers = new Set<string>();
  #hash = new EntriesHash();
  #lastSent: string | undefined;
  #inOrder = true;
  #sealedNames = false;

  constructor(store: PlanStore) {
    this.#store = store;
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
      this.#inOrder &&= this.#lastSent === undefined || comparePaths(this.#lastSent, entry.path) < 0;
      if (this.#inOrder) this.#hash.add(entry.path, content.size, content.modified, chunks);
      this.#lastSent = entry.path;
    }
  }

  onRestart(): void {
    // What came before is in the plan and comes again: the hash is made afterwards, from the plan.
    this.#inOrder = false;
  }

  /**
   * After the last file: the entries hash of what was sent.
   *
   * @param sealPath how the service spells a path, where names are sealed
   */
  entriesHash(sealPath: (path: string) => string): string {
    if (!this.#inOrder) this.#hashPlan(this.#sealedNames ? sealPath : (path) => path);
    return this.#hash.digest();
  }

  #hashPlan(spell: (path: string) => string): void {
    this.#hash = new EntriesHash();
    const { database } = this.#store;
    database.exec('CREATE TABLE sent (key TEXT PRIMARY KEY, id INTEGER) WITHOUT ROWID');
    const insert = database.prepare('INSERT INTO sent VALUES (?, ?)');
    for (const entry of this.#store.entriesInOrder()) {
      if (entry.type === 'file') insert.run(pathSortKey(spell(entry.path)), entry.id);
    }
    const page = database.prepare(
      `SELECT key, size, modified, chunks FROM sent JOIN content USING (id) WHERE key > ? ORDER BY key LIMIT 500`,
    );
    for (let last = ''; ;) {
      const rows = page.all(last) as { key: string; size: number; modified: number; chunks: Buffer }[];
      if (rows.length === 0) break;
      for (const row of rows) this.#hash.add(pathOfSortKey(row.key), row.size, row.modified, row.chunks);
      last = rows.at(-1)!.key;
    }
    database.exec('DROP TABLE sent');
  }

  #noteStranger(path: string): void {
    if (this.#strangers.size < MOST_STRANGERS) this.#strangers.add(path);
  }
}
