import { HoldfastError } from '../../base/errors/errors.ts';
import { TREE_PATH } from '../../protocol/path.ts';
import { comparePaths } from '../../model/entry-path.ts';
import type { RestoreFileEntry } from '../../protocol/restore.ts';
import { isSameTime } from '../../remote/client/iso-time.ts';
import type { ManifestFile, ManifestReceiver } from '../../read/source/manifest.ts';
import { TimeSlice } from '../../read/time-slice.ts';
import { digestsOfHashes, type PlanStore } from '../record/plan-store.ts';
import type { PlannedFile } from '../record/planned-entry.ts';

/** Files that are named because the service's answer differs from the tree. */
const MAX_NAMED = 1000;
/** Elements that the tree does not have after which an answer counts as endless. */
const MOST_STRANGERS = 100_000;

/**
 * Compares each file of a service's answer with the plan, which was made from the tree and decides what is restored. A
 * difference shows that the answer is wrong.
 */
export class ManifestComparison implements ManifestReceiver {
  readonly #store: PlanStore;
  readonly #differing = new Set<string>();
  #strangers = 0;
  /** True if a total of the service is not that of what it has sent. */
  hasOtherTotals = false;
  /** One byte per entry of the plan: 1 if the answer has it. */
  readonly #answered: Uint8Array;
  #cursor: FileCursor;

  /** @param store has every entry of the plan */
  constructor(store: PlanStore) {
    this.#store = store;
    this.#answered = new Uint8Array(store.entries + 1);
    this.#cursor = new FileCursor(store);
  }

  onFiles(files: readonly ManifestFile[]): void {
    for (const { path, entry } of files) {
      const planned = this.#cursor.find(path);
      if (planned) this.#answered[planned.id] = 1;
      if (!planned) this.#countStranger();
      if (!planned || !this.#isSame(planned, entry)) this.#name(path);
    }
  }

  onRefused(path: string | undefined): void {
    this.#countStranger();
    this.#name(path ?? TREE_PATH);
  }

  onTotalsDiffering(): void {
    this.hasOtherTotals = true;
  }

  onRestart(): void {
    this.#strangers = 0;
    this.#differing.clear();
    this.#answered.fill(0);
    this.#cursor = new FileCursor(this.#store);
  }

  /**
   * Returns the files that differ, that only the answer has, and that it lacks; the first of them. To be called after the
   * last file.
   */
  async differing(): Promise<ReadonlySet<string>> {
    const slice = new TimeSlice();
    for (const { id, path } of this.#store.filesInOrder()) {
      if (this.#answered[id] === 0) this.#name(path);
      if (slice.isOver) await slice.yield();
    }
    return this.#differing;
  }

  #countStranger(): void {
    this.#strangers += 1;
    if (this.#strangers <= MOST_STRANGERS) return;
    throw new HoldfastError('service_answer_suspicious', { problem: 'too-many-files' });
  }

  #isSame({ id, size, modified }: PlannedFile, entry: RestoreFileEntry): boolean {
    if (entry.size !== size || !isSameTime(entry.modified, modified)) return false;
    return this.#store.chunksOf(id)?.equals(digestsOfHashes(entry.chunks)) === true;
  }

  #name(path: string): void {
    if (this.#differing.size < MAX_NAMED) this.#differing.add(path);
  }
}

/** Finds files of the plan by path. A manifest is mostly in the plan's order, so only what is not is looked up by index. */
class FileCursor {
  readonly #store: PlanStore;
  readonly #files: ReturnType<PlanStore['filesInOrder']>;
  #next: PlannedFile | undefined;

  constructor(store: PlanStore) {
    this.#store = store;
    this.#files = store.filesInOrder();
    this.#advance();
  }

  find(path: string): PlannedFile | undefined {
    while (this.#next) {
      const next = this.#next;
      const order = next.path === path ? 0 : comparePaths(next.path, path);
      if (order > 0) break;
      this.#advance();
      if (order === 0) return next;
    }
    return this.#store.findFile(path);
  }

  #advance(): void {
    const step = this.#files.next();
    this.#next = step.done ? undefined : step.value;
  }
}
