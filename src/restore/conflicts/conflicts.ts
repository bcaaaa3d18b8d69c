import { hash } from 'node:crypto';
import { readdirSync, unlinkSync } from 'node:fs';
import { systemCodeOf } from '../../base/errors/errors.ts';
import { segmentOfBytes } from '../../os/filesystem/names/entry-path.ts';
import type { FolderWalk } from '../../os/filesystem/folder-walk.ts';
import type { Folder } from '../../os/filesystem/folder.ts';
import type { ConflictChoice } from '../../model/restore-request.ts';
import type { PlannedChange } from '../record/planned-entry.ts';
import type { PlanStore } from '../record/plan-store.ts';
import type { Action, PlannedEntry } from '../record/planned-entry.ts';
import type { UsedFolder } from '../record/surplus-store.ts';
import { TargetLayout, type FolderStatus, type TargetLocation } from '../plan/target-layout.ts';
import { nameBeside, type RestoreBase } from '../plan/target-names.ts';
import { TimeSlice } from '../../read/time-slice.ts';
import { hasMetadata, metadataOf } from '../write/metadata.ts';
import { DatabaseGroups } from './database-groups.ts';
import type { ContentComparison } from './content-comparison.ts';
import { decide } from './decision.ts';
import {
  ExistingComparison,
  type Found,
  isTooLong,
  statIfPossible,
  typeOf,
  metEntry,
  MAX_MET,
  type MetEntry,
} from './existing-comparison.ts';
import { NameProblemList, type NameProblems } from './name-problems.ts';
import type { NameRules } from './name-rules.ts';
import { NamesBeside, type Renamed } from './names-beside.ts';
import type { PathChoices, PathExclusion } from './request-paths.ts';
import type { OpenedFolders } from './opened-folders.ts';
import type { ResumeJournal } from '../record/resume-journal.ts';

/** Conflicts that are named when a restore is refused, and entries that keep other attributes. */
const MAX_NAMED = 1000;

/** Totals of what a restore is going to do. Links are not counted as files, as in a backup. */
export interface ConflictSummary {
  /** Files to be restored, including those that are complete already. */
  readonly files: number;
  readonly bytes: number;
  readonly skipped: number;
  /** Files in their original place that have the content of their entry. */
  readonly unchanged: number;
  readonly resumed: number;
  readonly resumedBytes: number;
  /** Bytes of free space that the target folder needs. */
  readonly needed: number;
  /** Paths below the target folder, the first of them. */
  readonly conflicts: readonly string[];
  readonly conflictsTotal: number;
  /** Conflicts with files that were modified after their entry. */
  readonly conflictsNewer: number;
  /** Conflicts that no choice is about. */
  readonly undecided: number;
  /** Conflicts by their choice. */
  readonly byChoice: Readonly<Record<ConflictChoice, number>>;
  /** Files of which nothing exists at their target. */
  readonly created: number;
  /** Entries in their original places that keep other attributes than those of the plan: the first of them, as paths below the target folder. */
  readonly attributesLeft: readonly string[];
  readonly attributesLeftTotal: number;
  /** Of a dry run: the first conflicts. */
  readonly met: readonly MetEntry[];
  readonly names: NameProblems;
}

export interface ConflictInput {
  readonly store: PlanStore;
  readonly bases: readonly RestoreBase[];
  /** Over the target folder; `undefined` if it does not exist yet. */
  readonly walk: FolderWalk | undefined;
  readonly exclusion: PathExclusion;
  readonly journal: ResumeJournal;
  readonly choices: PathChoices;
  /** Of the file systems of the target. */
  readonly nameRules: NameRules;
  /** False if no tree proves the entries: nothing that exists is replaced by them. */
  readonly isProven: boolean;
  readonly content: ContentComparison;
  /** True if entries go back to their original places. */
  readonly inPlace: boolean;
  /** Called for everything that is going to be made. */
  readonly onChange?: ((change: PlannedChange) => void) | undefined;
  /** Whether the folder that has the place of a file may be moved aside as a whole. True by default. */
  readonly mayMove?: ((folder: UsedFolder) => Promise<boolean>) | undefined;
  /** Called for every existing folder. */
  readonly onUsed?: ((folder: UsedFolder) => void) | undefined;
  readonly opened: OpenedFolders;
  /** Leaves what an interrupted run left untouched, too. */
  readonly dryRun: boolean;
}

