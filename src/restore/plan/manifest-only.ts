import { isWithin, parentOf } from '../../model/entry-path.ts';
import type { ManifestFile, ManifestReceiver } from '../../read/source/manifest.ts';
import type { PathFilter } from '../../read/source/path-filter.ts';
import { TimeSlice } from '../../read/time-slice.ts';
import { digestsOfHashes, type PlanStore } from '../record/plan-store.ts';
import type { StagedFile } from '../record/planned-entry.ts';

/** Modes of files and folders without a record. */
const FILE_MODE = 0o644;
const FOLDER_MODE = 0o755;
const BILLION = 1_000_000_000;

/** Makes a plan from a manifest alone, for backups of programs that keep no tree: files, and the folders that hold them. */
export class ManifestOnlyPlan implements ManifestReceiver {
  readonly #store: PlanStore;
  readonly #refused = new Set<string>();
  #common: string | undefined;
  /** True if a total of the service is not that of what it has sent. */
  hasOtherTotals = false;

  constructor(store: PlanStore) {
    this.#store = store;
  }

  onFiles(files: readonly ManifestFile[]): void {
    for (const { path, entry, session } of files) {
      const { size, modified, chunks } = entry;
      this.#store.stage({ path, size, modified: Date.parse(modified), session, chunks: digestsOfHashes(chunks) });
      this.#common = commonFolder(this.#common ?? parentOf(path), path);
    }
  }

  onRefused(path: string | undefined): void {
    this.#refused.add(path ?? '/');
  }

  onTotalsDiffering(): void {
    this.hasOtherTotals = true;
  }

  /** Files that were staged before the restart are not staged twice. */
  onRestart(): void {
    this.#common = undefined;
    this.#refused.clear();
  }

  /** Paths of malformed elements; `/` for those without a path. */
  get refused(): ReadonlySet<string> {
    return this.#refused;
  }

  /** The folder that holds all files, in place of the set's roots. To be read after the last file. */
  get root(): string | undefined {
    return this.#common;
  }

  /**
   * Adds folders and files to the plan, in path order.
   *
   * @returns paths of files inside another file, which cannot be restored
   */
  async plan(filter: PathFilter): Promise<readonly string[]> {
    const slice = new TimeSlice();
    const impossible: string[] = [];
    let folder = '';
    let lastFile: string | undefined;
    for (const file of this.#store.stagedInOrder()) {
      if (slice.isOver) await slice.yield();
      if (lastFile !== undefined && isWithin(file.path, lastFile)) {
        impossible.push(file.path);
        continue;
      }
      lastFile = file.path;
      this.#addFolders(parentOf(file.path), folder, filter);
      folder = parentOf(file.path);
      if (filter.takes(file.path)) this.#addFile(file);
    }
    this.#store.clearStaged();
    return impossible;
  }

  /** Adds the folders above a file that are not above the previous one. */
  #addFolders(folder: string, previous: string, filter: PathFilter): void {
    if (folder === '' || isWithin(previous, folder)) return;
    this.#addFolders(parentOf(folder), previous, filter);
    if (!filter.takes(folder)) return;
    const time = { seconds: null, nanoseconds: 0 };
    this.#store.addEntry({ ...UNKNOWN, ...time, path: folder, type: 'directory', mode: FOLDER_MODE });
  }

  #addFile(file: StagedFile): void {
    const { path, size, modified } = file;
    const seconds = Math.floor(modified / 1000);
    const nanoseconds = ((modified - seconds * 1000) * BILLION) / 1000;
    const entry = { ...UNKNOWN, path, type: 'file', mode: FILE_MODE, seconds, nanoseconds, size } as const;
    this.#store.addContent(this.#store.addEntry(entry), file);
  }
}

const UNKNOWN = { uid: null, gid: null, size: 0, sparse: 0, hardLinkGroup: null, target: null, xattrs: null } as const;

function commonFolder(folder: string, path: string): string {
  let common = folder;
  while (!isWithin(path, common)) common = parentOf(common);
  return common;
}
