import { readFileSync } from 'node:fs';
import { systemCodeOf } from '../../base/errors/errors.ts';

/** A mounted file system, or a part of one. */
export interface Mount {
  /** The same for all mounts of one file system. */
  readonly device: string;
  /** Path of what is mounted, within the file system. */
  readonly root: Buffer;
  readonly path: Buffer;
}

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
    const [, , device, root, path] = line.split(' ');
    return device && root && path ? [{ device, root: unescape(root), path: unescape(path) }] : [];
  });
}

/** Space, tab, line feed and backslash are octal there. */
function unescape(path: string): Buffer {
  const bytes = path.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCodePoint(Number.parseInt(octal, 8)));
  return Buffer.from(bytes, 'latin1');
}
