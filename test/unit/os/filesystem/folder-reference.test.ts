import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Folder } from '../../../../src/os/filesystem/folder.ts';
import { closeIn, createFileIn, pathIn, renameExclusiveIn } from '../../../../src/os/filesystem/folder-reference.ts';
import type { FolderReference } from '../../../../src/os/filesystem/folder-reference.ts';

let path: string;
let folder: Folder;
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'holdfast-reference-'));
  folder = Folder.open(path);
});
afterEach(() => {
  folder.release();
  rmSync(path, { recursive: true });
});

/** A name of any bytes, as a segment of an entry path. */
const NO_UTF8 = `\u{10FFFD}${Buffer.from([0x61, 0xff, 0x62]).toString('base64url')}`;

describe.each([
  ['by its handle', () => folder.reference],
  ['by its path', (): FolderReference => ({ path, handle: undefined })],
])('a folder that is reached %s', (_how, reference) => {
  test.each(['plain', 'ä €', NO_UTF8, '.hidden'])('creates the file %j with access for its owner only', (name) => {
    const file = createFileIn(reference(), name);
    writeSync(file, 'data');
    closeIn(reference(), name, file);
    expect(readFileSync(pathIn(reference(), name), 'utf8')).toBe('data');
    expect(lstatSync(pathIn(reference(), name)).mode & 0o777).toBe(0o600);
    renameExclusiveIn(reference(), name, 'renamed');
    expect(readFileSync(join(path, 'renamed'), 'utf8')).toBe('data');
  });

  test('keeps an existing file or link of the same name', () => {
    writeFileSync(join(path, 'old'), 'old');
    writeFileSync(join(path, 'new'), 'new');
    symlinkSync('nowhere', join(path, 'link'));
    expect(() => createFileIn(reference(), 'old')).toThrow(expect.objectContaining({ code: 'EEXIST' }));
    expect(() => createFileIn(reference(), 'link')).toThrow(expect.objectContaining({ code: 'EEXIST' }));
    expect(() => renameExclusiveIn(reference(), 'new', 'old')).toThrow(expect.objectContaining({ code: 'EEXIST' }));
    expect(readFileSync(join(path, 'old'), 'utf8')).toBe('old');
  });

  test('throws system errors', () => {
    mkdirSync(join(path, 'folder'));
    const long = 'x'.repeat(256);
    expect(() => createFileIn(reference(), long)).toThrow(expect.objectContaining({ code: 'ENAMETOOLONG' }));
    expect(() => renameExclusiveIn(reference(), 'none', 'b')).toThrow(expect.objectContaining({ code: 'ENOENT' }));
    expect(() => createFileIn(reference(), 'a\0b')).toThrow(expect.objectContaining({ code: 'ERR_INVALID_ARG_VALUE' }));
  });
});
