import { closeSync, fstatSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { reserveSync, syncAloneSync, syncWholeSync } from '../../../src/engine/filesystem/durability.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-durability-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

it('brings a file system to disk by any folder of it, and says what is wrong', () => {
  expect(() => syncWholeSync(folder)).not.toThrow();
  expect(() => syncWholeSync(join(folder, 'none'))).toThrow(expect.objectContaining({ code: 'ENOENT' }));
});

it('reserves room for a file without a change of its size, and refuses what does not fit', () => {
  const file = openSync(join(folder, 'file'), 'wx');
  try {
    reserveSync(file, 2 ** 20);
    expect(fstatSync(file).size).toBe(0);
    writeSync(file, 'data');
    syncAloneSync(file);
    expect(fstatSync(file).size).toBe(4);
    expect(() => reserveSync(file, 2 ** 43)).toThrow(expect.objectContaining({ code: 'ENOSPC' }));
  } finally {
    closeSync(file);
  }
});
