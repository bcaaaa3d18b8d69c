import { describe, expect, test } from 'vitest';
import { decide, type Existing } from '../../../../src/restore/conflicts/decision.ts';

const file: Existing = { type: 'file', same: false, ours: false };
const sameFile: Existing = { type: 'file', same: true, ours: false };
const ourFile: Existing = { type: 'file', same: true, ours: true };
const halfOurs: Existing = { type: 'file', same: false, ours: true };
const folder: Existing = { type: 'directory', same: false, ours: false };
const ourFolder: Existing = { type: 'directory', same: false, ours: true };
const link: Existing = { type: 'symlink', same: false, ours: false };

describe('decide', () => {
  test.each([
    ['file', undefined, undefined, 'create', false],
    ['file', file, undefined, 'skip', true],
    ['file', sameFile, undefined, 'skip', true],
    ['file', ourFile, undefined, 'done', false],
    ['file', ourFile, 'overwrite', 'done', false],
    ['file', halfOurs, 'overwrite', 'replace', true],
    ['file', file, 'skip', 'skip', true],
    ['file', file, 'overwrite', 'replace', true],
    ['file', sameFile, 'overwrite', 'replace', true],
    ['file', file, 'keep-both', 'rename', true],
    ['file', sameFile, 'keep-both', 'skip', true],
    ['file', link, 'overwrite', 'replace', true],
    ['file', folder, 'skip', 'skip', true],
    ['file', folder, 'overwrite', 'blocked', true],
    ['file', folder, 'keep-both', 'rename', true],
    ['symlink', folder, 'overwrite', 'blocked', true],
    ['symlink', ourFile, 'skip', 'done', false],
    ['directory', undefined, undefined, 'create', false],
    ['directory', folder, undefined, 'use', false],
    ['directory', folder, 'overwrite', 'use', false],
    ['directory', folder, 'keep-both', 'use', false],
    ['directory', ourFolder, 'skip', 'done', false],
    ['directory', file, 'skip', 'skip', true],
    ['directory', file, 'overwrite', 'replace', true],
    ['directory', link, 'keep-both', 'rename', true],
  ] as const)('%s over %o, %s: %s', (type, existing, choice, action, conflict) => {
    expect(decide(type, existing, choice)).toEqual({ action, conflict });
  });
});
