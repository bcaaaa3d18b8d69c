import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';

/** Types that a program writes once, as an image. Their files keep the times that were asked for, and many have no id. */
const IMAGE_TYPES: ReadonlySet<string> = new Set([
  'cramfs',
  'erofs',
  'fuse.erofsfuse',
  'fuse.fuseiso',
  'fuse.squashfuse',
  'fuse.squashfuse_ll',
  'iso9660',
  'romfs',
  'squashfs',
]);

/**
 * Returns what tells the file of a mounted image from the next one in its place: its inode, size and time. `undefined` if what is mounted is no
 * image, or no file that can be found.
 *
 * @param type such as `squashfs`
 * @param source device or file
 */
export function imageIdOf(type: string, source: string): string | undefined {
  if (!IMAGE_TYPES.has(type)) return undefined;
  try {
    const file = source.startsWith('/dev/loop') ? backingFileOf(source) : source;
    const stat = statSync(file, { bigint: true });
    return stat.isFile() ? `${stat.ino} ${stat.size} ${stat.mtimeNs}` : undefined;
  } catch {
    return undefined;
  }
}

/** @throws the system error */
function backingFileOf(device: string): string {
  return readFileSync(`/sys/block/${basename(device)}/loop/backing_file`, 'utf8').replace(/\n$/, '');
}
