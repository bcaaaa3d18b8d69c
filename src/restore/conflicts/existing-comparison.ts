import { type BigIntStats, lstatSync, readlinkSync } from 'node:fs';
import { identityOf } from '../../os/filesystem/file-identity.ts';
import type { Folder } from '../../os/filesystem/folder.ts';
import { nanosecondsOf, isTimeAsSet } from '../../os/filesystem/times.ts';
import type { PlannedEntry } from '../record/planned-entry.ts';
import type { TargetLocation } from '../plan/target-layout.ts';
import type { ContentComparison } from './content-comparison.ts';
import type { Existing } from './decision.ts';
import type { PathChoices } from './request-paths.ts';
import type { ResumeJournal } from '../record/resume-journal.ts';
import { systemCodeOf } from '../../base/errors/errors.ts';
import { bytesOfSegment } from '../../os/filesystem/names/entry-path.ts';

/** What exists at the target of an entry. */
export interface Found extends Existing {
  readonly isNewer: boolean;
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
  /** Identifies the file if it has no other name. */
  readonly file: string | undefined;
}

interface Input {
  readonly journal: ResumeJournal;
  readonly choices: PathChoices;
  readonly content: ContentComparison;
  readonly inPlace: boolean;
}

/** Finds what exists at the targets of entries and compares it with them. */
export class ExistingComparison {
  readonly #input: Input;

  constructor(input: Input) {
    this.#input = input;
  }

  /** Finds out what size, time and type tell. */
  find(entry: PlannedEntry, folder: Folder, name: string): Found | undefined {
    const path = folder.pathOf(name);
    const stat = statIfPossible(path);
    if (!stat) return undefined;
    const type = typeOf(stat);
    const same = type === entry.type && hasSameStat(entry, stat, path);
    // All names of a file may meet in it.
    const file = stat.nlink === 1n ? identityOf(stat) : undefined;
    const isNewer = entry.seconds !== null && stat.mtimeNs > nanosecondsOf(entry.seconds, entry.nanoseconds);
    const ours = this.#input.journal.madeHere(entry.path, same);
    return { type, same, isNewer, ours, file, size: Number(stat.size), modified: Number(stat.mtimeMs) };
  }

  /** Compares the content too, where it matters. */
  async compare(entry: PlannedEntry, existing: Found, path: string | Buffer, location: TargetLocation): Promise<Found> {
    const { inPlace, journal } = this.#input;
    const compared = await this.#compareContent(entry, existing, path, location);
    return inPlace ? { ...compared, ours: journal.madeHere(entry.path, this.isSame(compared)) } : compared;
  }

  /** Returns whether something is its entry: in the original place, whatever its time. */
  isSame({ hasContent, same }: Found): boolean {
    return this.#input.inPlace ? (hasContent ?? same) : same;
  }

  /** Returns whether something of an interrupted run is the entry. It may not have got its time. */
  async isComplete(entry: PlannedEntry, stat: BigIntStats, path: string | Buffer): Promise<boolean> {
    if (entry.type === 'directory' || hasSameStat(entry, stat, path)) return true;
    if (entry.type === 'symlink') return hasSameLink(entry, path);
    return Number(stat.size) === entry.size && (await this.#input.content.isSame(entry, path));
  }

  /**
   * Outside the original place, compares content only where `keep-both` would omit what merely seems to exist already, and where a file of
   * an interrupted run has another time than its entry.
   */
  async #compareContent(
    entry: PlannedEntry,
    existing: Found,
    path: string | Buffer,
    { folder, name }: TargetLocation,
  ): Promise<Found> {
    const { choices, content, inPlace } = this.#input;
    const { type, ours, same, size } = existing;
    if (entry.type !== type) return existing;
    if (type === 'symlink') return inPlace || ours ? { ...existing, hasContent: hasSameLink(entry, path) } : existing;
    if (type !== 'file') return existing;
    if (inPlace) {
      const hasContent = await content.isSameOrSource(entry, path, [...folder, name].join('/'));
      return { ...existing, hasContent };
    }
    if (ours) {
      return same ? existing : { ...existing, hasContent: size === entry.size && (await content.isSame(entry, path)) };
    }
    if (choices.of(entry.path) !== 'keep-both' || !same) return existing;
    return { ...existing, same: await content.isSame(entry, path) };
  }
}

export function statIfPossible(path: string | Buffer): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    // Writing to it will fail too, and report why.
    if (systemCodeOf(error) === undefined) throw error;
    return undefined;
  }
}

export function typeOf(stat: BigIntStats): Existing['type'] {
  if (stat.isFile()) return 'file';
  if (stat.isDirectory()) return 'directory';
  return stat.isSymbolicLink() ? 'symlink' : 'other';
}

/** Returns whether modification time (as exactly as the file system stores it) and size (or link target) are those of the entry. */
export function hasSameStat(entry: PlannedEntry, stat: BigIntStats, path: string | Buffer): boolean {
  const { seconds, nanoseconds } = entry;
  if (seconds !== null && !isTimeAsSet(stat.mtimeNs, nanosecondsOf(seconds, nanoseconds))) return false;
  return entry.type === 'symlink' ? hasSameLink(entry, path) : stat.size === BigInt(entry.size);
}

export function hasSameLink(entry: PlannedEntry, path: string | Buffer): boolean {
  return readlinkSync(path, { encoding: 'buffer' }).equals(bytesOfSegment(entry.target ?? ''));
}

/** Returns whether the file system does not take a name of this length. */
export function isTooLong(path: string | Buffer): boolean {
  try {
    lstatSync(path);
    return false;
  } catch (error) {
    return systemCodeOf(error) === 'ENAMETOOLONG';
  }
}

/** An entry whose target has something else. */
export interface MetEntry {
  /** Entry path. */
  readonly path: string;
  /**
   * `newer`: what exists was modified after the version that is restored; `same-time`: size and time are those of that version;
   * `other-type`: a folder, file or link has the place of another
   */
  readonly kind: 'changed' | 'newer' | 'same-time' | 'other-type';
  readonly type: PlannedEntry['type'];
  readonly size: number;
  /** Milliseconds since the epoch; missing if it is not known. */
  readonly modified?: number;
  readonly there: {
    readonly type: Existing['type'];
    readonly size: number;
    /** Milliseconds since the epoch. */
    readonly modified: number;
  };
}

/** Conflicts that a plan describes. */
export const MAX_MET = 20_000;

interface Met extends Pick<Existing, 'type' | 'same'> {
  readonly isNewer: boolean;
  readonly size: number;
  readonly modified: number;
}

export function metEntry(
  { path, type, size, seconds, nanoseconds }: PlannedEntry,
  { type: typeThere, same, isNewer, size: sizeThere, modified }: Met,
): MetEntry {
  const there = { type: typeThere, size: sizeThere, modified };
  const kind = typeThere !== type ? 'other-type' : same ? 'same-time' : isNewer ? 'newer' : 'changed';
  const time = seconds === null ? {} : { modified: seconds * 1000 + Math.floor(nanoseconds / 1e6) };
  return { path, kind, type, size, ...time, there };
}
