import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { compareFile } from '../../../../src/restore/drill/compare-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-compare-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const sha256 = (data: string): string => createHash('sha256').update(data).digest('hex');
const PROVEN = {
  size: 6,
  chunks: [
    { digest: sha256('abcd'), length: 4 },
    { digest: sha256('ef'), length: 2 },
  ],
};

describe('a restored file', () => {
  test.each([
    ['abcdef', { kind: 'same', sha256: sha256('abcdef') }],
    ['abcdeX', { kind: 'different', what: 'content' }],
    ['Xbcdef', { kind: 'different', what: 'content' }],
    ['abcde', { kind: 'different', what: 'size' }],
    ['abcdefg', { kind: 'different', what: 'size' }],
    ['', { kind: 'different', what: 'size' }],
  ])('with the content %j is judged by its bytes', (content, expected) => {
    writeFileSync(join(folder, 'file'), content);
    expect(compareFile(join(folder, 'file'), PROVEN)).toEqual(expected);
  });

  test('that is missing, or a link in its place, is not the same', () => {
    expect(compareFile(join(folder, 'file'), PROVEN)).toEqual({ kind: 'unreadable', code: 'ENOENT' });
    writeFileSync(join(folder, 'other'), 'abcdef');
    symlinkSync('other', join(folder, 'file'));
    expect(compareFile(join(folder, 'file'), PROVEN)).toEqual({ kind: 'unreadable', code: 'ELOOP' });
  });
});
