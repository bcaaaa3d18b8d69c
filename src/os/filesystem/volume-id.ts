import {
  closeSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  statfsSync,
  type PathLike,
} from 'node:fs';
import { basename } from 'node:path';

const IDS = '/dev/disk/by-uuid';

/** Bytes from the start of a disk that have the ids of all of these file systems. */
const HEAD_BYTES = 2048;

/**
 * Returns the id in a file system on a disk, which stays when the disk is connected elsewhere or the computer starts anew: as the system lists it, or else as it
 * stands on the disk, which root may read. `undefined` if neither is known.
 *
 * @param device such as `/dev/sdb1`
 */
export function volumeIdOf(device: string): string | undefined {
  if (!device.startsWith('/dev/')) return undefined;
  return listedIdOf(device) ?? idIn(headOf(device));
}

function listedIdOf(device: string): string | undefined {
  try {
    const name = basename(realpathSync(device));
    return readdirSync(IDS).find((id) => basename(readlinkSync(`${IDS}/${id}`)) === name);
  } catch {
    return undefined;
  }
}

function headOf(device: string): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  try {
    const file = openSync(device, 'r');
    try {
      readSync(file, head, { length: HEAD_BYTES });
    } finally {
      closeSync(file);
    }
  } catch {
    // Most people may not read disks.
  }
  return head;
}

/** Returns the id in the first bytes of a file system of the kinds that cards, sticks and disks have, in the form that systems list it in. */
export function idIn(head: Buffer): string | undefined {
  const has = (text: string, offset: number): boolean => head.toString('latin1', offset, offset + text.length) === text;
  if (has('EXFAT   ', 3)) return serialIn(head, 0x64);
  if (has('NTFS    ', 3)) return head.readBigUInt64LE(0x48).toString(16).toUpperCase().padStart(16, '0');
  if (has('FAT32   ', 0x52)) return serialIn(head, 0x43);
  if (has('FAT', 0x36)) return serialIn(head, 0x27);
  if (has('XFSB', 0)) return uuidIn(head.subarray(0x20, 0x30));
  // ext2, ext3 and ext4.
  if (head.readUInt16LE(0x438) === 0xef53) return uuidIn(head.subarray(0x468, 0x478));
  return undefined;
}

function serialIn(head: Buffer, offset: number): string {
  const digits = head.readUInt32LE(offset).toString(16).toUpperCase().padStart(8, '0');
  return `${digits.slice(0, 4)}-${digits.slice(4)}`;
}

function uuidIn(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Returns the bytes of a file system, which stay as well, though disks may be alike; `undefined` if they cannot be told. @param path a folder in it */
export function volumeSizeOf(path: PathLike): bigint | undefined {
  try {
    const { blocks, bsize } = statfsSync(path, { bigint: true });
    return blocks * bsize;
  } catch {
    return undefined;
  }
}
