import { hash } from 'node:crypto';
import { lstatSync, readdirSync, readlinkSync, unlinkSync, type BigIntStats } from 'node:fs';
import { systemCodeOf } from '../../../base/errors.ts';
import { bytesOfSegment, segmentOfBytes } from '../../filesystem/entry-path.ts';
import type { Folder } from '../../filesystem/folder.ts';
import type { FolderWalk } from '../../filesystem/folder-walk.ts';
import { decide, type Action, type Existing } from './decision.ts';
import type { ContentComparison } from './content-comparison.ts';
import type { PathExclusion } from './path-exclusion.ts';
import { TimeSlice } from '../time-slice.ts';
import { TargetLayout, type FolderFate, type Place } from '../plan/target-layout.ts';
import type { PlannedEntry, PlanStore } from '../plan/plan-store.ts';
import type { ResumeJournal } from './resume-journal.ts';
import { nameBeside, type RestoreBase } from '../plan/target-names.ts';
import type { ConflictChoice } from '../types.ts';

/** Targets that are named when a restore is refused. */
const NAMED_CONFLICTS = 1000;

/** What a restore is going to do, in numbers. */
export interface ConflictSummary {
  /** Files that get restored, those that are complete already among them; links are not counted, as in a backup. */
  readonly files: number;
  readonly bytes: number;
  readonly skipped: number;
  readonly resumed: number;
  readonly resumedBytes: number;
  /** Bytes that the target folder needs room for. */
  readonly needed: number;
  /** Paths below the target folder, the first of them. */
  readonly conflicts: readonly string[];
  readonly conflictsTotal: number;
}

export interface ConflictInput {
  readonly store: PlanStore;
  readonly bases: readonly RestoreBase[];
  /** Over the target folder; nothing where that is not there yet. */
  readonly walk: FolderWalk | undefined;
  readonly leftOut: PathExclusion;
  readonly journal: ResumeJournal;
  readonly choice: ConflictChoice | undefined;
  readonly content: ContentComparison;
  /** Then what an interrupted run left is not touched either. */
  readonly dryRun: boolean;
}

/**
 * Looks at every target that may exist and puts a decision for it into the store. Writes nothing to the target, but
 * removes the incomplete files that an interrupted run of the same restore left there.
 */
export function detectConflicts(input: ConflictInput): Promise<ConflictSummary> {
  return new ConflictDetection(input).gather();
}

interface Found extends Existing {
  /** Which file it is, where that has no other name. */
  readonly file: string | undefined;
}

class ConflictDetection {
  readonly #input: ConflictInput;
  readonly #placement: TargetLayout;
  readonly #decide: (id: number, action: Action, name: string | null) => void;
  readonly #lead: (entry: PlannedEntry) => boolean;
  readonly #claim: (file: string) => boolean;
  readonly #conflicts: string[] = [];
  readonly #swept = new Set<string>();
  readonly #sum = { files: 0, bytes: 0, skipped: 0, resumed: 0, resumedBytes: 0, needed: 0, conflictsTotal: 0 };

