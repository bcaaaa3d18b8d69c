import { lstatSync, unlinkSync } from 'node:fs';
import { systemCodeOf } from '../../base/errors/errors.ts';
import { identityOf } from '../../os/filesystem/file-identity.ts';
import type { FolderWalk } from '../../os/filesystem/folder-walk.ts';
import type { Folder } from '../../os/filesystem/folder.ts';
import { ArenaPool } from '../../read/chunks/arena-pool.ts';
import type { PlanStore } from '../record/plan-store.ts';
import type { PlannedWork } from '../record/planned-entry.ts';
import { TargetLayout, type TargetLocation } from '../plan/target-layout.ts';
import type { RestoreBase } from '../plan/target-names.ts';
import { TimeSlice } from '../../read/time-slice.ts';
import { LARGE_FILE_BYTES, LargeFile } from './large-file.ts';
import { metadataAt, restoreAttributes } from './metadata.ts';
import { locationOf, type PlacedEntry, type WriteContext } from './placed-entry.ts';
import type { RestoreRun } from './restore-run.ts';
import { SmallFileBatch } from './small-file-batch.ts';
import { throwIfChanged, writeFailureOf, type WriteFailure } from './write-files.ts';

export interface PipelineInput {
  readonly store: PlanStore;
  readonly bases: readonly RestoreBase[];
  /** The walk through the target folder. */
  readonly walk: FolderWalk;
  readonly context: WriteContext;
  /** Batches of at most a few MiB in flight. */
  readonly concurrency: number;
  readonly partialPrefix: string;
  /** Whether a folder that existed before, or a file with the same content, gets the backup's metadata too. */
  readonly overwrites: (path: string) => boolean;
}

/** Creates folders and writes files and links, in path order, with a bounded number of batches in flight. */
export class WritePipeline {
  readonly #input: PipelineInput;
  readonly #run: RestoreRun;
  readonly #layout: TargetLayout;
  readonly #arenas: ArenaPool;
  readonly #inFlight = new Set<Promise<void>>();
  #batch = new SmallFileBatch();
  #folderFailure: WriteFailure = { reason: 'target_unwritable' };
  /** Started after the entry has been handled. */
  #large: LargeFile | undefined;

  constructor(input: PipelineInput) {
    this.#input = input;
    this.#run = input.context.run;
    this.#layout = new TargetLayout(input.bases, 'existing');
    this.#arenas = new ArenaPool(input.concurrency);
  }

  /** Resolves when nothing is in flight any more. Never rejects: failures are reported to the run. */
  async execute(): Promise<void> {
    try {
      await this.#takeAll();
    } catch (error) {
      this.#run.fail(error);
    }
    await Promise.all(this.#inFlight);
  }

  async #takeAll(): Promise<void> {
    const slice = new TimeSlice();
    for (const work of this.#input.store.workInOrder()) {
      if (this.#run.isAborted) break;
      const location = this.#layout.locate(work.path);
      if (!location) continue;
      if (work.type === 'directory') this.#takeFolder(work, location);
      else this.#takeFile(work, location);
      if (this.#large) await this.#startLarge(this.#large);
      if (this.#batch.isFull) await this.#startBatch();
      if (slice.isOver) await slice.yield();
    }
    await this.#startBatch();
  }

  async #startLarge(file: LargeFile): Promise<void> {
    this.#large = undefined;
    const { end } = await file.start();
    this.#track(end);
  }

  async #startBatch(): Promise<void> {
    const batch = this.#batch;
    if (batch.isEmpty) return;
    this.#batch = new SmallFileBatch();
    const arena = await this.#arenas.acquire();
    this.#track(batch.write(this.#input.context, arena).finally(() => this.#arenas.release(arena)));
  }

  #track(work: Promise<void>): void {
    this.#inFlight.add(work);
    void work.finally(() => this.#inFlight.delete(work));
  }

  #takeFolder(work: PlannedWork, location: TargetLocation): void {
    const action = work.action ?? 'create';
    const name = work.name ?? location.name;
    const { status } = location;
    if (status === 'failed' || status === 'skipped' || action === 'skip') {
      this.#layout.enter(work.path, location, name, status === 'failed' ? 'failed' : 'skipped');
      return;
    }
    try {
      if (!location.isSafe) throw invalidName(work.path);
      if (this.#run.stoppedBy === undefined) this.#makeFolder(work, location, name);
      this.#layout.enter(work.path, location, name, 'existing');
    } catch (error) {
      this.#folderFailure = writeFailureOf(error);
      this.#run.failed(work, this.#folderFailure);
      this.#layout.enter(work.path, location, name, 'failed');
    }
  }

  #makeFolder(work: PlannedWork, { folder }: TargetLocation, name: string): void {
    const parent = this.#enter(folder);
    const { action } = work;
    if (action === 'replace') this.#removeFor(work, folder, parent, name);
    const made = action !== 'use' && action !== 'done' && parent.makeChild(name);
    // Entering fails if what exists there is not a folder.
    if (!made) this.#enter([...folder, name]);
    if (made || action === 'done' || this.#input.overwrites(work.path)) this.#setLocation(work, folder, name);
  }

  #removeFor(work: PlannedWork, folderNames: readonly string[], parent: Folder, name: string): void {
    const { movedAside } = this.#run;
    const kept = movedAside?.keep(work.id, folderNames, name);
    if (movedAside && kept === undefined) return;
    if (kept !== undefined) throwIfChanged(parent.pathOf(name), kept);
    unlinkSync(parent.pathOf(name));
    movedAside?.replaced(work.id);
  }

