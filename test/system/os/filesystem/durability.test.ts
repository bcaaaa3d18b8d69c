import { execFileSync } from 'node:child_process';
import { closeSync, fstatSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reserveSync, syncFileSync, syncFileSystemSync } from '../../../../src/os/filesystem/durability.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-durability-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('syncs a file system by any of its folders, and throws errors', () => {
  expect(() => syncFileSystemSync(folder)).not.toThrow();
  expect(() => syncFileSystemSync(join(folder, 'none'))).toThrow(expect.objectContaining({ code: 'ENOENT' }));
});

test('reserves space for a file without changing its size', () => {
  const file = openSync(join(folder, 'file'), 'wx');
  try {
    reserveSync(file, 2 ** 20);
    expect(fstatSync(file).size).toBe(0);
    writeSync(file, 'data');
    syncFileSync(file);
    expect(fstatSync(file).size).toBe(4);
  } finally {
    closeSync(file);
  }
});

// On a separate disk: before it fails, the kernel would fill a real one and take the space from other processes.
const canMount = process.platform === 'linux' && process.getuid?.() === 0;
test.skipIf(!canMount)('throws when the space is not available', () => {
  const disk = join(folder, 'disk');
  mkdirSync(disk);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk]);
  try {
    const file = openSync(join(disk, 'file'), 'wx');
    try {
      expect(() => reserveSync(file, 2 ** 20)).toThrow(expect.objectContaining({ code: 'ENOSPC' }));
    } finally {
      closeSync(file);
    }
  } finally {
    execFileSync('umount', [disk]);
  }
});
