/** A file system that backups could be stored on. */
export interface FoundDisk {
  /** The mount point. */
  readonly path: string;
  /** The name given by its owner or manufacturer. */
  readonly label: string | undefined;
  readonly kind: 'external' | 'internal' | 'network';
  /** Names of its physical disks; empty for a network share. */
  readonly disks: readonly string[];
}

/** The file systems of a computer. */
export interface DiskMap {
  readonly found: readonly FoundDisk[];
  /** Returns the physical disks, or else the file system, of an absolute real path; `undefined` if unknown. */
  disksOf(path: string): readonly string[] | undefined;
}

/** Returns whether two paths are on the same disk, and so are lost together; `undefined` if unknown. */
export function shareDisk(map: Pick<DiskMap, 'disksOf'>, one: string, other: string): boolean | undefined {
  const disks = map.disksOf(one);
  const others = map.disksOf(other);
  if (!disks || !others) return undefined;
  return disks.some((disk) => others.includes(disk));
}
