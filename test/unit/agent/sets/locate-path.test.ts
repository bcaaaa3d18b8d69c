import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { locatePath } from '../../../../src/agent/sets/locate-path.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-locate-')));
  mkdirSync(join(folder, 'home/documents/letters'), { recursive: true });
  writeFileSync(join(folder, 'home/documents/letters/one'), '');
  symlinkSync(join(folder, 'home/documents'), join(folder, 'link'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (...names: readonly string[]): string => join(folder, ...names);

describe('the set of a path', () => {
  test('is the one with the nearest folder', () => {
    const sets = [
      { name: 'home', roots: [at('home')] },
      { name: 'other', roots: [at('elsewhere')] },
      { name: 'documents', roots: [at('home/documents')] },
    ];
    const path = at('home/documents/letters/one');
    const found = { set: 'documents', root: at('home/documents'), path, isFolder: false };
    expect(locatePath(sets, path)).toEqual(found);
    expect(locatePath(sets, at('home/gone'))).toEqual({
      set: 'home',
      root: at('home'),
      path: at('home/gone'),
      isFolder: false,
    });
    expect(locatePath(sets, at('home'))).toMatchObject({ set: 'home', isFolder: true });
    expect(locatePath(sets, at('homes'))).toBeUndefined();
    expect(locatePath([], path)).toBeUndefined();
  });

  test.skipIf(process.platform === 'linux')('is found by a path in another case', () => {
    const sets = [{ name: 'documents', roots: [at('home/documents')] }];
    const path = at('home/documents/letters/one');
    expect(locatePath(sets, at('HOME/Documents/letters/ONE'))).toMatchObject({ set: 'documents', path });
    expect(locatePath(sets, path[0]!.toLowerCase() + path.slice(1))).toMatchObject({ set: 'documents', path });
  });

  test('is found through a link to one of its folders', () => {
    const sets = [{ name: 'documents', roots: [at('home/documents')] }];
    expect(locatePath(sets, at('link/letters/one'))).toMatchObject({ path: at('home/documents/letters/one') });
    // The link itself is in no set.
    expect(locatePath(sets, at('link'))).toBeUndefined();
  });
});
