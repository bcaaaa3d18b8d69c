import { lstatSync, readlinkSync, renameSync, rmdirSync, unlinkSync, type BigIntStats } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { HoldfastError, systemCodeOf } from '../../base/errors/errors.ts';
import type { Keys } from '../../format/crypto/keys.ts';
import { isSafeName } from '../../os/filesystem/names/entry-name.ts';
import { bytesOfSegment } from '../../os/filesystem/names/entry-path.ts';
import { identityOf } from '../../os/filesystem/file-identity.ts';
import type { FolderWalk } from '../../os/filesystem/folder-walk.ts';
import { renameExclusiveSync } from '../../os/filesystem/rename.ts';
import { isTimeAsSet, nanosecondsOf } from '../../os/filesystem/times.ts';
import { throwIfInterrupted } from '../../jobs/interruption.ts';
import { localTime } from '../plan/target-names.ts';
import { TimeSlice } from '../../read/time-slice.ts';
import { isPassing } from '../write/metadata.ts';
import { asideNameOf } from '../write/moved-aside.ts';
import { SideFolders, statAt } from '../write/side-folders.ts';
import { PartialFiles } from './partial-files.ts';
import { RecordSeal } from '../record/record-seal.ts';
import type { NotUndone, UndoableRestore, UndoReport } from './undo-report.ts';
import type { RecordedChange, RecordedRestore } from '../record/recorded-forms.ts';
import type { RecordedChanges, StoredChange } from '../record/recorded-changes.ts';
import { RestoreRecord, type FoundRecord } from '../record/restore-record.ts';
import { setBefore, withoutNewRights } from './undo-attributes.ts';
import { openTarget, removeMadeTarget, syncTarget } from './undo-target.ts';

const NAME = 'Before undo';

/** The number of entries that a report names at most. */
const MAX_NAMED = 1000;

export interface UndoDependencies {
  /** The folder with the records. */
  readonly records: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly keys: Pick<Keys, 'undo'>;
}

export interface UndoOptions {
  readonly dryRun?: boolean;
  /** What cannot be undone now is not tried again. */
  readonly givesUp?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Returns the newest restore to the original places that can be undone; none if its record is not of this home. */
export function undoableRestore(deps: UndoDependencies): UndoableRestore | undefined {
  const found = newestRecord(deps);
  if (!found) return undefined;
  using record = found.record;
  if (!found.isProven) return undefined;
  return { ...factsOf(found.restore), ...record.changes.counts(), isBegun: found.restore.undo !== undefined };
}

/**
 * Undoes the newest restore to the original places: what it replaced comes back, and what it made moves to a folder beside. Nothing
 * is deleted. What was changed since stays, and is named. An interrupted undo goes on when it is called again, and so does one that
 * missed something that may be possible then.
 *
 * @throws HoldfastError `undo_nothing`, `undo_untrusted` if the newest record is not of this home, `target_unwritable` if the folder is gone, `interrupted`
 */
export async function undoRestore(deps: UndoDependencies, options: UndoOptions = {}): Promise<UndoReport> {
  const found = newestRecord(deps);
  if (!found) throw new HoldfastError('undo_nothing');
  using record = found.record;
  if (!found.isProven) throw new HoldfastError('undo_untrusted', { file: record.file });
  const { restore } = found;
  const startedAt = restore.undo?.startedAt ?? deps.clock.now();
  const { target } = restore;
  using walk = openTarget(target);
  // From now on it cannot be continued.
  if (options.dryRun !== true) record.update((known) => ({ ...known, undo: { startedAt } }));
  const undoing = new Undoing(record, restore, walk, startedAt, options);
  const report = await undoing.run();
  if (options.dryRun === true) return report;
  removeMadeTarget(restore);
  syncTarget(target);
  if (!undoing.hasFailed || options.givesUp === true)
    record.update((known) => ({ ...known, undo: { startedAt, endedAt: deps.clock.now() } }));
  return report;
}

function newestRecord({ records, clock, keys }: UndoDependencies): FoundRecord | undefined {
  return RestoreRecord.newest({ folder: records, seal: new RecordSeal(keys.undo), isUndoable: true }, clock.now());
}

/** The place of an entry that the restore replaced or moved: the names on its path, and the status of what is there now. */
interface Place {
  readonly change: RecordedChange;
  readonly names: readonly string[];
  readonly now: BigIntStats | undefined;
}

class Undoing {
  readonly #changes: RecordedChanges;
  readonly #restore: RecordedRestore;
  readonly #walk: FolderWalk;
  readonly #options: UndoOptions;
  /** The side folders to which files are moved that the restore made. */
  readonly #sides: SideFolders;
  /** The side folders with the files that it replaced. */
  readonly #before: SideFolders;
  readonly #partial: PartialFiles;
  readonly #notUndone: NotUndone[] = [];
  #notUndoneTotal = 0;
  #putBack = 0;
  #movedAside = 0;
  #hasFailed = false;

