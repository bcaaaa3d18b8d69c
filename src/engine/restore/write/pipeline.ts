import { unlinkSync } from 'node:fs';
import { systemCodeOf } from '../../../base/errors.ts';
import type { Folder } from '../../filesystem/folder.ts';
import type { FolderWalk } from '../../filesystem/folder-walk.ts';
import { LARGE_FILE_BYTES, LargeFile } from './large-file.ts';
import { TimeSlice } from '../time-slice.ts';
import { TargetLayout, type Place } from '../plan/target-layout.ts';
import type { PlannedWork, PlanStore } from '../plan/plan-store.ts';
import type { RestoreRun } from './restore-run.ts';
import { BufferPool } from '../chunks/buffer-pool.ts';
import { SmallFileBatch, targetOf, type PlacedWork, type WritingParts } from './small-file-batch.ts';
import type { RestoreBase } from '../plan/target-names.ts';
import { writeFailureOf, type WriteFailure } from './write-files.ts';

export interface PipelineInput {
  readonly store: PlanStore;
  readonly bases: readonly RestoreBase[];
  /** Over the target folder. */
  readonly walk: FolderWalk;
  readonly writing: WritingParts;
  /** Batches of at most a few MiB that are under way at once. */
  readonly atOnce: number;
  readonly partialPrefix: string;
  /** Whether folders that were there already get the backup's metadata too. */
  readonly overwrite: boolean;
}

/** Makes folders and writes files and links, in path order, with a bounded number of batches under way. */
export class Pipeline {
  readonly #input: PipelineInput;
  readonly #run: RestoreRun;
  readonly #placement: TargetLayout;
  readonly #rooms: BufferPool;
  readonly #underWay = new Set<Promise<void>>();
  readonly #keepPlace: (id: number, target: string) => void;
  readonly #pace = new TimeSlice();
  #batch = new SmallFileBatch();
  #folderFailure: WriteFailure = { reason: 'target_unwritable' };
  /** Waits to be started, once what belongs to its entry is done. */
  #large: LargeFile | undefined;

  constructor(input: PipelineInput) {
    this.#input = input;
    this.#run = input.writing.run;
    this.#placement = new TargetLayout(input.bases, 'existing');
    this.#rooms = new BufferPool(input.atOnce);
    const place = input.store.database.prepare('INSERT INTO place VALUES (?, ?)');
    this.#keepPlace = (id, target) => place.run(id, target);
  }

  /** Ends when nothing is under way any more, whatever happened; the run knows what did. */
  async execute(): Promise<void> {
    try {
      for (const work of this.#input.store.workInOrder()) {
        if (this.#run.ending && this.#run.stoppedBy === undefined) break;
        const place = this.#placement.place(work.path);
        if (!place) continue;
        if (work.type === 'directory') this.#takeFolder(work, place);
        else this.#takeFile(work, place);
        await this.#afterEntry();
      }
      await this.#flush();
    } catch (error) {
      this.#run.fail(error);
    }
    await Promise.all(this.#underWay);
  }

  async #afterEntry(): Promise<void> {
    if (this.#large) {
      const large = this.#large;
      this.#large = undefined;
      const { end } = await large.start();
      this.#track(end);
    }
    if (this.#batch.isFull) await this.#flush();
    if (this.#pace.isDue) await this.#pace.turn();
  }

  /** What nobody waits for anymore is written in the background. */
  async #flush(): Promise<void> {
    const batch = this.#batch;
    if (batch.isEmpty) return;
    this.#batch = new SmallFileBatch();
    const room = await this.#rooms.take();
    this.#track(batch.write(this.#input.writing, room).finally(() => this.#rooms.give(room)));
  }

  #track(work: Promise<void>): void {
    this.#underWay.add(work);
    void work.finally(() => this.#underWay.delete(work));
  }

  #takeFolder(work: PlannedWork, place: Place): void {
    const action = work.action ?? 'create';
    const name = work.name ?? place.name;
    if (place.fate === 'failed' || place.fate === 'skipped' || action === 'skip') {
      this.#placement.enter(work.path, place, name, place.fate === 'failed' ? 'failed' : 'skipped');
      return;
    }
    try {
      if (!place.safe) throw invalidName(work.path);
      if (this.#run.stoppedBy === undefined) this.#makeFolder(work, place, name);
      this.#placement.enter(work.path, place, name, 'existing');
    } catch (error) {
      this.#folderFailure = writeFailureOf(error);
      this.#run.failed(work, this.#folderFailure);
      this.#placement.enter(work.path, place, name, 'failed');
    }
  }

  #makeFolder(work: PlannedWork, place: Place, name: string): void {
    const parent = this.#enter(place.folder);
    const { action } = work;
    if (action === 'replace') unlinkSync(parent.pathOf(name));
    const made = action !== 'use' && action !== 'done' && parent.makeChild(name);
    // The rest of the way shows whether what stands there is a folder.
    if (!made) this.#enter([...place.folder, name]);
    if (made || action === 'done' || this.#input.overwrite)
      this.#keepPlace(work.id, targetOf({ way: place.folder }, name));
  }

  /** Folders on the way that the backup knows nothing of are made as the system makes them. */
  #enter(names: readonly string[]): Folder {
    try {
      return this.#input.walk.enter(names);
    } catch (error) {
      if (systemCodeOf(error) !== 'ENOENT' || names.length === 0) throw error;
      const parent = this.#enter(names.slice(0, -1));
      parent.makeChild(names.at(-1)!);
      const made = this.#input.walk.enter(names);
      made.setMode(0o755);
      return made;
    }
  }

  #takeFile(work: PlannedWork, place: Place): void {
    const name = work.name ?? place.name;
    const { action } = work;
    if (place.fate === 'skipped' || action === 'skip') return;
    if (work.leader !== null) this.#keepPlace(work.id, targetOf({ way: place.folder }, name));
    if (action === 'done') {
      this.#run.resumed(work);
      return;
    }
    if (work.leader !== null && work.leader !== work.id) return;
    const failure = this.#refuse(work, place);
    if (failure) {
      this.#run.failed(work, failure);
      return;
    }
    try {
      const folder = this.#enter(place.folder);
      this.#give({ work, folder, name, way: place.folder, partialName: `${this.#input.partialPrefix}${work.id}` });
    } catch (error) {
      this.#run.failed(work, writeFailureOf(error));
    }
  }

  #give(entry: PlacedWork): void {
    if (entry.work.size > LARGE_FILE_BYTES) this.#large = new LargeFile(entry, this.#input.writing, this.#rooms);
    else this.#batch.add(entry);
  }

  /** What is known to fail before anything is fetched. */
  #refuse(work: PlannedWork, place: Place): WriteFailure | undefined {
    const { stoppedBy } = this.#run;
    if (stoppedBy !== undefined) return { reason: stoppedBy };
    if (place.fate === 'failed') return this.#folderFailure;
    if (!place.safe) return { reason: 'target_unwritable', detail: 'EINVAL' };
    if (work.action === 'taken') return { reason: 'target_unwritable', detail: 'EEXIST' };
    if (work.action === 'blocked') return { reason: 'target_unwritable', detail: 'EISDIR' };
    if (work.type !== 'file') return undefined;
    if (work.chunks === null) return { reason: 'tree_invalid', detail: 'entry-missing' };
    if (work.contentSize !== work.size) return { reason: 'file_size_mismatch' };
    return undefined;
  }
}

function invalidName(path: string): Error {
  return Object.assign(new Error(`not a name on this system: ${path}`), { code: 'EINVAL' });
}
