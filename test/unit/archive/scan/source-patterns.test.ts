import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entryPathOf } from '../../../../src/os/filesystem/names/entry-path.ts';
import { Exclusion } from '../../../../src/archive/scan/exclusion.ts';
import { isOutside, patternWithin } from '../../../../src/archive/scan/source-patterns.ts';

let top: string;
let source: string;

beforeAll(() => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-patterns-')));
  for (const path of ['src/big', 'src/tmp', 'other', 'twice/twice']) mkdirSync(join(folder, path), { recursive: true });
  mkdirSync(join(folder, 'odd [1]'));
  symlinkSync('src', join(folder, 'link'));
  top = entryPathOf(folder);
  source = `${top}/src`;
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

/** Names in the source that a pattern leaves out as folders. */
function leftOut(pattern: string, root = source): string[] {
  const exclusion = new Exclusion(['*/', pattern].slice(pattern.startsWith('!') ? 0 : 1), [], []);
  const scope = exclusion.enter(exclusion.rootScope(root), root, () => false);
  const names = ['big', 'a/big', 'small'];
  return names.filter((name) => exclusion.excludes(scope, `${root}/${name}`, true) !== undefined);
}

describe('a pattern of a set', () => {
  test.each([
    ['SRC/big', ['big']],
    ['SRC/big/', ['big']],
    ['SRC//./big', ['big']],
    ['SRC/*ig', ['big']],
    ['SRC/**/big', ['big', 'a/big']],
    ['./big', ['big']],
    ['././big/', ['big']],
    ['src/big', ['big']],
    ['src/**', ['big', 'a/big', 'small']],
    ['!SRC/big', ['a/big', 'small']],
    ['!./big', ['a/big', 'small']],
    ['!src/big', ['a/big', 'small']],
    // As gitignore has them.
    ['big', ['big', 'a/big']],
    ['/big', ['big']],
    ['/src/big', []],
    ['a/big', ['a/big']],
    ['other/big', []],
    ['SRCx/big', []],
    ['#SRC/big', []],
    ['\\!SRC/big', []],
  ])('%s leaves out %j', (pattern, names) => {
    expect(leftOut(pattern.replace('SRC', source))).toEqual(names);
  });

  test('may have the path by a link or by what it leads to', () => {
    expect(leftOut(`${source}/big`, `${top}/link`)).toEqual(['big']);
    expect(leftOut(`${top}/link/big`, `${top}/link`)).toEqual(['big']);
  });

  test('may have signs of patterns in the path of its source', () => {
    for (const name of ['odd [1]', String.raw`odd\ \[1\]`]) {
      expect(leftOut(`${top}/${name}/big`, `${top}/odd [1]`)).toEqual(['big']);
    }
  });

  test('keeps its meaning where it can match something', () => {
    expect(patternWithin(`${top}/twice`, 'twice/x')).toBe('twice/x');
    mkdirSync(source + source, { recursive: true });
    expect(patternWithin(source, `${source}/big`)).toBe(`${source}/big`);
    rmSync(`${source}/${source.split('/')[1]}`, { recursive: true });
    mkdirSync(`${source}/~`);
    expect(patternWithin(source, '~/big')).toBe('~/big');
    expect(isOutside('~/big', [source])).toBe(false);
    rmSync(`${source}/~`, { recursive: true });
  });

  test('may begin with the home folder', () => {
    const home = entryPathOf(homedir());
    expect(patternWithin(home, '~/x/y')).toBe('/x/y');
    expect(patternWithin(home, '!~/x')).toBe('!/x');
  });

  test('is counted under the name that was typed', () => {
    const typed = `${source}/big`;
    const exclusion = new Exclusion([typed], [], []);
    const scope = exclusion.enter(exclusion.rootScope(source), source, () => false);
    expect(exclusion.excludes(scope, `${source}/big`, true)).toEqual({ pattern: typed, source: 'set' });
  });

  test('applies to its own source only', () => {
    expect(leftOut(`${source}/big`, `${top}/other`)).toEqual([]);
    expect(leftOut('src/big', `${top}/other`)).toEqual([]);
  });

  test.each([
    'TOP/other/big',
    'TOP/other',
    'SRC',
    'SRC/',
    '!TOP/other/x',
    '~/nowhere-of-the-set',
    './',
    '../x',
    'a/../x',
  ])('%s is outside of the source', (pattern) => {
    expect(isOutside(pattern.replace('TOP', top).replace('SRC', source), [source])).toBe(true);
  });

  test.each([
    'SRC/big',
    'SRC/not there yet',
    './x',
    'src/x',
    'x',
    '/big',
    '/tmp/x',
    '/tmp',
    '/bin/Debug',
    '*.o',
    '',
    '# ../x',
  ])('%s is not outside of it', (pattern) => {
    expect(isOutside(pattern.replace('SRC', source), [source])).toBe(false);
  });

  test('is outside of none if one of several sources has it', () => {
    expect(isOutside(`${source}/big`, [`${top}/other`, source])).toBe(false);
  });

  test.skipIf(process.platform === 'win32')('has no drives here', () => {
    expect(patternWithin('C:/x', 'C:/x/big')).toBe('C:/x/big');
    expect(isOutside('D:/x', [source])).toBe(false);
  });
});
