import { readFileSync } from 'node:fs';
import { systemCodeOf } from '../../base/errors/errors.ts';
import { isInside } from '../../model/local-path.ts';

/** A mounted file system, or a part of one. */
export interface Mount {
  /** The same for all mounts of one file system. */
  readonly device: string;
  /** Path of what is mounted, within the file system. */
  readonly root: Buffer;
  readonly path: Buffer;
  readonly isReadOnly: boolean;
  /** Such as `ext4`, `nfs4` and `fuse.sshfs`. */
  readonly type: string;
  /** Path of the device, address of the share, or another name by the file system. */
  readonly source: string;
}

/** A mount whose paths are UTF-8, or are shown only. */
export interface MountWithText extends Omit<Mount, 'root' | 'path'> {
  readonly root: string;
  readonly path: string;
}

/** Types of file systems that are elsewhere. */
export const NETWORK_TYPES: ReadonlySet<string> = new Set([
  'nfs',
  'nfs4',
  'cifs',
  'smb3',
  'smbfs',
  '9p',
  'ceph',
  'afs',
  'davfs',
  'fuse.sshfs',
  'fuse.davfs2',
  'fuse.rclone',
  'fuse.glusterfs',
]);

/** Returns the mounts that this process sees, later ones last (proc(5), mountinfo); none where the system has no such list. */
export function mountList(): readonly Mount[] {
  try {
    return mountsIn(readFileSync('/proc/self/mountinfo', 'latin1'));
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return [];
  }
}

/** @param list of mountinfo, a character for each byte */
export function mountsIn(list: string): readonly Mount[] {
  return list.split('\n').flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ');
    const [, , device, root, path, options] = before.split(' ');
    const [type, source] = after.split(' ');
    if (!device || !root || !path || !options || !type || source === undefined) return [];
    const isReadOnly = options.split(',').includes('ro');
    const named = { root: unescape(root), path: unescape(path), source: unescape(source).toString() };
    return [{ device, isReadOnly, type, ...named }];
  });
}

/** Returns a mount with its paths as text. */
export function mountWithText(mount: Mount): MountWithText {
  return { ...mount, root: mount.root.toString(), path: mount.path.toString() };
}

/** Returns the mount with the longest path that contains a path. */
export function mountOf<Mounted extends { readonly path: string }>(
  mounts: readonly Mounted[],
  path: string,
): Mounted | undefined {
  let longest: Mounted | undefined;
  for (const mount of mounts) {
    // A later mount hides an earlier one at the same path.
    if (isInside(path, mount.path) && mount.path.length >= (longest?.path.length ?? 0)) longest = mount;
  }
  return longest;
}

/**
 * Returns the kind of file system that a path is on, if a program or a network stands between it and a disk: `rclone`, `sshfs`, `nfs4`.
 */
export function foreignFileSystemOf(path: string, mounts: readonly Mount[] = mountList()): string | undefined {
  const type = mountOf(mounts.map(mountWithText), path)?.type;
  if (type === undefined) return undefined;
  return NETWORK_TYPES.has(type) || type.startsWith(FUSE) || type === 'fuse' ? type.replace(FUSE, '') : undefined;
}

/** Disks whose driver is a program have the type `fuseblk`. */
const FUSE = 'fuse.';

/** Space, tab, line feed and backslash are octal there. */
function unescape(path: string): Buffer {
  const bytes = path.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCodePoint(Number.parseInt(octal, 8)));
  return Buffer.from(bytes, 'latin1');
}
