import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configuredSetOf, type NewSet } from '../../../../src/agent/sets/new-set.ts';
import { ownFoldersWithin } from '../../../../src/agent/sets/own-folders.ts';

let root: string;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-set-')));
  for (const folder of ['a', 'a/inner', 'ab', 'own', 'own/inner']) mkdirSync(join(root, folder));
  writeFileSync(join(root, 'file'), '');
  symlinkSync(join(root, 'own'), join(root, 'link-to-own'));
  symlinkSync('a', join(root, 'link-to-a'));
  symlinkSync('nowhere', join(root, 'link-to-nothing'));
  symlinkSync('../file', join(root, 'ab/link'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const request = (change: Partial<NewSet>): NewSet => ({
  name: 'documents',
  roots: [join(root, 'a')],
  excludes: [],
  oneFileSystem: false,
  privateNames: false,
  ...change,
});
const paths = (...names: string[]): Partial<NewSet> => ({ roots: names.map((name) => join(root, name)) });

describe('a new set', () => {
  test('has what was requested, with absolute paths', () => {
    const asked = request({
      ...paths('a', 'ab', 'file'),
      excludes: ['*.o'],
      presets: ['developer'],
      schedule: 'hourly',
    });
    expect(configuredSetOf(asked, [])).toEqual({
      name: 'documents',
      roots: [join(root, 'a'), join(root, 'ab'), join(root, 'file')],
      excludes: ['*.o'],
      presets: ['developer'],
      oneFileSystem: false,
      privateNames: false,
      schedule: 'hourly',
    });
  });

  test('has links as they are, which each run follows, also one that leads nowhere now', () => {
    expect(configuredSetOf(request(paths('link-to-a', 'link-to-nothing')), []).roots).toEqual([
      join(root, 'link-to-a'),
      join(root, 'link-to-nothing'),
    ]);
  });

  test('has the target of a link that one of its folders has already', () => {
    expect(configuredSetOf(request(paths('ab', 'ab/link')), []).roots).toEqual([join(root, 'ab'), join(root, 'file')]);
  });

  test('may do without a folder inside of one of its folders', () => {
    const asked = request({ optionalRoots: [join(root, 'a/inner'), join(root, 'ab')] });
    expect(configuredSetOf(asked, []).optionalRoots).toEqual([join(root, 'a/inner')]);
  });

  test.skipIf(process.platform === 'linux')('has the names of the disk, in whatever case they were given', () => {
    const given = join(root, 'A', 'INNER');
    const other = given[0]!.toLowerCase() + given.slice(1);
    for (const path of [given, other]) {
      expect(configuredSetOf(request({ roots: [path] }), []).roots).toEqual([join(root, 'a', 'inner')]);
    }
  });

  test('keeps a previous folder that is missing now', () => {
    const gone = join(root, 'disk that is not connected');
    expect(configuredSetOf(request({ roots: [gone] }), [], { roots: [gone], excludes: [] }).roots).toEqual([gone]);
  });

  test.each(['inner', './inner', 'a/inner', '/inner', 'ROOT/a/inner', '!ROOT/a/inner', 'ROOT/a/not there yet'])(
    'keeps the pattern %s as it was typed',
    (typed) => {
      const excludes = [typed.replace('ROOT', root)];
      expect(configuredSetOf(request({ excludes }), []).excludes).toEqual(excludes);
    },
  );

  test.each(['ROOT/ab', 'ROOT/ab/x', 'ROOT/a', '!ROOT/ab', '~/nowhere', '../ab'])(
    'is refused with the pattern %s, which is in none of its paths, unless it has it already',
    (typed) => {
      const pattern = typed.replace('ROOT', root);
      const asked = request({ excludes: ['inner', pattern] });
      const details = { problem: 'exclusion-outside', pattern, root: join(root, 'a') };
      expect(() => configuredSetOf(asked, [])).toThrow(expect.objectContaining({ code: 'usage', details }) as Error);
      expect(configuredSetOf(asked, [], { roots: [], excludes: [pattern] }).excludes).toContain(pattern);
    },
  );

  test('has the presets of this system by default', () => {
    expect(configuredSetOf(request({}), []).presets.length).toBeGreaterThan(0);
    expect(configuredSetOf(request({ presets: [] }), []).presets).toEqual([]);
  });

  const refused: readonly (readonly [
    name: string,
    change: () => Partial<NewSet>,
    code: string,
    problem: string | undefined,
  ])[] = [
    ['no name', () => ({ name: '' }), 'usage', 'set-name'],
    ['a name with a space at its end', () => ({ name: 'documents ' }), 'usage', 'set-name'],
    ['a name with a line end', () => ({ name: 'docu\nments' }), 'usage', 'set-name'],
    ['a name of 101 characters', () => ({ name: 'x'.repeat(101) }), 'usage', 'set-name'],
    ['no path', () => ({ roots: [] }), 'usage', 'set-without-paths'],
    ['a path that is not there', () => paths('missing'), 'source_missing', undefined],
    ['a path below a file', () => paths('file/below'), 'source_missing', undefined],
    ['a path inside another', () => paths('a/inner', 'a'), 'usage', 'nested-paths'],
    ['a path twice', () => paths('a', 'a'), 'usage', 'nested-paths'],
    ['an own folder', () => paths('own'), 'usage', 'inside-own-folder'],
    ['a path within an own folder', () => paths('own/inner'), 'usage', 'inside-own-folder'],
    ['one folder by two ways', () => paths('a/inner', 'link-to-a'), 'usage', 'nested-paths'],
    ['a way around to an own folder', () => paths('link-to-own/inner'), 'usage', 'inside-own-folder'],
    ['an unknown preset', () => ({ presets: ['nonsense'] }), 'usage', 'preset'],
    ['an unknown schedule', () => ({ schedule: 'sometimes' }), 'usage', 'schedule'],
  ];

  test.each(refused)('%s is refused', (_name, change, code, problem) => {
    const details = problem === undefined ? expect.anything() : expect.objectContaining({ problem });
    expect(() => configuredSetOf(request(change()), [join(root, 'own')])).toThrow(
      expect.objectContaining({ code, details }),
    );
  });

  test('may contain an own folder, which is reported', () => {
    const own = [join(root, 'own'), join(root, 'elsewhere')];
    const set = configuredSetOf(request({ roots: [root] }), [join(root, 'own')]);
    expect(ownFoldersWithin(set.roots, own)).toEqual([join(root, 'own'), join(root, 'elsewhere')]);
    expect(ownFoldersWithin([join(root, 'a')], own)).toEqual([]);
  });

  test('names an own folder by the path on which a scan meets it', () => {
    const around = join(root, 'link-to-own');
    expect(ownFoldersWithin([join(around, 'inner')], [join(root, 'own/inner/store')])).toEqual([
      join(around, 'inner/store'),
    ]);
    expect(ownFoldersWithin([join(root, 'own')], [join(around, 'inner')])).toEqual([join(root, 'own/inner')]);
  });
});