  constructor(input: ConflictInput) {
    this.#input = input;
    this.#placement = new TargetLayout(input.bases, input.walk ? 'existing' : 'new');
    const { database } = input.store;
    const decision = database.prepare('INSERT INTO decision VALUES (?, ?, ?)');
    this.#decide = (id, action, name) => decision.run(id, action, name);
    database.exec('CREATE TABLE link_group (name TEXT PRIMARY KEY, leader INTEGER NOT NULL) WITHOUT ROWID');
    database.exec('CREATE TABLE claimed (file TEXT PRIMARY KEY) WITHOUT ROWID');
    const claim = database.prepare('INSERT OR IGNORE INTO claimed VALUES (?)');
    this.#claim = (file) => claim.run(file).changes === 1;
    const group = database.prepare(
      'INSERT INTO link_group VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET leader = leader RETURNING leader',
    );
    const link = database.prepare('INSERT INTO hard_link VALUES (?, ?)');
    this.#lead = (entry) => {
      const { id } = entry;
      const { leader } = group.get(nameOfFile(entry, input.store.chunksOf(id)), id) as { leader: number };
      link.run(id, leader);
      return leader === id;
    };
  }

  async gather(): Promise<ConflictSummary> {
    const pace = new TimeSlice();
    for (const entry of this.#input.store.entriesInOrder()) {
      const place = this.#placement.place(entry.path);
      if (place) await this.#take(entry, place);
      if (pace.isDue) await pace.turn();
    }
    return { ...this.#sum, conflicts: this.#conflicts };
  }

  async #take(entry: PlannedEntry, place: Place): Promise<void> {
    if (this.#input.leftOut.has(entry.path)) {
      this.#decide(entry.id, 'skip', null);
      if (entry.type === 'directory') this.#placement.enter(entry.path, place, place.name, 'skipped');
      return;
    }
    let action: Action = 'create';
    let { name } = place;
    if (place.fate === 'skipped') action = 'skip';
    else if (place.fate === 'existing' && place.safe) ({ action, name } = await this.#look(entry, place));
    if (action !== 'create') this.#decide(entry.id, action, name === place.name ? null : name);
    if (entry.type === 'directory') this.#placement.enter(entry.path, place, name, FATE_INSIDE[action]);
    else this.#count(entry, action);
  }

  #count(entry: PlannedEntry, action: Action): void {
    const sum = this.#sum;
    const counted = entry.type === 'file' ? 1 : 0;
    if (action === 'skip') {
      sum.skipped += counted;
      return;
    }
    sum.files += counted;
    if (action === 'blocked' || action === 'taken') return;
    const hasData = entry.type === 'file' && (entry.hardLinkGroup === null || this.#lead(entry));
    const bytes = hasData ? entry.size : 0;
    sum.bytes += bytes;
    if (action === 'done') {
      sum.resumed += counted;
      sum.resumedBytes += bytes;
    } else if (entry.sparse === 0) {
      sum.needed += bytes;
    }
  }

  async #look(entry: PlannedEntry, place: Place): Promise<{ action: Action; name: string }> {
    const { name } = place;
    const folder = this.#folderOf(place);
    const existing = folder && this.#existing(entry, folder, name);
    const { journal, choice } = this.#input;
    const holdsTheSame = await this.#holdsTheSame(entry, existing, folder, name);
    const { action, conflict } = decide(entry.type, existing && { ...existing, same: holdsTheSame }, choice);
    if (existing && !existing.ours) journal.noteExisting(entry.path, existing.same);
    if (entry.type === 'directory' && action === 'done') this.#openUp(folder!, name);
    if (conflict) {
      this.#sum.conflictsTotal += 1;
      if (this.#conflicts.length < NAMED_CONFLICTS) this.#conflicts.push([...place.folder, name].join('/'));
    }
    if (action === 'rename') return this.#nameBeside(entry, folder!, name);
    return { action: this.#isTaken(existing, action) ? 'taken' : action, name };
  }

  /**
   * Where two spellings mean the same (by case on most disks of macOS and Windows), two entries may meet one file: the
   * second would take the place of the first, and both would be called restored.
   */
  #isTaken(existing: Found | undefined, action: Action): boolean {
    if (existing?.file === undefined || existing.type === 'directory') return false;
    return (action === 'replace' || action === 'done') && !this.#claim(existing.file);
  }

  /** Nothing where it cannot be entered: then making it fails later, and says why. */
  #folderOf(place: Place): Folder | undefined {
    try {
      const folder = this.#input.walk!.enter(place.folder);
      if (this.#input.journal.resumed && !this.#input.dryRun) this.#sweep(place, folder);
      return folder;
    } catch (error) {
      if (systemCodeOf(error) === undefined) throw error;
      return undefined;
    }
  }

  #existing(entry: PlannedEntry, folder: Folder, name: string): Found | undefined {
    const path = folder.pathOf(name);
    const stat = lookAt(path);
    if (!stat) return undefined;
    const type = typeOf(stat);
    const same = type === entry.type && looksTheSame(entry, stat, path);
    // A file with several names may well be met by all of them.
    const file = stat.nlink === 1n ? `${stat.dev}:${stat.ino}` : undefined;
    return { type, same, ours: this.#input.journal.madeHere(entry.path, same), file };
  }

  /** A look is enough where nothing is lost by it: only keeping both leaves out what is said to be there already. */
  async #holdsTheSame(
    entry: PlannedEntry,
    existing: Existing | undefined,
    folder: Folder | undefined,
    name: string,
  ): Promise<boolean> {
    if (!existing?.same) return false;
    const { choice, content } = this.#input;
    if (choice !== 'keep-both' || entry.type !== 'file' || existing.ours) return true;
    return await content.isSame(entry, folder!.pathOf(name));
  }

  /** A folder of an interrupted run may have its final mode already, which may forbid to write in it. */
  #openUp(folder: Folder, name: string): void {
    if (this.#input.dryRun) return;
    const child = folder.child(name);
    child.setMode(0o700);
    child.release();
  }

  /** The first free name beside; or the one that an interrupted run gave this very entry. */
  #nameBeside(entry: PlannedEntry, folder: Folder, name: string): { action: Action; name: string } {
    const { journal } = this.#input;
    for (let number = 1; ; number += 1) {
      const beside = nameBeside(name, journal.startedAt, number);
      const path = folder.pathOf(beside);
      const stat = lookAt(path);
      if (!stat) return { action: 'rename', name: beside };
      const ours = journal.resumed && typeOf(stat) === entry.type;
      if (ours && (entry.type === 'directory' || looksTheSame(entry, stat, path)))
        return { action: 'done', name: beside };
    }
  }

  /** Once for each folder: incomplete files of an interrupted run. */
  #sweep(place: Place, folder: Folder): void {
    const key = place.folder.join('/');
    if (this.#swept.has(key)) return;
    // Entries of a folder stand around those of the folders inside: the ones on the way are enough to remember.
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
 * What the names of one file share. The group alone does not tell: it is made of the numbers of disk and file, which are
 * given anew when the computer starts and when files are deleted, while what did not change keeps those that it was seen
 * with. What differs is no name of the same file, and a copy too many loses nothing.
 */
function nameOfFile({ hardLinkGroup, size, seconds, nanoseconds }: PlannedEntry, chunks: Buffer | undefined): string {
  const content = chunks ? hash('sha256', chunks, 'base64') : 'none';
  return `${hardLinkGroup} ${size} ${seconds} ${nanoseconds} ${content}`;
}

/** What holds for the entries of a folder after its own decision. */
const FATE_INSIDE: Readonly<Record<Action, FolderFate>> = {
  create: 'new',
  replace: 'new',
  rename: 'new',
  skip: 'skipped',
  use: 'existing',
  done: 'existing',
  blocked: 'skipped',
  taken: 'skipped',
};

function lookAt(path: string | Buffer): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    // What cannot be looked at cannot be written either, and the attempt will say why.
    if (systemCodeOf(error) === undefined) throw error;
    return undefined;
  }
}

function typeOf(stat: BigIntStats): Existing['type'] {
  if (stat.isFile()) return 'file';
  if (stat.isDirectory()) return 'directory';
  return stat.isSymbolicLink() ? 'symlink' : 'other';
}

const BILLION = 1_000_000_000n;

function looksTheSame(entry: PlannedEntry, stat: BigIntStats, path: string | Buffer): boolean {
  const { seconds, nanoseconds } = entry;
  if (seconds !== null && stat.mtimeNs !== BigInt(seconds) * BILLION + BigInt(nanoseconds)) return false;
  if (entry.type === 'symlink')
    return readlinkSync(path, { encoding: 'buffer' }).equals(bytesOfSegment(entry.target ?? ''));
  return stat.size === BigInt(entry.size);
}
