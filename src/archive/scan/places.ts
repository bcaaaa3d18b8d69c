import { hash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, type BigIntStats } from 'node:fs';
import { isWithin, parentOf } from '../../model/entry-path.ts';
import { entryPathOfBytes, fileSystemPath } from '../../os/filesystem/names/entry-path.ts';
import { imageIdOf } from '../../os/filesystem/image-file.ts';
import { mountList } from '../../os/filesystem/mount-list.ts';
import { volumeIdOf, volumeSizeOf } from '../../os/filesystem/volume-id.ts';

/** The mounted tree that an entry is in. */
export interface Place {
  /** Equal for what is in the same tree, mounted at the same depth (`depthOf`). Stored with each entry. */
  readonly number: number;
  /** False if nothing but its address names the file system: another one may be behind it. */
  readonly isProven: boolean;
}

/** Returns how many folders are above what is mounted: 0 for `/`, 2 for `/media/disk`. */
export function depthOf(place: number): number {
  return place % DEPTHS;
}

const DEPTHS = 256;

/** A mount by its entry path. */
interface Mounted {
  readonly path: string;
  readonly type: string;
  readonly source: string;
  /** The path within its file system of the folder that is mounted. */
  readonly root: string;
}

/**
 * Types whose uppermost folder was born with the file system, and keeps that time. Others have no such time, or take that of the mount (exFAT). What
 * is in memory is another file system whenever it is mounted.
 */
const BORN: ReadonlySet<string> = new Set([
  'bcachefs',
  'btrfs',
  'ext2',
  'ext3',
  'ext4',
  'f2fs',
  'ntfs3',
  'overlay',
  'ramfs',
  'tmpfs',
  'xfs',
  'zfs',
]);

const OF_SEVERAL_DISKS: ReadonlySet<string> = new Set(['bcachefs', 'btrfs', 'zfs']);

/** BTRFS_EMPTY_SUBVOL_DIR_OBJECTID of linux/btrfs_tree.h. */
const SUBVOLUME_PLACE = 2n;

/**
 * Tells which mounted tree a folder is in. Numbers of devices say nothing: the next disk gets that of the last one, and one disk gets another number
 * whenever it is connected.
 */
export class Places {
  /** Real entry paths of the sources that links lead to, by the path of the source. */
  readonly #followed: ReadonlyMap<string, string>;
  #mounts: readonly Mounted[] = [];
  #paths: ReadonlySet<string> = new Set();
  /** The folders that have something mounted in them. */
  #parents: ReadonlySet<string> = new Set();

  constructor(followed: ReadonlyMap<string, string> = new Map()) {
    this.#followed = followed;
    this.#refresh();
  }

  /**
   * Returns the place of what is in a folder that was found in another one, and the folder's state. What is mounted on demand is mounted first.
   *
   * @param path entry path
   */
  enter(
    parent: { readonly place: Place; readonly device: bigint },
    path: string,
    stat: BigIntStats,
  ): { readonly place: Place; readonly stat: BigIntStats } {
    const real = this.#realPathOf(path);
    if (stat.dev === parent.device && !this.#paths.has(real)) return { place: parent.place, stat };
    this.#refresh();
    if (this.#mounts.length === 0) {
      return { place: stat.dev === parent.device ? parent.place : placeOf(real, undefined, stat), stat };
    }
    const mount = this.#mountAt(real);
    // Part of a file system with numbers of its own, as of btrfs.
    if (!mount) return { place: parent.place, stat };
    if (mount.type !== 'autofs') return { place: placeOf(real, mount, stat), stat };
    const woken = wake(path) ?? stat;
    this.#refresh();
    return { place: placeOf(real, this.#mountAt(real) ?? mount, woken), stat: woken };
  }

  /**
   * Returns the place of a path now, and of what is in it, whether it exists or not; `undefined` if it cannot be told.
   *
   * @param path entry path
   */
  of(path: string): Place | undefined {
    const real = this.#realPathOf(path);
    this.#refresh();
    try {
      if (this.#mounts.length === 0) return placeByDevice(real);
      const mount = this.#mountAround(real);
      return mount && placeOf(mount.path, mount, statOf(mount.path));
    } catch {
      return undefined;
    }
  }

  /**
   * Returns whether a folder is the place of a btrfs subvolume that is not there. A snapshot has such a place for each subvolume in what it is of, so a
   * rollback leaves them. Nothing can be in them, and no other folder of btrfs has their number.
   *
   * @param path entry path
   */
  lacksSubvolume(path: string, stat: BigIntStats): boolean {
    if (stat.ino !== SUBVOLUME_PLACE || !stat.isDirectory()) return false;
    this.#refresh();
    return this.#mountAround(this.#realPathOf(path))?.type === 'btrfs';
  }

  /** Returns the entry paths of folders in sources at which something is mounted now. */
  mountPointsIn(sources: readonly { readonly path: string; readonly real: string }[]): readonly string[] {
    this.#refresh();
    return sources.flatMap(({ path, real }) => {
      const inside = [...this.#paths].filter((mount) => mount !== real && isWithin(mount, real));
      return inside.map((mount) => path + mount.slice(real.length));
    });
  }

  /** Returns whether something is mounted at a path. @param path entry path */
  isMountPoint(path: string, { number }: Pick<Place, 'number'>): boolean {
    return depthOf(number) === segmentsOf(this.#realPathOf(path));
  }

  /** Returns whether something was mounted at a path which is in another place now. @param path entry path */
  wasMountPoint(path: string, before: number, now: number): boolean {
    return before !== now && this.isMountPoint(path, { number: before });
  }

  /** Returns whether something is mounted directly in a folder, by the list of the last look. @param path entry path */
  hasMountIn(path: string): boolean {
    return this.#parents.has(this.#realPathOf(path));
  }

  #realPathOf(path: string): string {
    for (const [source, real] of this.#followed) {
      if (isWithin(path, source)) return real + path.slice(source.length);
    }
    return path;
  }

  #mountAt(path: string): Mounted | undefined {
    return this.#mounts.findLast((mount) => mount.path === path);
  }

  /** Returns what is mounted at a path, or at the nearest folder above it. */
  #mountAround(path: string): Mounted | undefined {
    let longest: Mounted | undefined;
    // A later mount hides an earlier one at the same path.
    for (const mount of this.#mounts) {
      if (isWithin(path, mount.path) && mount.path.length >= (longest?.path.length ?? 0)) longest = mount;
    }
    return longest;
  }

  #refresh(): void {
    this.#mounts = mountList().map(({ path, root, type, source }) => ({
      path: entryPathOfBytes(path),
      root: root.toString('latin1'),
      type,
      source,
    }));
    this.#paths = new Set(this.#mounts.map(({ path }) => path));
    this.#parents = new Set(this.#mounts.map(({ path }) => parentOf(path) || '/'));
  }
}

