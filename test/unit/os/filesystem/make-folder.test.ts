import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeFolderSync, makePrivateFolderSync } from '../../../../src/os/filesystem/make-folder.ts';

test('creates missing folders, accepts existing ones, and throws errors', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-make-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const deep = join(folder, 'a/b/c');
  makePrivateFolderSync(deep);
  makePrivateFolderSync(deep);
  expect(statSync(deep).mode & 0o777).toBe(0o700);
  writeFileSync(join(folder, 'file'), '');
  expect(() => makeFolderSync(join(folder, 'file'))).toThrow(/EEXIST/);
  expect(() => makeFolderSync(join(folder, 'file/below'))).toThrow(/ENOTDIR/);
});

test.skipIf(process.platform !== 'linux')('returns when no folder can be created', () => {
  expect(() => makeFolderSync('/proc/holdfast/backups')).toThrow(/ENOENT/);
});
