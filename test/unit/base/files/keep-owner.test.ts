import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { giveFolderToSync } from '../../../../src/base/files/keep-owner.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-owner-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a link that somebody puts in the place of a new folder is not followed', () => {
  const owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  mkdirSync(join(folder, 'foreign'));
  symlinkSync('foreign', join(folder, 'new'));
  expect(() => giveFolderToSync(join(folder, 'new'), owner)).toThrow(/ELOOP|ENOTDIR/);
  expect(() => giveFolderToSync(join(folder, 'foreign'), owner)).not.toThrow();
});