function placeOf(path: string, mount: Mounted | undefined, stat: BigIntStats): Place {
  const { name, isProven } = identityOf(path, mount, stat);
  // Volumes of Windows have their own letters: none lies within another.
  const depth = process.platform === 'win32' ? 0 : Math.min(segmentsOf(path), DEPTHS - 1);
  return { number: hash('sha256', name, 'buffer').readUIntBE(0, 5) * DEPTHS + depth, isProven };
}

function identityOf(
  path: string,
  mount: Mounted | undefined,
  { dev, ino, birthtimeNs }: BigIntStats,
): { readonly name: string; readonly isProven: boolean } {
  // The serial number of the volume.
  if (process.platform === 'win32') return { name: `volume ${dev}`, isProven: true };
  if (!mount) return { name: 'unknown', isProven: false };
  const { type, source, root } = mount;
  // Images of one build have the same id, size and times.
  const image = imageIdOf(type, source);
  if (image !== undefined) return { name: `image ${image} ${root}`, isProven: true };
  // What spans several disks has its id at one of them, which is another one after each start.
  const id = OF_SEVERAL_DISKS.has(type) ? undefined : volumeIdOf(source);
  if (BORN.has(type) && birthtimeNs !== 0n) {
    // Disks that were prepared together are born in the same second.
    return { name: `born ${birthtimeNs} ${ino}${id === undefined ? '' : ` with ${id}`}`, isProven: true };
  }
  if (id !== undefined) return { name: `${id} ${root}`, isProven: true };
  // A disk has another number each time that it is connected, and always the same size.
  const size = source.startsWith('/dev/') ? volumeSizeOf(fileSystemPath(path)) : undefined;
  return { name: `${type} ${size ?? source} ${root}`, isProven: false };
}

/** Has a file system mounted that is mounted when somebody looks into its folder. Returns the folder's state then. */
function wake(path: string): BigIntStats | undefined {
  try {
    readdirSync(fileSystemPath(path));
    return statOf(path);
  } catch {
    // Scanning the folder reports why.
    return undefined;
  }
}

/** Where the system has no list of mounts, another device begins another place. */
function placeByDevice(path: string): Place {
  let top = deepestOf(path);
  const stat = statOf(top);
  while (top !== '/' && process.platform !== 'win32') {
    const above = parentOf(top) || '/';
    if (statOf(above).dev !== stat.dev) break;
    top = above;
  }
  return placeOf(top, undefined, stat);
}

/** Returns the path, or the deepest one above it that exists. */
function deepestOf(path: string): string {
  let deepest = path;
  while (deepest !== '' && !existsSync(fileSystemPath(deepest))) deepest = parentOf(deepest);
  return deepest === '' ? '/' : deepest;
}

function statOf(path: string): BigIntStats {
  return lstatSync(fileSystemPath(path), { bigint: true });
}

function segmentsOf(path: string): number {
  return path.split('/').filter((segment) => segment !== '').length;
}
