/** A file system that a person could store on. */
export interface FoundDisk {
  /** Where it is mounted. */
  readonly path: string;
  /** As its owner or its maker named it. */
  readonly label: string | undefined;
  readonly kind: 'external' | 'internal' | 'network';
  /** Names of the physical disks that it lies on; of a network's share none. */
  readonly disks: readonly string[];
}

/** The file systems of a computer. */
export interface DiskMap {
  readonly found: readonly FoundDisk[];
  /** The physical disks, or else the file system, that an absolute real path lies on; nothing where it cannot be told. */
  disksOf(path: string): readonly string[] | undefined;
}

/** Whether two paths share a disk: if it breaks, what is at both is gone. Nothing where it cannot be told. */
export function shareDisk(map: Pick<DiskMap, 'disksOf'>, one: string, other: string): boolean | undefined {
  const disks = map.disksOf(one);
  const others = map.disksOf(other);
  if (!disks || !others) return undefined;
  return disks.some((disk) => others.includes(disk));
}

/** The longest of the mount points that a path lies at or below. */
export function mountOf<Mount extends { readonly path: string }>(
  mounts: readonly Mount[],
  path: string,
): Mount | undefined {
  let longest: Mount | undefined;
  for (const mount of mounts) {
    const holds = mount.path === '/' || path === mount.path || path.startsWith(`${mount.path}/`);
    // Of two at one place, the later one hides the earlier.
    if (holds && mount.path.length >= (longest?.path.length ?? 0)) longest = mount;
  }
  return longest;
}
