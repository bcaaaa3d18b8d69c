import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Places } from '../../../../src/archive/scan/places.ts';
import { checkRoot, recheckRoot, type RootState } from '../../../../src/archive/scan/source-check.ts';

describe('a source at the end of a run', () => {
  let folder: string;
  let root: string;
  let before: RootState;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-source-'));
    root = join(folder, 'documents');
    mkdirSync(root);
    writeFileSync(join(root, 'diary'), 'text');
    before = checkRoot({ path: root, real: root }, undefined, { places: new Places(), accepts: false });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Returns the state as a system has it that has given the folder another number or time of birth since. */
  const stateWith = (changes: Partial<RootState['stat']>): RootState => ({
    ...before,
    stat: Object.assign(Object.create(Object.getPrototypeOf(before.stat)), before.stat, changes) as RootState['stat'],
  });

  test('is the same after its contents have changed', () => {
    writeFileSync(join(root, 'letter'), 'text');
    expect(() => recheckRoot(before)).not.toThrow();
  });

  test('is the same with another number, which some file systems give it once it was not in use for a while', () => {
    writeFileSync(join(root, 'letter'), 'text');
    expect(() => recheckRoot(stateWith({ ino: before.stat.ino + 1n }))).not.toThrow();
  });

  test.each([
    ['in its place', undefined],
    ['on another disk', { dev: -1n }],
    ['of a system that knows no times of birth', { ino: -1n, birthtimeNs: 0n }],
  ])('is missing when there is another folder %s', (_name, changes) => {
    renameSync(root, join(folder, 'elsewhere'));
    mkdirSync(root);
    expect(() => recheckRoot(changes ? stateWith(changes) : before)).toThrow('source_missing');
  });

  test('is missing when it is gone', () => {
    rmSync(root, { recursive: true });
    expect(() => recheckRoot(before)).toThrow('source_missing');
  });
});
