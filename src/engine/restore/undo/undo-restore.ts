import { lstatSync, readlinkSync, realpathSync, renameSync, rmdirSync, unlinkSync, type BigIntStats } from 'node:fs';
import { isAbsolute, join, normalize } from 'node:path';
import type { Clock } from '../../../base/clock.ts';
import { HoldfastError, systemCodeOf } from '../../../base/errors.ts';
import { syncFileSystemSync } from '../../filesystem/durability.ts';
import { isSafeName } from '../../filesystem/entry-name.ts';
import { bytesOfSegment } from '../../filesystem/entry-path.ts';
import { identityOf } from '../../filesystem/file-identity.ts';
import { FolderWalk } from '../../filesystem/folder-walk.ts';
import { Folder } from '../../filesystem/folder.ts';
import { renameExclusiveSync } from '../../filesystem/rename.ts';
import { nanosecondsOf } from '../../filesystem/times.ts';
import { throwIfInterrupted } from '../../job/interruption.ts';
import { ResumeJournal } from '../conflicts/resume-journal.ts';
import { localTime } from '../plan/target-names.ts';
import { TimeSlice } from '../time-slice.ts';
import { restoreAttributes, setFolderMetadata } from '../write/metadata.ts';
import { asideNameOf } from '../write/moved-aside.ts';
import { SideFolders } from '../write/side-folders.ts';
import { PartialFiles } from './partial-files.ts';
import type { NotUndone, UndoableRestore, UndoReport } from './undo-report.ts';
import { UndoRecord, type RecordedChange, type RecordedRestore, type StoredChange } from './undo-record.ts';

const NAME = 'Before undo';

/** Entries that a report names. */
const MAX_NAMED = 1000;

/** Some file systems store times of two seconds. */
const TIME_GRAIN_NS = 2_000_000_000n;

export interface UndoDependencies {
  /** The folder with the records. */
  readonly records: string;
  /** The folder with the journals of restores. */
  readonly scratch: string;
  readonly clock: Pick<Clock, 'now'>;
}

export interface UndoOptions {
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Returns the newest restore to the original places that can be undone. */
export function undoableRestore({ records, clock }: Omit<UndoDependencies, 'scratch'>): UndoableRestore | undefined {
  const found = UndoRecord.newest(records, clock.now());
  if (!found) return undefined;
  using record = found.record;
  return { ...factsOf(found.restore), ...record.counts(), isBegun: found.restore.undo !== undefined };
}

/**
 * Undoes the newest restore to the original places: what it replaced comes back, and what it made moves to a folder beside. Nothing
 * is deleted. What was changed since stays, and is named. An interrupted undo goes on when it is called again.
 *
 * @throws HoldfastError `undo_nothing`, `target_unwritable` if the folder is gone, `interrupted`
 */
export async function undoRestore(deps: UndoDependencies, options: UndoOptions = {}): Promise<UndoReport> {
  const found = UndoRecord.newest(deps.records, deps.clock.now());
  if (!found) throw new HoldfastError('undo_nothing');
  using record = found.record;
  const { restore } = found;
  const startedAt = restore.undo?.startedAt ?? deps.clock.now();
  const { target } = restore;
  using walk = openTarget(target);
  if (options.dryRun !== true) {
    record.update((known) => ({ ...known, undo: { startedAt } }));
    // It must not go on with what it has begun.
    ResumeJournal.remove(deps.scratch, restore.journal);
  }
  const undoing = new Undoing(record, restore, walk, startedAt, options);
  const report = await undoing.run();
  if (options.dryRun === true) return report;
  removeMadeTarget(restore);
  syncTarget(target);
  if (!undoing.hasFailed) record.update((known) => ({ ...known, undo: { startedAt, endedAt: deps.clock.now() } }));
  return report;
}

class Undoing {
  readonly #record: UndoRecord;
  readonly #restore: RecordedRestore;
  readonly #walk: FolderWalk;
  readonly #options: UndoOptions;
  /** Of what the restore made. */
  readonly #sides: SideFolders;
  /** Of what it replaced. */
  readonly #before: SideFolders;
  readonly #partial: PartialFiles;
  readonly #notUndone: NotUndone[] = [];
  #notUndoneTotal = 0;
  #putBack = 0;
  #movedAside = 0;
  #hasFailed = false;

  constructor(record: UndoRecord, restore: RecordedRestore, walk: FolderWalk, startedAt: number, options: UndoOptions) {
    this.#record = record;
    this.#restore = restore;
    this.#walk = walk;
    this.#options = options;
    this.#partial = new PartialFiles(walk, restore.journal);
    const sides = { target: restore.target, bases: restore.bases, walk };
    this.#sides = new SideFolders({ ...sides, name: `${NAME} ${localTime(startedAt)}` });
    this.#before = new SideFolders({ ...sides, name: asideNameOf(restore.startedAt) });
  }

