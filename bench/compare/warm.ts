import { spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';

const GIBIBYTE = 1024 ** 3;

/** Bytes that a command may write per byte of data, including its catalog and caches. */
const WRITTEN_FACTOR = 1.3;

/** Reserved for the programs and the page cache. */
const MEMORY_LEFT = 4 * GIBIBYTE;

const DISK_LEFT = GIBIBYTE;

const ZEROS = Buffer.alloc(8 * 1024 * 1024);

export interface Room {
  /** Bytes of memory that are free or used only by the page cache. */
  readonly memory: number;
  /** Free bytes of the file system. */
  readonly disk: number;
}

/** Returns the size of the warm-up file: as much as a command writes, but small enough to keep the source cached. */
export function warmBytes(dataBytes: number, { memory, disk }: Room): number {
  const inMemory = memory - dataBytes - MEMORY_LEFT;
  return Math.max(0, Math.floor(Math.min(dataBytes * WRITTEN_FACTOR, inMemory, disk - DISK_LEFT)));
}

/**
 * Brings the machine into the same state before each measured command: no pending writes, the source in the
 * page cache, and resident free memory. A virtual machine may return free memory to its host, and
 * the first touch of each page then costs more than most of what is measured here.
 *
 * @param source the folder that is backed up, of `dataBytes`
 * @param place a folder on the file system that the command writes to
 */
export function warm(source: string, dataBytes: number, place: string): void {
  spawnSync('sync');
  spawnSync('sh', ['-c', 'find "$1" -type f -exec cat {} + > /dev/null', 'sh', source]);
  const { bavail, bsize } = statfsSync(place);
  touchMemory(join(place, 'throw-away'), warmBytes(dataBytes, { memory: freemem(), disk: bavail * bsize }));
  spawnSync('sync');
}

function touchMemory(path: string, bytes: number): void {
  const file = openSync(path, 'wx');
  try {
    for (let left = bytes; left > 0;) left -= writeSync(file, ZEROS, 0, Math.min(left, ZEROS.length));
  } finally {
    closeSync(file);
    rmSync(path);
  }
}