  constructor(
    { changes }: RestoreRecord,
    restore: RecordedRestore,
    walk: FolderWalk,
    startedAt: number,
    options: UndoOptions,
  ) {
    this.#changes = changes;
    this.#restore = restore;
    this.#walk = walk;
    this.#options = options;
    this.#partial = new PartialFiles(walk, restore.id);
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
    for (const changes of [this.#changes.innermostFirst(), this.#changes.attributesInOrder()]) {
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

  #take({ location, change }: StoredChange): void {
    const names = location.split('/');
    const kept = (change?.asides ?? []).map((place) => place.split('/'));
    if (!change || !this.#isValid(names) || !kept.every((place) => this.#isKeptPlace(place))) {
      this.#name(names, 'invalid');
      this.#mark(location, 2);
      return;
    }
    try {
      this.#mark(location, 1);
      this.#removePartial(names, kept);
      const isDone = this.#undo(change, names, kept);
      this.#hasFailed ||= !isDone;
      this.#mark(location, isDone ? 2 : 0);
    } catch (error) {
      const code = systemCodeOf(error);
      if (code === undefined) throw error;
      this.#hasFailed = true;
      this.#name(names, code);
    }
  }

  /** @returns false if another try may undo it */
  #undo(change: RecordedChange, names: readonly string[], kept: readonly (readonly string[])[]): boolean {
    if (kept.length > 0) return this.#putBackFrom(kept, change, names);
    if (change.attributes && change.made === 0) return this.#setAttributes(change, names);
    // What should have been replaced, but never was, is as it was.
    if (change.existed === 0) this.#clear(change, names, statAt(this.#walk, names));
    return true;
  }

  /** Removes incomplete files beside an entry, and beside its versions before. */
  #removePartial(names: readonly string[], kept: readonly (readonly string[])[]): void {
    if (this.#options.dryRun === true) return;
    this.#partial.remove(names.slice(0, -1));
    for (const folder of kept.map((place) => place.slice(0, -1))) {
      if (this.#partial.remove(folder)) this.#before.removeEmpty(folder);
    }
  }

  /**
   * Puts the newest version back that was there before the restored one, and names the others.
   *
   * @param places of all that were kept, newest first
   * @returns false if it is gone: its folder may be moved back
   */
  #putBackFrom(places: readonly (readonly string[])[], change: RecordedChange, names: readonly string[]): boolean {
    const now = statAt(this.#walk, names);
    const versions = places.map((place) => ({ place, stat: statAt(this.#walk, place) }));
    // An interrupted run may have restored it before.
    const newest =
      versions.find(({ place, stat }) => !(stat && versions.length > 1 && this.#isMade(change, place, stat))) ??
      versions[0]!;
    for (const { place, stat } of versions) if (stat && place !== newest.place) this.#name(place, 'older');
    if (newest.stat) {
      this.#putBackVersion(newest.place, newest.stat, { change, names, now });
      return true;
    }
    // It was not replaced in the end, or an interrupted undo has put it back.
    const isNewSince = now && Number(now.birthtimeMs) >= this.#restore.startedAt;
    if (now && !this.#isMade(change, names, now) && (change.state === 1 || !isNewSince)) return true;
    this.#name(names, 'gone');
    return false;
  }

  #putBackVersion(place: readonly string[], before: BigIntStats, { change, names, now }: Place): void {
    if (now && identityOf(now) === identityOf(before)) {
      // The restore has not given away its first name.
      this.#unlink(place);
      return;
    }
    if (now && this.#isUnchangedCopy(place, before, names, now) && !this.#isMade(change, names, now)) {
      if (before.isSymbolicLink()) this.#unlink(place);
      return;
    }
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
      if (change.asides.length > 0) this.#name(names, 'changed');
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
    return isTimeAsSet(now.mtimeNs, nanosecondsOf(change.seconds, change.nanoseconds ?? 0));
  }

  /** A version that was copied, since it is a link or the file system has no hard links, and that its original still equals. */
  #isUnchangedCopy(place: readonly string[], copy: BigIntStats, names: readonly string[], now: BigIntStats): boolean {
    if (copy.isSymbolicLink()) return now.isSymbolicLink() && this.#linkAt(place).equals(this.#linkAt(names));
    return copy.isFile() && now.isFile() && copy.nlink === 1n && copy.size === now.size && copy.mtimeNs === now.mtimeNs;
  }

  /** Returns false if another try may set what could not be set. */
  #setAttributes({ attributes, mode }: RecordedChange, names: readonly string[]): boolean {
    const now = statAt(this.#walk, names);
    if (!now || !attributes) return true;
    // A person has chosen another since: it is neither the one of the restore nor the one before, which stays if that could not be set.
    if (![mode, attributes.mode].includes(Number(now.mode & 0o7777n))) return true;
    const parent = lstatSync(this.#walk.enter(names.slice(0, -1)).self, { bigint: true });
    const allowed = withoutNewRights(attributes, now, parent);
    if (allowed.mode !== attributes.mode || allowed.owner !== attributes.owner) this.#name(names, 'attributes');
    if (this.#options.dryRun === true) return true;
    const losses = setBefore(this.#walk, names, allowed, attributes.file);
    if (losses.length > 0) this.#name(names, 'unset');
    return !losses.some(isPassing);
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
    unlinkSync(this.#walk.pathOf(place));
    this.#before.removeEmpty(place.slice(0, -1));
  }

  #removeFolder(names: readonly string[]): boolean {
    try {
      rmdirSync(this.#walk.pathOf(names));
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
      if (!statAt(this.#walk, place)) return place;
    }
  }

  #linkAt(names: readonly string[]): Buffer {
    return readlinkSync(this.#walk.pathOf(names), { encoding: 'buffer' });
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

  #mark(location: string, state: 0 | 1 | 2): void {
    if (this.#options.dryRun !== true) this.#changes.setState(location, state);
  }
}

function factsOf({
  backupSet,
  deviceId,
  restorePoint,
  startedAt,
  target,
}: RecordedRestore): Omit<UndoableRestore, 'replaced' | 'moved' | 'created' | 'isBegun'> {
  return { backupSet, deviceId, restorePoint, startedAt, target };
}
