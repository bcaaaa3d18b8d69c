import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { idIn, volumeIdOf } from '../../../../src/os/filesystem/volume-id.ts';

const SERIAL = [0x78, 0x56, 0x34, 0x12];

/** The head of a file system. */
function head(...parts: readonly (readonly [offset: number, bytes: string | readonly number[]])[]): Buffer {
  const bytes = Buffer.alloc(2048);
  for (const [offset, part] of parts) bytes.set(typeof part === 'string' ? Buffer.from(part) : part, offset);
  return bytes;
}

const made = (program: string): boolean => spawnSync(program, ['-V'], { stdio: 'ignore' }).error === undefined;

describe('the id in a file system', () => {
  test.each([
    ['FAT32', head([0x52, 'FAT32   '], [0x43, SERIAL]), '1234-5678'],
    ['FAT16', head([0x36, 'FAT16   '], [0x27, SERIAL]), '1234-5678'],
    ['exFAT', head([3, 'EXFAT   '], [0x64, SERIAL]), '1234-5678'],
    ['NTFS', head([3, 'NTFS    '], [0x48, [8, 7, 6, 5, 4, 3, 2, 1]]), '0102030405060708'],
    ['nothing', head(), undefined],
  ])('is read as systems list it: %s', (_name, bytes, id) => {
    expect(idIn(bytes)).toBe(id);
  });

  test.skipIf(!made('mkfs.ext4'))('is that of mkfs: ext4', () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-volume-'));
    const image = join(folder, 'image');
    const id = '01234567-89ab-cdef-0123-456789abcdef';
    writeFileSync(image, '');
    truncateSync(image, 2 ** 23);
    expect(spawnSync('mkfs.ext4', ['-q', '-F', '-U', id, image]).status).toBe(0);
    const bytes = Buffer.alloc(2048);
    const file = openSync(image, 'r');
    readSync(file, bytes);
    closeSync(file);
    rmSync(folder, { recursive: true });
    expect(idIn(bytes)).toBe(id);
  });

  test('is not known of what is no disk, and of a disk that is gone', () => {
    expect(volumeIdOf('tmpfs')).toBeUndefined();
    expect(volumeIdOf('server:/export')).toBeUndefined();
    expect(volumeIdOf('/dev/holdfast-no-such-disk')).toBeUndefined();
  });
});
