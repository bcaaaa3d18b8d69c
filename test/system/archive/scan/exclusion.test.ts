import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Folder } from '../../../../src/os/filesystem/folder.ts';
import { markSideFolder, SIDE_MARKER } from '../../../../src/os/filesystem/names/side-folder.ts';
import { Exclusion, IGNORE_FILE, type ExclusionScope } from '../../../../src/archive/scan/exclusion.ts';
import { defaultPresets, isPresetOf } from '../../../../src/archive/scan/presets/presets.ts';

/** The rules in a source. */
function scopeIn(exclusion: Exclusion, root: string): ExclusionScope {
  return exclusion.enter(exclusion.rootScope(root), root);
}

describe('exclusion patterns of a set with the root', () => {
  test.each([
    ['a folder', '/home/anna', '/home/anna/'],
    ['the whole of a file system', '/', '/'],
    ['a drive', 'C:/', 'C:/'],
  ])('%s are held against names from there on', (_name, root, prefix) => {
    const exclusion = new Exclusion(['/tmp/', 'cache', '/a/b'], [], []);
    const scope = scopeIn(exclusion, root);
    const isLeftOut = (path: string, isDirectory = false): boolean =>
      exclusion.excludes(scope, prefix + path, isDirectory) !== undefined;
    expect(['tmp', 'cache', 'x/cache', 'a/b'].map((path) => isLeftOut(path, true))).toEqual([true, true, true, true]);
    // Names that end like a pattern, and names of one character.
    expect(['atmp', 'x/tmp', 'icache', 'x', 'xa/b'].map((path) => isLeftOut(path, true))).toEqual(Array(5).fill(false));
    expect(isLeftOut('x')).toBe(false);
  });
});

test.each(['C:', 'C:/Users', 'C:/Users/anna'])('the preset of Windows leaves out temporary files below %s', (root) => {
  const homes = { has: (path: string) => path === 'C:/Users/anna' };
  const exclusion = new Exclusion([], ['windows'], [], { platform: 'win32', homes });
  const from = root === 'C:' ? 'C:/' : root;
  const ruleOf = (path: string): string | undefined => {
    let scope = exclusion.rootScope(from);
    const between = path.split('/').map((_name, index, names) => names.slice(0, index).join('/'));
    for (const folder of [from, ...between.filter((one) => one.length > root.length)]) {
      scope = exclusion.enter(scope, folder, () => false);
    }
    return exclusion.excludes(scope, path, true)?.source;
  };
  for (const name of ['Temp', 'Microsoft/Windows/INetCache'])
    expect(ruleOf(`C:/Users/anna/AppData/Local/${name}`)).toBe('preset:windows');
  expect(ruleOf('C:/Users/anna/AppData/Local/Mail')).toBeUndefined();
  if (root === 'C:') expect(ruleOf('C:/old/AppData/Local/Temp')).toBeUndefined();
});

describe('incomplete files of a restore', () => {
  const exclusion = new Exclusion(['!*'], [], []);
  const rule = (name: string, isDirectory = false) =>
    exclusion.excludes(scopeIn(exclusion, '/home'), `/home/docs/${name}`, isDirectory);

  test.each(['.holdfast-partial-0123456789abcdef-7', '.holdfast-partial-0123456789abcdef-probe'])(
    '%s is left out',
    (name) => {
      expect(rule(name)).toEqual({ pattern: '.holdfast-partial-*', source: 'holdfast' });
      expect(rule(name, true)).toBeUndefined();
    },
  );

  test.each([
    '.holdfast-partial-notes',
    '.holdfast-partial-0123456789abcdef-',
    '.holdfast-partial-0123456789abcdef-7.txt',
    '.holdfast-partial-0123456789ABCDEF-7',
    'x.holdfast-partial-0123456789abcdef-7',
  ])('%s is a file of the person', (name) => {
    expect(rule(name)).toBeUndefined();
  });
});