  #setLocation({ id }: PlannedWork, folderNames: readonly string[], name: string): void {
    this.#input.store.setLocation(id, locationOf({ folderNames }, name));
  }

  /** Enters a folder. Missing ones, of which the backup has no entry, are created with default attributes. */
  #enter(names: readonly string[]): Folder {
    try {
      return this.#input.walk.enter(names);
    } catch (error) {
      if (systemCodeOf(error) !== 'ENOENT' || names.length === 0) throw error;
      const parent = this.#enter(names.slice(0, -1));
      this.#run.changes?.folder(names);
      parent.makeChild(names.at(-1)!);
      const made = this.#input.walk.enter(names);
      made.setMode(0o755);
      return made;
    }
  }

  #takeFile(work: PlannedWork, location: TargetLocation): void {
    const name = work.name ?? location.name;
    const { folder: folderNames, status } = location;
    const { action } = work;
    if (status === 'skipped' || action === 'skip') return;
    if (work.leader !== null) this.#setLocation(work, folderNames, name);
    if (!this.#makeRoom(work, location)) return;
    if (action === 'done' || action === 'keep') {
      if (action === 'done') this.#run.resumed(work);
      // The interrupted run may not have been able to set them.
      if (action === 'done' || this.#input.overwrites(work.path)) this.#setAttributes(work, folderNames, name);
      return;
    }
    if (work.leader !== null && work.leader !== work.id) return;
    const failure = this.#knownFailure(work, location);
    if (failure) {
      this.#run.failed(work, failure);
      return;
    }
    try {
      const folder = this.#enter(folderNames);
      const { movedAside } = this.#run;
      const kept =
        action === 'replace' && movedAside ? (movedAside.keep(work.id, folderNames, name) ?? 'free') : undefined;
      const partialName = `${this.#input.partialPrefix}${work.id}`;
      this.#add({ work, folder, folderNames, name, partialName, ...(kept === undefined ? {} : { kept }) });
    } catch (error) {
      this.#run.failed(work, writeFailureOf(error));
    }
  }

  /** Moves logs that would be applied to a database that is restored, before that has its name. Returns false if that fails. */
  #makeRoom(work: PlannedWork, { folder, isSafe }: TargetLocation): boolean {
    const { companionsAside } = this.#run;
    const isThere =
      work.action === 'done' || work.action === 'keep' || (work.leader !== null && work.leader !== work.id);
    if (!isSafe || this.#run.stoppedBy !== undefined) return true;
    try {
      for (const companion of this.#input.store.found.companionsOf(work.id)) {
        companionsAside?.moveCompanion(isThere ? undefined : work.id, [...folder, companion]);
      }
      return true;
    } catch (error) {
      this.#run.failed(work, writeFailureOf(error));
      return false;
    }
  }

  /** A file that has the content of its entry gets the entry's attributes. */
  #setAttributes(work: PlannedWork, folderNames: readonly string[], name: string): void {
    try {
      const path = this.#enter(folderNames).pathOf(name);
      const stat = lstatSync(path, { bigint: true });
      if (stat.nlink > 1n) {
        this.#input.store.found.addShared(work.id, locationOf({ folderNames }, name), identityOf(stat));
        return;
      }
      const metadata = this.#run.metadataOf(work);
      this.#run.changes?.attributes([...folderNames, name], metadataAt(path), metadata);
      this.#run.addLosses(work.path, restoreAttributes(path, metadata));
    } catch (error) {
      this.#run.failed(work, writeFailureOf(error));
    }
  }

  #add(entry: PlacedEntry): void {
    if (entry.work.size > LARGE_FILE_BYTES) this.#large = new LargeFile(entry, this.#input.context, this.#arenas);
    else this.#batch.add(entry);
  }

  /** Returns why the file is going to fail, if that is known before anything is fetched. */
  #knownFailure(work: PlannedWork, location: TargetLocation): WriteFailure | undefined {
    const { stoppedBy } = this.#run;
    if (stoppedBy !== undefined) return { reason: stoppedBy };
    if (location.status === 'failed') return this.#folderFailure;
    if (!location.isSafe) return { reason: 'target_unwritable', detail: 'EINVAL' };
    if (work.action === 'unnamable') return { reason: 'target_unwritable', detail: 'ENAMETOOLONG' };
    if (work.action === 'taken') return { reason: 'target_unwritable', detail: 'EEXIST' };
    if (work.action === 'blocked') return { reason: 'target_unwritable', detail: 'EISDIR' };
    if (work.action === 'unproven') return { reason: 'tree_invalid', detail: 'unproven' };
    return undefined;
  }
}

function invalidName(path: string): Error {
  return Object.assign(new Error(`not a name on this system: ${path}`), { code: 'EINVAL' });
}
