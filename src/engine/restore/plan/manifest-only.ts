import { isWithin, parentOf, pathSortKey } from '../../../protocol/path.ts';
import { packDigests } from '../../tree/entries-hash.ts';
import type { FileManifestReceiver, ManifestFile } from '../source/manifest.ts';
import { TimeSlice } from '../time-slice.ts';
import type { PathFilter } from '../source/path-filter.ts';
import type { PlanStore } from './plan-store.ts';

/** What a file and a folder get where the backup says nothing about them. */
const FILE_MODE = 0o644;
const FOLDER_MODE = 0o755;
const BILLION = 1_000_000_000;

interface StagedFile {
  readonly key: string;
  readonly path: string;
  readonly size: number;
  readonly modified: number;
  readonly session: number;
  readonly chunks: Buffer;
}

/** Makes a plan from a manifest alone, for backups of programs that keep no tree: files, and the folders that hold them. */
export class ManifestOnlyPlan implements FileManifestReceiver {
  readonly #store: PlanStore;
  readonly #stage: (file: StagedFile) => void;
  #common: string | undefined;

  constructor(store: PlanStore) {
    this.#store = store;
    store.database.exec(
      `CREATE TABLE staged (key TEXT PRIMARY KEY, path TEXT, size INTEGER, modified INTEGER, session INTEGER, chunks BLOB)
       WITHOUT ROWID`,
    );
    const insert = store.database.prepare('INSERT OR IGNORE INTO staged VALUES (?, ?, ?, ?, ?, ?)');
    this.#stage = (file) => insert.run(file.key, file.path, file.size, file.modified, file.session, file.chunks);
  }

  onFiles(files: readonly ManifestFile[]): void {
    for (const { path, entry, session } of files) {
      const { size } = entry;
      const chunks = packDigests(entry.chunks);
      this.#stage({ key: pathSortKey(path), path, size, modified: Date.parse(entry.modified), session, chunks });
      this.#common = commonFolder(this.#common ?? parentOf(path), path);
    }
  }

  /** What was staged is staged again to no effect. */
  onRestart(): void {
    this.#common = undefined;
  }

  /** After the last file: the folder that holds all of them, in place of the set's roots. */
  get root(): string | undefined {
    return this.#common;
  }

  /** Puts folders and files into the plan, in path order. Answers files that another file stands in the way of. */
  async plan(filter: PathFilter): Promise<readonly string[]> {
    const pace = new TimeSlice();
    const { database } = this.#store;
    const page = database.prepare('SELECT * FROM staged WHERE key > ? ORDER BY key LIMIT 500');
    const impossible: string[] = [];
    let folder = '';
    let lastFile: string | undefined;
    for (let last = ''; ;) {
      const rows = page.all(last) as StagedFile[];
      if (rows.length === 0) break;
      for (const row of rows) {
        if (lastFile !== undefined && isWithin(row.path, lastFile)) {
          impossible.push(row.path);
          continue;
        }
        lastFile = row.path;
        this.#addFolders(parentOf(row.path), folder, filter);
        folder = parentOf(row.path);
        if (filter.takes(row.path)) this.#addFile(row);
      }
      last = rows.at(-1)!.key;
      if (pace.isDue) await pace.turn();
    }
    database.exec('DROP TABLE staged');
    return impossible;
  }

  /** Those on the way to `folder` that were not on the way to the one before. */
  #addFolders(folder: string, before: string, filter: PathFilter): void {
    if (folder === '' || isWithin(before, folder)) return;
    this.#addFolders(parentOf(folder), before, filter);
    if (!filter.takes(folder)) return;
    this.#store.addEntry({
      ...PLAIN,
      path: folder,
      type: 'directory',
      mode: FOLDER_MODE,
      seconds: null,
      nanoseconds: 0,
    });
  }

  #addFile({ path, size, modified, session, chunks }: StagedFile): void {
    const seconds = Math.floor(modified / 1000);
    const nanoseconds = ((modified - seconds * 1000) * BILLION) / 1000;
    const entry = { ...PLAIN, path, type: 'file', mode: FILE_MODE, seconds, nanoseconds, size } as const;
    this.#store.addContent(this.#store.addEntry(entry), { size, modified, session, chunks });
  }
}

const PLAIN = { uid: null, gid: null, size: 0, sparse: 0, hardLinkGroup: null, target: null, xattrs: null } as const;

function commonFolder(folder: string, path: string): string {
  let common = folder;
  while (!isWithin(path, common)) common = parentOf(common);
  return common;
}
