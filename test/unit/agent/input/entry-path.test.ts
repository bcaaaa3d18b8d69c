import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { givenEntryPath } from '../../../../src/agent/input/entry-path.ts';

let folder: string;
const before = process.cwd();
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-entry-'))).replaceAll('\\', '/');
  mkdirSync(join(folder, 'Documents'));
  process.chdir(folder);
});
afterEach(() => {
  process.chdir(before);
  rmSync(folder, { recursive: true });
});

test('a path is the one that ls shows, or relative to the working directory', () => {
  expect(givenEntryPath('/home/anna/a.txt')).toBe('/home/anna/a.txt');
  expect(givenEntryPath('/home/anna/')).toBe('/home/anna');
  expect(givenEntryPath('/')).toBe('');
  expect(givenEntryPath('Documents/a.txt')).toBe(`${folder}/Documents/a.txt`);
});

describe.skipIf(process.platform !== 'win32')('a path of Windows', () => {
  test('has slashes, and the letter of its drive in upper case', () => {
    expect(givenEntryPath('c:\\Users\\Anna\\a.txt')).toBe('C:/Users/Anna/a.txt');
    expect(givenEntryPath('C:/Users/Anna/')).toBe('C:/Users/Anna');
  });

  test('has the names of the disk if it is relative', () => {
    expect(givenEntryPath('DOCUMENTS\\a.txt')).toBe(`${folder}/Documents/a.txt`);
  });
});