describe('what a restore has moved aside', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'holdfast-aside-'));
  });
  afterEach(() => rmSync(home, { recursive: true }));

  const exclusion = new Exclusion(['!*'], [], []);
  const ruleOf = (name: string) => exclusion.excludes(scopeIn(exclusion, home), join(home, name), true);
  function folder(name: string): string {
    mkdirSync(join(home, name));
    return join(home, name);
  }
  function marked(name: string): void {
    const opened = Folder.open(folder(name));
    markSideFolder(opened);
    opened.release();
  }

  test.each(['Before restore 2026-11-21 14.05.33', 'Before undo 2026-11-21 14.05.33'])('%s is left out', (name) => {
    marked(name);
    expect(ruleOf(name)).toEqual({ pattern: SIDE_MARKER, source: 'holdfast' });
  });

  test('is included after a person has renamed it', () => {
    marked('My old files');
    expect(ruleOf('My old files')).toBeUndefined();
  });

  test('is told from a folder that a person has named so, whatever it has in place of the marker', () => {
    const name = 'Before restore 2026-11-21 14.05.33';
    const path = folder(name);
    expect(ruleOf(name)).toBeUndefined();
    writeFileSync(join(path, SIDE_MARKER), 'Signature');
    expect(ruleOf(name)).toBeUndefined();
    writeFileSync(join(path, SIDE_MARKER), 'a note of the person, longer than the signature of the marker is');
    expect(ruleOf(name)).toBeUndefined();
    rmSync(join(path, SIDE_MARKER));
    marked('other');
    symlinkSync(join(home, 'other', SIDE_MARKER), join(path, SIDE_MARKER));
    expect(ruleOf(name)).toBeUndefined();
  });
});

describe.skipIf(process.platform === 'win32')('what is no list of patterns, but has its name', () => {
  let home: string;
  let file: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'holdfast-ignore-'));
    file = join(home, IGNORE_FILE);
  });
  afterEach(() => rmSync(home, { recursive: true }));

  function isLeftOut(name: string): boolean {
    const exclusion = new Exclusion([], [], []);
    const scope = scopeIn(exclusion, home);
    return exclusion.excludes(scope, join(home, name), false) !== undefined;
  }

  test('has no patterns, and holds up no scan', () => {
    execFileSync('mkfifo', [file]);
    // Without a writer a reader would wait for ever.
    const writer = spawn('sh', ['-c', 'echo notes > "$0"', file]);
    expect(isLeftOut('notes')).toBe(false);
    writer.kill();
    rmSync(file);
    mkdirSync(file);
    expect(isLeftOut('notes')).toBe(false);
    rmSync(file, { recursive: true });
    writeFileSync(file, 'notes\n'.padEnd(1024 * 1024 + 1, '#'));
    expect(isLeftOut('notes')).toBe(false);
  });

  test('is told from a list, also behind a link', () => {
    writeFileSync(join(home, 'list'), 'notes\n'.padEnd(1024 * 1024, '#'));
    symlinkSync('list', file);
    expect(isLeftOut('notes')).toBe(true);
    expect(isLeftOut('letter')).toBe(false);
  });
});

describe('the preset of Time Machine', () => {
  const marked = new Set(['/home/anna/Movies', '/home/anna/kept.img', '/home/anna/disk.img']);
  const mark = { isOn: (path: string): boolean => marked.has(path) };
  const ruleOf = (exclusion: Exclusion, path: string, isFolder: boolean): string | undefined =>
    exclusion.excludes(scopeIn(exclusion, '/home/anna'), path, isFolder)?.source;

  test('leaves out what has the mark, unless a rule of the person includes it', () => {
    const exclusion = new Exclusion(['!kept.img', '*.tmp'], ['time-machine'], [], { mark });
    expect(ruleOf(exclusion, '/home/anna/Movies', true)).toBe('preset:time-machine');
    expect(ruleOf(exclusion, '/home/anna/disk.img', false)).toBe('preset:time-machine');
    expect(ruleOf(exclusion, '/home/anna/kept.img', false)).toBeUndefined();
    expect(ruleOf(exclusion, '/home/anna/letter', false)).toBeUndefined();
    expect(ruleOf(exclusion, '/home/anna/a.tmp', false)).toBe('set');
  });

  test('is not asked for by other sets, and is offered on macOS alone', () => {
    const exclusion = new Exclusion([], ['macos'], [], { mark });
    expect(ruleOf(exclusion, '/home/anna/Movies', true)).toBeUndefined();
    expect(isPresetOf('time-machine', 'darwin')).toBe(true);
    expect(isPresetOf('time-machine', 'linux')).toBe(false);
    expect(isPresetOf('developer', 'linux')).toBe(true);
    for (const platform of ['darwin', 'linux', 'win32'] as const)
      expect(defaultPresets(platform)).not.toContain('time-machine');
  });
});
