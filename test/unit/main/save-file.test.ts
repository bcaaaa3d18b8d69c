import { linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { saveFile } from '../../../src/main/shell/save-file.ts';

let folder: string;
let kit: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-kit-'));
  kit = join(folder, 'kit.pdf');
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a saved file takes the place of an earlier one as a whole, for its owner only', () => {
  saveFile(kit, 'first');
  // Whoever writes into the file that is there changes it under its other name, too.
  linkSync(kit, join(folder, 'other name'));
  expect(saveFile(kit, Buffer.from('second'))).toEqual({ path: kit });
  expect([readFileSync(kit, 'utf8'), readFileSync(join(folder, 'other name'), 'utf8')]).toEqual(['second', 'first']);
  expect(readdirSync(folder).toSorted()).toEqual(['kit.pdf', 'other name']);
  if (process.platform !== 'win32') expect(statSync(kit).mode & 0o777).toBe(0o600);
});

test('a place that cannot be written to is named', () => {
  mkdirSync(kit);
  expect(() => saveFile(kit, 'kit')).toThrow(
    expect.objectContaining({ code: 'target_unwritable', details: expect.objectContaining({ target: kit }) }),
  );
});