/**
 * Compares every planned entry with what exists at its target and stores a decision. Writes nothing to the target, but
 * removes the incomplete files that an interrupted run of the same restore left there.
 */
export function detectConflicts(input: ConflictInput): Promise<ConflictSummary> {
  return new ConflictDetection(input).run();
}

class ConflictDetection {
  readonly #input: ConflictInput;
  readonly #store: PlanStore;
  readonly #layout: TargetLayout;
  readonly #conflicts: string[] = [];
  readonly #attributesLeft: string[] = [];
  readonly #met: MetEntry[] = [];
  readonly #names: NameProblemList;
  readonly #byChoice = { skip: 0, overwrite: 0, 'keep-both': 0 };
  readonly #swept = new Set<string>();
  readonly #databases: DatabaseGroups;
  readonly #beside: NamesBeside;
  readonly #existing: ExistingComparison;
  readonly #sum = {
    files: 0,
    bytes: 0,
    skipped: 0,
    unchanged: 0,
    resumed: 0,
    resumedBytes: 0,
    needed: 0,
    conflictsTotal: 0,
    conflictsNewer: 0,
    undecided: 0,
    created: 0,
    attributesLeftTotal: 0,
  };

  constructor(input: ConflictInput) {
    this.#input = input;
    this.#store = input.store;
    this.#layout = new TargetLayout(input.bases, input.walk ? 'existing' : 'new');
    this.#names = new NameProblemList(input.store, input.nameRules);
    this.#beside = new NamesBeside(input, this.#names);
    this.#existing = new ExistingComparison(input);
    this.#databases = new DatabaseGroups(input, this.#names, this.#existing);
  }

  async run(): Promise<ConflictSummary> {
    const slice = new TimeSlice();
    for (const entry of this.#store.entriesInOrder()) {
      this.#input.choices.meet(entry.path);
      const location = this.#layout.locate(entry.path);
      if (location) await this.#take(entry, location);
      if (slice.isOver) await slice.yield();
    }
    const lists = { conflicts: this.#conflicts, met: this.#met, byChoice: this.#byChoice };
    return { ...this.#sum, ...lists, attributesLeft: this.#attributesLeft, names: this.#names.found };
  }

  async #take(entry: PlannedEntry, location: TargetLocation): Promise<void> {
    if (this.#input.exclusion.excludes(entry.path)) {
      this.#store.decide(entry.id, 'skip', null);
      if (entry.type === 'directory') this.#layout.enter(entry.path, location, location.name, 'skipped');
      return;
    }
    let action: Action = 'create';
    let { name } = location;
    const beside = location.status === 'skipped' ? undefined : await this.#nameProblem(entry, location);
    if (location.status === 'skipped') action = 'skip';
    else if (beside) ({ action, name } = beside);
    else if (location.status === 'existing' && location.isSafe) {
      ({ action, name } = await this.#compare(entry, location));
    }
    if (action !== 'create') this.#store.decide(entry.id, action, name === location.name ? null : name);
    if (name !== location.name) this.#store.surplus.addBeside([...location.folder, name].join('/'));
    if (action === 'use' && location.isSafe) {
      this.#input.onUsed?.({ path: entry.path, location: [...location.folder, name].join('/') });
    }
    if (MAKES.has(action) && location.isSafe) {
      const { type, size, mode, seconds, nanoseconds, target } = entry;
      const planned = { type, size, mode, seconds, nanoseconds, target };
      const at = [...location.folder, name].join('/');
      this.#input.onChange?.({ ...planned, location: at, exists: action === 'replace' });
    }
    if (entry.type === 'directory') this.#layout.enter(entry.path, location, name, STATUS_INSIDE[action]);
    else this.#count(entry, action);
  }

  /** Decides about an entry whose name its target does not take, or takes for that of an earlier entry. */
  async #nameProblem(entry: PlannedEntry, location: TargetLocation): Promise<Renamed | undefined> {
    const { folder: names, name, status } = location;
    const folder = (): Folder | undefined => (status === 'existing' ? this.#folderOf(location) : undefined);
    const confirm = (): boolean => {
      const path = folder()?.pathOf(name);
      return path === undefined || isTooLong(path);
    };
    if (this.#names.takeUnwritable(entry, location, confirm)) return { action: 'unnamable', name };
    const first = location.isSafe ? this.#names.claim(names, name, entry.type) : undefined;
    if (first === undefined) return undefined;
    const { path } = entry;
    if (first === 'directory' && entry.type === 'directory') {
      this.#names.add({ path, kind: 'same-name', becomes: 'merged' });
      return undefined;
    }
    const there = folder();
    const renamed =
      (there && (await this.#beside.find(entry, there, location))) ?? (await this.#rename(entry, there, location));
    this.#names.add({ path, kind: 'same-name', becomes: 'beside', as: renamed.name });
    return renamed;
  }

  #count(entry: PlannedEntry, action: Action): void {
    const sum = this.#sum;
    const counted = entry.type === 'file' ? 1 : 0;
    if (action === 'skip' || action === 'keep') {
      sum[action === 'skip' ? 'skipped' : 'unchanged'] += counted;
      return;
    }
    sum.files += counted;
    if (action === 'create') sum.created += counted;
    if (action === 'unnamable' || action === 'blocked' || action === 'unproven' || action === 'taken') return;
    const hasData = entry.type === 'file' && (entry.hardLinkGroup === null || this.#isFirstName(entry));
    const bytes = hasData ? entry.size : 0;
    sum.bytes += bytes;
    if (action === 'done') {
      sum.resumed += counted;
      sum.resumedBytes += bytes;
    } else if (entry.sparse === 0) {
      sum.needed += bytes;
    }
  }

  #isFirstName(entry: PlannedEntry): boolean {
    return this.#store.addName(entry.id, fileIdentity(entry, this.#store.chunksOf(entry.id)));
  }

  async #compare(entry: PlannedEntry, location: TargetLocation): Promise<Renamed> {
    const { name } = location;
    const folder = this.#folderOf(location);
    const led = folder && (await this.#databases.follow(entry, location, folder));
    if (led) return led;
    const existing = folder && this.#existing.find(entry, folder, name);
    const { journal, choices, dryRun, inPlace } = this.#input;
    const choice = choices.of(this.#databases.leaderOf(entry) ?? entry.path);
    const compared = existing && (await this.#existing.compare(entry, existing, folder.pathOf(name), location));
    const decided = decide(entry.type, compared, choice, inPlace);
    const { action, conflict, stale } = this.#databases.decide(entry, folder, name, decided);
    for (const log of stale) this.#countConflict([...location.folder, log].join('/'), choice);
    if (compared && !compared.ours) journal.recordExisting(entry.path, this.#existing.isSame(compared));
    if (entry.type === 'directory' && action === 'done') this.#makeWritable(folder!, location);
    const keepsAttributes = action === 'keep' || (action === 'use' && entry.type === 'directory');
    if (inPlace && keepsAttributes && choice !== 'overwrite')
      this.#noteAttributes(entry, folder!.pathOf(name), location);
    if (conflict) {
      this.#countConflict([...location.folder, name].join('/'), choice);
      if (existing?.isNewer === true) this.#sum.conflictsNewer += 1;
      if (dryRun && existing && this.#met.length < MAX_MET) this.#met.push(metEntry(entry, existing));
    }
    if (action === 'rename') return this.#databases.lead(entry, await this.#rename(entry, folder, location));
    if (action === 'replace' && !this.#input.isProven) return { action: 'unproven', name };
    if (action === 'replace' && existing?.type === 'directory') {
      const at = { path: entry.path, location: [...location.folder, name].join('/') };
      if ((await this.#input.mayMove?.(at)) === false) return { action: 'blocked', name };
    }
    return { action: this.#isTaken(existing, action) ? 'taken' : action, name };
  }

  #countConflict(location: string, choice: ConflictChoice | undefined): void {
    this.#sum.conflictsTotal += 1;
    if (choice === undefined) this.#sum.undecided += 1;
    else this.#byChoice[choice] += 1;
    if (this.#conflicts.length < MAX_NAMED) this.#conflicts.push(location);
  }

  /**
   * Two spellings may mean the same (upper and lower case on most disks of macOS and Windows), so two entries may meet in
   * one file: the second would replace the first, and both would be reported as restored.
   */
  #isTaken(existing: Found | undefined, action: Action): boolean {
    if (existing?.file === undefined || existing.type === 'directory') return false;
    return (action === 'replace' || action === 'done') && !this.#store.found.claimFile(existing.file);
  }

  /** Returns `undefined` if the folder cannot be entered: writing to it fails later, and reports why. */
  #folderOf(location: TargetLocation): Folder | undefined {
    try {
      const folder = this.#input.walk!.enter(location.folder);
      // Also without a journal, which may be lost: the names belong to this restore.
      if (!this.#input.dryRun) this.#sweep(location, folder);
      return folder;
    } catch (error) {
      if (systemCodeOf(error) === undefined) throw error;
      return undefined;
    }
  }

  /** Notes what has the content of its entry and keeps other attributes. The time of a folder says when its list of names changed. */
  #noteAttributes(entry: PlannedEntry, path: string | Buffer, { folder, name }: TargetLocation): void {
    if (!this.#input.isProven) return;
    const wanted = metadataOf(entry);
    if (hasMetadata(path, entry.type === 'directory' ? { ...wanted, seconds: null } : wanted)) return;
    this.#sum.attributesLeftTotal += 1;
    if (this.#attributesLeft.length < MAX_NAMED) this.#attributesLeft.push([...folder, name].join('/'));
  }

  #makeWritable(folder: Folder, { folder: names, name }: TargetLocation): void {
    if (this.#input.dryRun) return;
    const child = folder.child(name);
    this.#input.opened.open(child, [...names, name]);
    child.release();
  }

  /** Picks the first free name beside, or the one that an interrupted run gave this entry. */
  async #rename(
    entry: PlannedEntry,
    folder: Folder | undefined,
    { folder: names, name }: TargetLocation,
  ): Promise<Renamed> {
    const { journal } = this.#input;
    for (let number = 1; ; number += 1) {
      const beside = nameBeside(name, journal.startedAt, number);
      if (this.#names.claim(names, beside, entry.type) !== undefined) continue;
      const path = folder?.pathOf(beside);
      const stat = path === undefined ? undefined : statIfPossible(path);
      if (!stat || path === undefined) return { action: 'rename', name: beside };
      const ours = journal.resumed && typeOf(stat) === entry.type;
      if (ours && (await this.#existing.isComplete(entry, stat, path))) return { action: 'done', name: beside };
    }
  }

  /** Removes the incomplete files of an interrupted run, once in each folder. */
  #sweep(location: TargetLocation, folder: Folder): void {
    const key = location.folder.join('/');
    if (this.#swept.has(key)) return;
    // Entries are in path order, so only folders above this one can come again.
    for (const known of this.#swept) if (!key.startsWith(known)) this.#swept.delete(known);
    this.#swept.add(key);
    const prefix = this.#input.journal.partialPrefix;
    for (const bytes of readdirSync(folder.self, { encoding: 'buffer' })) {
      const name = segmentOfBytes(bytes);
      if (name.startsWith(prefix)) unlinkSync(folder.pathOf(name));
    }
  }
}

/**
 * Equal for the names of one file. The hard-link group is not sufficient: it consists of device and inode numbers, which
 * are reassigned at boot and after deletions, while unchanged entries keep those of an earlier scan. Files that differ in
 * anything are not one file, and a superfluous copy loses nothing.
 */
export function fileIdentity(
  { hardLinkGroup, size, seconds, nanoseconds }: PlannedEntry,
  chunks: Buffer | undefined,
): string {
  const content = chunks ? hash('sha256', chunks, 'base64') : 'none';
  return `${hardLinkGroup} ${size} ${seconds} ${nanoseconds} ${content}`;
}

const MAKES: ReadonlySet<Action> = new Set(['create', 'replace', 'rename']);
/** Status of a folder for the entries inside, by the decision about it. */
const STATUS_INSIDE: Readonly<Record<Action, FolderStatus>> = {
  create: 'new',
  replace: 'new',
  rename: 'new',
  skip: 'skipped',
  use: 'existing',
  keep: 'skipped',
  done: 'existing',
  blocked: 'skipped',
  unproven: 'skipped',
  taken: 'skipped',
  unnamable: 'new',
};
