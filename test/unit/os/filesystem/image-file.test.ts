import { mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { imageIdOf } from '../../../../src/os/filesystem/image-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-image-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('an image is another one once its file is replaced or changed, and stays the same under another name', () => {
  const image = (name: string, content: string): string => {
    const file = join(folder, name);
    writeFileSync(file, content);
    utimesSync(file, 1_700_000_000, 1_700_000_000);
    return file;
  };
  const first = image('first', 'image');
  const id = imageIdOf('fuse.squashfuse', first);
  expect(id).toBeTypeOf('string');
  expect(imageIdOf('fuse.squashfuse', image('second', 'image'))).not.toBe(id);
  renameSync(first, join(folder, 'moved'));
  expect(imageIdOf('fuse.squashfuse', join(folder, 'moved'))).toBe(id);
  utimesSync(join(folder, 'moved'), 1_700_000_001, 1_700_000_001);
  expect(imageIdOf('fuse.squashfuse', join(folder, 'moved'))).not.toBe(id);
});

test('what is no image, or has no file, has no id', () => {
  writeFileSync(join(folder, 'disk'), '');
  expect(imageIdOf('ext4', join(folder, 'disk'))).toBeUndefined();
  expect(imageIdOf('squashfs', '/dev/loop-none')).toBeUndefined();
  expect(imageIdOf('squashfs', join(folder, 'none'))).toBeUndefined();
  expect(imageIdOf('iso9660', folder)).toBeUndefined();
});