  /** True if something was not undone that may be possible another time. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  async run(): Promise<UndoReport> {
    const slice = new TimeSlice();
    for (const changes of [this.#record.innermostFirst(), this.#record.attributesInOrder()]) {
      for (const stored of changes) {
        throwIfInterrupted(this.#options.signal);
        this.#take(stored);
        if (slice.isOver) await slice.yield();
      }
    }
    return {
      ...factsOf(this.#restore),
      putBack: this.#putBack,
      movedAside: this.#movedAside,
      movedTo: this.#options.dryRun === true ? [] : this.#sides.existing,
      notUndone: this.#notUndone,
      notUndoneTotal: this.#notUndoneTotal,
    };
  }

  #take({ id, location, change }: StoredChange): void {
    const names = location.split('/');
    const place = change?.aside?.split('/');
    if (!change || !this.#isValid(names) || (place && !this.#isKeptPlace(place))) {
      this.#name(names, 'invalid');
      this.#mark(id, 2);
      return;
    }
    try {
      this.#mark(id, 1);
      this.#removePartial(names, place);
      if (change.attributes) this.#setAttributes(change, names);
      else if (place) this.#putBackFrom(place, change, names);
      // What should have been replaced, but never was, is as it was.
      else if (change.existed === 0) this.#clear(change, names, this.#statAt(names));
      this.#mark(id, 2);
    } catch (error) {
      const code = systemCodeOf(error);
      if (code === undefined) throw error;
      this.#hasFailed = true;
      this.#name(names, code);
    }
  }

  /** Removes incomplete files beside an entry, and beside its version before. */
  #removePartial(names: readonly string[], place: readonly string[] | undefined): void {
    if (this.#options.dryRun === true) return;
    this.#partial.remove(names.slice(0, -1));
    if (place && this.#partial.remove(place.slice(0, -1))) this.#before.removeEmpty(place.slice(0, -1));
  }

  #putBackFrom(place: readonly string[], change: RecordedChange, names: readonly string[]): void {
    const [now, before] = [this.#statAt(names), this.#statAt(place)];
    if (!before) {
      // Otherwise it was not replaced in the end, or an interrupted undo has put it back.
      if (now && this.#isMade(change, names, now)) this.#name(names, 'gone');
      return;
    }
    if (now && identityOf(now) === identityOf(before)) {
      // The restore has not given away its first name.
      this.#unlink(place);
      return;
    }
    if (now && isUnchangedCopy(before, now) && !this.#isMade(change, names, now)) return;
    if (!this.#clear(change, names, now)) return;
    this.#putBack += 1;
    if (this.#options.dryRun === true) return;
    throwIfInterrupted(this.#options.signal);
    this.#move(place, names);
    this.#before.removeEmpty(place.slice(0, -1));
  }

  /** Takes away what the restore made. Returns false if something else is there, which stays. */
  #clear(change: RecordedChange, names: readonly string[], now: BigIntStats | undefined): boolean {
    if (!now) return true;
    if (change.made === 1 && change.type === 'directory' && now.isDirectory()) {
      // What was in it has been moved already; what else is there belongs to the person.
      if (this.#options.dryRun === true || this.#removeFolder(names)) return true;
      if (change.aside !== null) this.#name(names, 'changed');
      return false;
    }
    if (!this.#isMade(change, names, now)) {
      this.#name(names, 'changed');
      return false;
    }
    this.#movedAside += 1;
    if (this.#options.dryRun !== true) this.#move(names, this.#freePlaceFor(names));
    return true;
  }

  /** Returns whether a file or link is the one that the restore has made, as far as its size and time tell. */
  #isMade(change: RecordedChange, names: readonly string[], now: BigIntStats): boolean {
    if (change.made === 0) return false;
    if (change.type === 'symlink') {
      return now.isSymbolicLink() && this.#linkAt(names).equals(bytesOfSegment(change.target ?? ''));
    }
    if (change.type !== 'file' || !now.isFile() || now.size !== BigInt(change.size ?? 0)) return false;
    if (change.seconds === null) return this.#restore.endedAt === undefined || now.mtimeMs <= this.#restore.endedAt;
    const difference = now.mtimeNs - nanosecondsOf(change.seconds, change.nanoseconds ?? 0);
    return difference > -TIME_GRAIN_NS && difference < TIME_GRAIN_NS;
  }

  #setAttributes({ attributes, mode }: RecordedChange, names: readonly string[]): void {
    const now = this.#statAt(names);
    // A person has chosen others since.
    if (!now || !attributes || Number(now.mode & 0o7777n) !== mode || this.#options.dryRun === true) return;
    if (now.isDirectory()) setFolderMetadata(this.#walk.enter(names), attributes);
    else restoreAttributes(this.#walk.enter(names.slice(0, -1)).pathOf(names.at(-1)!), attributes);
  }

  #move(from: readonly string[], to: readonly string[]): void {
    const folder = this.#walk.enter(from.slice(0, -1)).retain();
    try {
      const target = this.#sides.enter(to.slice(0, -1)).pathOf(to.at(-1)!);
      const path = folder.pathOf(from.at(-1)!);
      // A folder cannot replace anything but an empty folder.
      if (lstatSync(path).isDirectory()) renameSync(path, target);
      else renameExclusiveSync(path, target);
    } finally {
      folder.release();
    }
  }

  #unlink(place: readonly string[]): void {
    if (this.#options.dryRun === true) return;
    unlinkSync(this.#walk.enter(place.slice(0, -1)).pathOf(place.at(-1)!));
    this.#before.removeEmpty(place.slice(0, -1));
  }

  #removeFolder(names: readonly string[]): boolean {
    try {
      rmdirSync(this.#walk.enter(names.slice(0, -1)).pathOf(names.at(-1)!));
      return true;
    } catch (error) {
      const code = systemCodeOf(error);
      if (code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'EBUSY') return false;
      throw error;
    }
  }

  #freePlaceFor(names: readonly string[]): readonly string[] {
    const first = this.#sides.placeOf(names);
    for (let number = 1; ; number += 1) {
      const place = number === 1 ? first : [...first.slice(0, -1), `${first.at(-1)!} ${number}`];
      if (!this.#statAt(place)) return place;
    }
  }

  #statAt(names: readonly string[]): BigIntStats | undefined {
    try {
      const path = this.#walk.enter(names.slice(0, -1)).pathOf(names.at(-1)!);
      return lstatSync(path, { bigint: true });
    } catch (error) {
      const code = systemCodeOf(error);
      if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
      throw error;
    }
  }

  #linkAt(names: readonly string[]): Buffer {
    const path = this.#walk.enter(names.slice(0, -1)).pathOf(names.at(-1)!);
    return readlinkSync(path, { encoding: 'buffer' });
  }

  /** Returns whether the names lead to something inside of a base. */
  #isValid(names: readonly string[]): boolean {
    return names.every((name) => isSafeName(name)) && this.#sides.has(names);
  }

  /** Returns whether the names lead into a side folder of this restore. */
  #isKeptPlace(names: readonly string[]): boolean {
    return names.every((name) => isSafeName(name)) && names.slice(0, -1).includes(asideNameOf(this.#restore.startedAt));
  }

  #name(names: readonly string[], reason: string): void {
    this.#notUndoneTotal += 1;
    if (this.#notUndone.length < MAX_NAMED) {
      this.#notUndone.push({ path: join(this.#restore.target, ...names), reason });
    }
  }

  #mark(id: number, state: 1 | 2): void {
    if (this.#options.dryRun !== true) this.#record.setState(id, state);
  }
}

/** A version that was copied, since it is a link or the file system has no hard links, and that its original still equals. */
function isUnchangedCopy(copy: BigIntStats, now: BigIntStats): boolean {
  const isSameKind = copy.isSymbolicLink() ? now.isSymbolicLink() : copy.isFile() && now.isFile();
  return isSameKind && copy.nlink === 1n && copy.size === now.size && copy.mtimeNs === now.mtimeNs;
}

function factsOf({
  backupSet,
  deviceId,
  restorePoint,
  startedAt,
  target,
}: RecordedRestore): Omit<UndoableRestore, 'replaced' | 'created' | 'isBegun'> {
  return { backupSet, deviceId, restorePoint, startedAt, target };
}

function openTarget(target: string): FolderWalk {
  try {
    // A link that has taken the folder's place leads elsewhere.
    if (!isAbsolute(target) || normalize(target) !== target || realpathSync(target) !== target) throw gone(target);
    return new FolderWalk(Folder.open(target));
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === undefined) throw error;
    throw new HoldfastError('target_unwritable', { target, reason: code }, { cause: error });
  }
}

function gone(target: string): HoldfastError {
  return new HoldfastError('target_unwritable', { target, reason: 'ENOENT' });
}

/** Removes the folders that lead to the places if the restore made them and nothing is in them. */
function removeMadeTarget({ target, deepest }: RecordedRestore): void {
  for (let path = target; path !== deepest && path.startsWith(deepest); path = join(path, '..')) {
    try {
      rmdirSync(path);
    } catch (error) {
      if (systemCodeOf(error) === undefined) throw error;
      return;
    }
  }
}

function syncTarget(target: string): void {
  try {
    syncFileSystemSync(target);
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
  }
}
