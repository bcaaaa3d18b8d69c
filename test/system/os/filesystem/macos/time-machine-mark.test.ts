import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TimeMachineMark } from '../../../../../src/os/filesystem/macos/time-machine-mark.ts';
import { nativeFileSystem } from '../../../../../src/os/filesystem/native.ts';

/** Linux has only names that begin like this. */
const NAME = 'user.holdfast-excludeItem';
const native = nativeFileSystem();

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-mark-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function python(script: string, ...words: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('python3', ['-c', script, ...words], { encoding: 'utf8' });
  expect(`${status} ${stderr}`).toBe('0 ');
  return stdout.trim();
}

describe.skipIf(!native || process.platform !== 'linux')('the mark of Time Machine', () => {
  const mark = (): TimeMachineMark => new TimeMachineMark(native!, NAME);
  const put = (path: string, value: string): string =>
    python(`import os,sys,plistlib;os.setxattr(sys.argv[1],'${NAME}',${value})`, path);

  test('is a binary property list with the name of its program', () => {
    const path = join(folder, 'file');
    writeFileSync(path, 'x');
    mark().set(path);
    expect(mark().isOn(path)).toBe(true);
    expect(python(`import os,sys,plistlib;print(plistlib.loads(os.getxattr(sys.argv[1],'${NAME}')))`, path)).toBe(
      'com.apple.backupd',
    );
    const ours = python(`import os,sys;print(os.getxattr(sys.argv[1],'${NAME}').hex())`, path);
    const theirs = python(`import plistlib;print(plistlib.dumps('com.apple.backupd',fmt=plistlib.FMT_BINARY).hex())`);
    expect(ours).toBe(theirs);
  });

  test('is found at files and folders that another program has marked', () => {
    const path = join(folder, 'Caches');
    mkdirSync(path);
    expect(mark().isOn(path)).toBe(false);
    put(path, `plistlib.dumps('com.apple.backupd',fmt=plistlib.FMT_BINARY)`);
    expect(mark().isOn(path)).toBe(true);
    expect(mark().isOn(folder)).toBe(false);
  });

  test('is no other value, no longer one, and nothing behind a link', () => {
    const path = join(folder, 'file');
    writeFileSync(path, 'x');
    put(path, `plistlib.dumps('com.example',fmt=plistlib.FMT_BINARY)`);
    expect(mark().isOn(path)).toBe(false);
    put(path, `b'com.apple.backupd' * 100`);
    expect(mark().isOn(path)).toBe(false);
    put(path, `b'com.apple.backupd'`);
    symlinkSync(path, join(folder, 'link'));
    expect(mark().isOn(join(folder, 'link'))).toBe(false);
    expect(mark().isOn(join(folder, 'gone'))).toBe(false);
  });

  test('cannot be set on what is gone, and nothing else happens', () => {
    mark().set(join(folder, 'gone'));
    expect(() => readFileSync(join(folder, 'gone'))).toThrow('ENOENT');
  });
});
