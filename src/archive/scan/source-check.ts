import { lstatSync, readFileSync, readlinkSync, realpathSync, statSync, type BigIntStats } from 'node:fs';
import { HoldfastError, systemCodeOf } from '../../base/errors/errors.ts';
import type { KnownRoot } from '../../catalog/entries/entries.ts';
import { FILE, type KnownEntry } from '../../catalog/entries/entry.ts';
import { entryPathOf, entryPathOfBytes, fileSystemPath } from '../../os/filesystem/names/entry-path.ts';
import { hasSameSignature, packedStat } from '../../os/filesystem/stat-record.ts';
import type { KnownContent } from './known-content.ts';
import { depthOf, type Place, type Places } from './places.ts';
import { readDirectorySync } from './read-directory.ts';

/** The current state of a root. */
export interface RootState extends KnownRoot {
  /** The status of the folder or file to which the root leads. */
  readonly stat: BigIntStats;
  readonly place: Place;
}

/** What the newest backups have of a root. */
export interface KnownSource {
  readonly entry: KnownEntry;
  readonly content: KnownContent;
  /** Whether files that were seen in this place are known of it, and it has none any more. */
  readonly hasLostFiles: (place: number) => boolean;
}

/**
 * Returns where a root leads, whatever links are on the way.
 *
 * @param path entry path
 * @throws HoldfastError `source_missing`, `source_unreadable`
 */
export function realSourceOf(path: string): string {
  try {
    const place = fileSystemPath(path);
    // Its real path is another one on a drive of the network, which may be asleep.
    if (process.platform === 'win32') {
      return lstatSync(place).isSymbolicLink() ? entryPathOf(realpathSync.native(place)) : path;
    }
    return entryPathOfBytes(realpathSync.native(place, { encoding: 'buffer' }));
  } catch (error) {
    throw rootError(error, path);
  }
}

/**
 * Refuses a root whose content would look deleted although nobody deleted it.
 *
 * @param real where it leads
 * @param known what the newest backups have of it
 * @param accepts whether a person has said that what is there now is all there is
 * @throws HoldfastError `source_missing`, `source_unreadable`, and unless it is accepted `source_not_mounted`, `source_empty`
 */
export function checkRoot(
  { path, real }: KnownRoot,
  known: KnownSource | undefined,
  { places, accepts }: { readonly places: Places; readonly accepts: boolean },
): RootState {
  const stat = statRoot(path);
  const names = stat.isDirectory() ? namesIn(path) : [];
  const place = places.of(path);
  if (!place) throw new HoldfastError('source_unreadable', { path, problem: 'EIO' });
  if (accepts) return { path, real, stat, place };
  const isMountPoint = stat.isDirectory() && places.isMountPoint(path, place);
  // Something was mounted on the file itself, and this is the one below.
  const isFileBelow = ({ kind, place: before, stat: seen }: KnownEntry): boolean =>
    kind === FILE && places.wasMountPoint(path, before, place.number) && !hasSameSignature(seen, packedStat(stat));
  const isUnmounted =
    known !== undefined &&
    (stat.isDirectory() ? isNotMounted(known, path, { place, isMountPoint, names }) : isFileBelow(known.entry));
  if (isUnmounted || (!isMountPoint && names.length === 0 && isListedForMounting(real))) {
    throw new HoldfastError('source_not_mounted', { path });
  }
  const isEmptied = known !== undefined && (names.length === 0 || known.hasLostFiles(place.number));
  const before = isEmptied ? known.content.count(known.entry) : 0;
  if (before > 0) {
    throw new HoldfastError('source_empty', { path, before, directory: stat.isDirectory() });
  }
  return { path, real, stat, place };
}

/** Returns whether a folder was in something that is no longer mounted, or whose address has nothing of it any more. */
function isNotMounted(
  { entry, content }: KnownSource,
  path: string,
  now: { readonly place: Place; readonly isMountPoint: boolean; readonly names: readonly string[] },
): boolean {
  if (depthOf(entry.place) > depthOf(now.place.number)) return !content.isAllIn(entry, path);
  return now.isMountPoint && !now.place.isProven && now.names.length > 0 && content.isNoneOf(entry, now.names);
}

/**
 * Refuses a root that disappeared during the run.
 *
 * @throws HoldfastError `source_missing`, `source_not_mounted`
 */
export function recheckRoot({ path, real, place, stat: before }: RootState): void {
  const now = statRoot(path);
  // A file may be replaced by its next version at any time. A folder that was replaced is not the source.
  if (!before.isDirectory() || isSameFolder(before, now)) return;
  const isMountPoint = depthOf(place.number) === real.split('/').filter(Boolean).length;
  throw new HoldfastError(isMountPoint ? 'source_not_mounted' : 'source_missing', { path, problem: 'replaced' });
}

/**
 * Some file systems number a folder anew once nobody has used it for a while: FAT, and overlays of two disks. The time of its birth stays; it is 0
 * where there is none.
 */
export function isSameFolder(before: BigIntStats, now: BigIntStats): boolean {
  if (now.dev !== before.dev) return false;
  return now.ino === before.ino || (now.birthtimeNs !== 0n && now.birthtimeNs === before.birthtimeNs);
}

function statRoot(path: string): BigIntStats {
  try {
    return statSync(fileSystemPath(path), { bigint: true });
  } catch (error) {
    throw rootError(error, path);
  }
}

function namesIn(path: string): readonly string[] {
  try {
    return readDirectorySync(path);
  } catch (error) {
    throw rootError(error, path);
  }
}

function rootError(cause: unknown, path: string): HoldfastError {
  const code = systemCodeOf(cause);
  if (code !== 'ENOENT' && code !== 'ENOTDIR') {
    return new HoldfastError('source_unreadable', { path, problem: code }, { cause });
  }
  const target = linkTargetOf(path);
  const details = target === undefined ? { path, problem: code } : { path, problem: 'link' as const, target };
  return new HoldfastError('source_missing', details, { cause });
}

/** Returns what a link says; `undefined` if there is no link. @param path entry path */
export function linkTargetOf(path: string): string | undefined {
  try {
    return readlinkSync(fileSystemPath(path));
  } catch {
    return undefined;
  }
}

/** Returns whether /etc/fstab lists the folder as a mount point. */
function isListedForMounting(path: string): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return readFileSync('/etc/fstab', 'utf8')
      .split('\n')
      .filter((line) => !line.startsWith('#'))
      .some((line) => line.split(/\s+/)[1]?.replaceAll('\\040', ' ') === path);
  } catch {
    return false;
  }
}
