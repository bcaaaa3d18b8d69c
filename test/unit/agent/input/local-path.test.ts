import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { destinationFolder, expandedHome, localPath, meantAddress } from '../../../../src/agent/input/local-path.ts';

const isWindows = process.platform === 'win32';

/** What each text is refused with: the form that was probably meant. */
const REFUSED: readonly (readonly [text: string, meant: string | undefined])[] = [
  ['s3:s3.example.org/bucket/x', 's3://bucket/x --endpoint https://s3.example.org'],
  ['s3:https://s3.example.org/bucket', 's3://bucket --endpoint https://s3.example.org'],
  ['s3:bucket', 's3://bucket'],
  ['sftp:anna@nas:/backups', 'sftp://anna@nas/backups'],
  ['sftp:nas:backups', 'sftp://nas/~/backups'],
  ['anna@nas:/b', 'sftp://anna@nas/b'],
  ['anna@nas:b', 'sftp://anna@nas/~/b'],
  ['nas:/b', 'sftp://nas/b'],
  ['gdrive:b', 'rclone:gdrive:b'],
  ['b2:bucket:x', 'rclone:b2:bucket/x'],
  ['rest:http://nas:8000/', '--server http://nas:8000/'],
  ['webdavs://cloud.example.org/dav', 'davs://cloud.example.org/dav'],
  ['file:///mnt/disk', '/mnt/disk'],
  ['gs://bucket', undefined],
  ['backups', './backups'],
  ['backups/here', './backups/here'],
  ['', undefined],
  [' ', undefined],
  ['~bob/backups', undefined],
];

describe('a folder as destination', () => {
  test.each(REFUSED)('%o is refused, and %o is meant', (text, meant) => {
    const details = { problem: 'local-path', path: text, meant };
    expect(() => destinationFolder(text)).toThrow(expect.objectContaining({ code: 'usage', details }));
  });

  test.skipIf(isWindows).each(['C:/x', 'C:\\x', '\\\\server\\share'])('%o is none outside of Windows', (text) => {
    expect(() => destinationFolder(text)).toThrow(expect.objectContaining({ code: 'usage' }));
    expect(meantAddress(text)).toBeUndefined();
  });

  test.each([
    ['/mnt/disk', resolve('/mnt/disk')],
    ['./backups', resolve('backups')],
    ['../backups', resolve('../backups')],
    ['.', resolve('.')],
    ['~', homedir()],
    ['~/backups', join(homedir(), 'backups')],
    ['/mnt/a:b', resolve('/mnt/a:b')],
  ])('%o is %o', (text, path) => {
    expect(destinationFolder(text)).toBe(path);
  });
});

describe('a path of this computer', () => {
  test.each([
    ['~/x', join(homedir(), 'x')],
    ['~', homedir()],
    ['x', resolve('x')],
    ['a~b', resolve('a~b')],
    ['./~', resolve('./~')],
  ])('%o is %o', (text, path) => {
    expect(localPath(text)).toBe(path);
  });

  test.each(['s3://bucket/x', 'https://example.org', 'sftp://nas/b', '~bob/x', '', '  '])('%o is none', (text) => {
    expect(() => localPath(text)).toThrow(expect.objectContaining({ code: 'usage' }));
  });

  test('has its home expanded once', () => {
    expect([expandedHome('~/~/x'), expandedHome('/~/x')]).toEqual([`${homedir()}/~/x`, '/~/x']);
  });
});
