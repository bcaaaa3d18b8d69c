import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ownImage } from '../../../../src/main/system/own-image.ts';
import { hasDigest, replaceImage } from '../../../../src/main/updates/replace-image.ts';

const NEXT = 'the next version';
const SHA512 = createHash('sha512').update(NEXT).digest('base64');

let folder: string;
let image: string;
let download: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-image-'));
  mkdirSync(join(folder, 'Applications'));
  image = join(folder, 'Applications/Holdfast-1.0.0.AppImage');
  download = join(folder, 'next');
  writeFileSync(image, 'this version', { mode: 0o755 });
  writeFileSync(download, NEXT, { mode: 0o600 });
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('an AppImage', () => {
  test('is replaced under its name, with its rights', async () => {
    await replaceImage(download, image, SHA512);
    expect([readFileSync(image, 'utf8'), statSync(image).mode & 0o777]).toEqual([NEXT, 0o755]);
    expect(readdirSync(join(folder, 'Applications'))).toEqual(['Holdfast-1.0.0.AppImage']);
  });

  test('is replaced where a link leads to', async () => {
    const link = join(folder, 'holdfast');
    symlinkSync(image, link);
    await replaceImage(download, link, SHA512);
    expect([readFileSync(image, 'utf8'), readFileSync(link, 'utf8')]).toEqual([NEXT, NEXT]);
  });

  test.each([
    ['another file', (file: string) => writeFileSync(file, 'stolen'), { kind: 'damaged' }],
    ['a missing one', (file: string) => rmSync(file), { code: 'ENOENT' }],
    [
      'a folder',
      (file: string) => {
        rmSync(file);
        mkdirSync(file);
      },
      { code: 'EISDIR' },
    ],
  ])('stays as it is instead of becoming %s', async (_name, swap, error) => {
    swap(download);
    await expect(replaceImage(download, image, SHA512)).rejects.toMatchObject(error);
    expect([readFileSync(image, 'utf8'), readdirSync(join(folder, 'Applications'))]).toEqual([
      'this version',
      ['Holdfast-1.0.0.AppImage'],
    ]);
  });

  test('that is gone is not created again', async () => {
    rmSync(image);
    await expect(replaceImage(download, image, SHA512)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(readdirSync(join(folder, 'Applications'))).toEqual([]);
  });
});

test('the digest of a file is compared', async () => {
  expect([await hasDigest(download, SHA512), await hasDigest(image, SHA512)]).toEqual([true, false]);
});

describe('the AppImage of a process', () => {
  test('is the one whose folder contains the program', () => {
    const mount = join(folder, 'mount');
    mkdirSync(mount);
    const program = join(mount, 'holdfast-app');
    writeFileSync(program, '');
    expect(ownImage({ APPIMAGE: image, APPDIR: mount }, program)).toBe(image);
    symlinkSync(mount, join(folder, 'link'));
    expect(ownImage({ APPIMAGE: image, APPDIR: join(folder, 'link') }, program)).toBe(image);
  });

  test.each([
    ['another AppImage has started it', { APPDIR: '/tmp/.mount_terminal' }],
    ['there is no folder', {}],
    ['the folder only begins alike', { APPDIR: '/mount/hold' }],
    ['the name is no path', { APPIMAGE: 'Holdfast.AppImage', APPDIR: '/mount/holdfast' }],
  ])('is none if %s', (_name, environment) => {
    expect(ownImage({ APPIMAGE: image, ...environment }, '/mount/holdfast/holdfast-app')).toBeUndefined();
  });
});
