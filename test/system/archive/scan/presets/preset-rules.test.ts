import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { sumOf } from '../../../../../src/base/left-out.ts';
import { Exclusion } from '../../../../../src/archive/scan/exclusion.ts';
import { homesOf } from '../../../../../src/archive/scan/presets/homes.ts';
import { PRESETS } from '../../../../../src/archive/scan/presets/presets.ts';
import { Places } from '../../../../../src/archive/scan/places.ts';
import { Scanner } from '../../../../../src/archive/scan/scanner.ts';
import { checkRoot, realSourceOf } from '../../../../../src/archive/scan/source-check.ts';

const TAG = 'Signature: 8a477f597d28d172789f06886806bc55';
const ALL = Object.keys(PRESETS);
const SYSTEMS = ['linux', 'darwin', 'win32'] as const;

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-presets-')));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true });
});

function write(path: string, text: string | Buffer = 'own'): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

interface Scanned {
  readonly presets?: readonly string[];
  readonly excludes?: readonly string[];
  readonly platform?: NodeJS.Platform;
  /** Below the root. */
  readonly homes?: readonly string[];
  readonly source?: string;
}

/** Scans a source that was never backed up. */
function scannerOf(exclusion: Exclusion, source: string): Scanner {
  const nothing = {
    children: () => [],
    chunksOf: () => undefined,
    newDirectory: () => undefined,
    put: () => undefined,
    remove: () => undefined,
    move: () => undefined,
  };
  const places = new Places();
  const scanner = new Scanner(nothing, { exclusion, oneFileSystem: false, rehash: false, accepts: () => true, places });
  scanner.addRoots(undefined, [
    checkRoot({ path: source, real: realSourceOf(source) }, undefined, { places, accepts: true }),
  ]);
  return scanner;
}

function scan({ presets = ALL, excludes = [], platform = 'linux', homes = [], source = '' }: Scanned = {}) {
  const places = new Set(homes.map((home) => join(root, home)));
  const exclusion = new Exclusion(excludes, presets, [], { platform, homes: { has: (path) => places.has(path) } });
  const scanner = scannerOf(exclusion, join(root, source));
  const found: string[] = [];
  const relative = ({ path }: { readonly path: string }): string => path.slice(root.length + 1);
  for (let files = scanner.step(); files; files = scanner.step()) found.push(...files.map(relative));
  while (exclusion.leftOut.count(100));
  return { found: found.sort(), leftOut: exclusion.leftOut.byRule() };
}

describe("a person's own files", () => {
  test.each([
    ['sources of a browser', 'chromium/src/net/Cache/x.cc'],
    ['sources named like an app', 'Code/Cache/main.py'],
    ['notes about Slack', 'Slack/Cache/notes.md'],
    ['a folder named like a profile', 'google-chrome/a/b/Cache/x'],
    ['music', 'Spotify/Storage/song.flac'],
    ['a copy of a home', 'old laptop/home/anna/.cache/x'],
    ['a copy of a profile of Windows', 'old/Users/anna/AppData/Local/Temp/thesis.doc'],
    ['a game of their own', 'Steam/mods/shadercache/x'],
    ['a project named target', 'target/debug/story.txt'],
    ['modules without a package', 'node_modules/mine.js'],
    ['an environment that is none', '.venv/notes.txt'],
    ['a program of which there is nothing but bytecode', 'tool.pyc'],
    ['a model in three dimensions', 'teapot.o'],
    ['an object of a vendor', 'firmware.o'],
    ['a macro of SolidWorks', 'part.swp'],
    ['unsaved work of an editor', '.letter.txt.swp'],
    ['a list of servers', '.nfs-servers'],
    ['settings of Gradle', 'gradle/.gradle/gradle.properties'],
    ['packages that are stored with a project', 'app/.yarn/cache/left-pad.zip'],
    ['the state of Terraform', 'infra/.terraform/terraform.tfstate'],
    ['keys of machines', 'box/.vagrant/machines/default/private_key'],
    ['layers', 'docker/overlay2/l/mine'],
    ['memory of something else', 'holiday.vmem'],
    ['found things', 'lost+found/photo.jpg'],
    ['a database of thumbnails', 'Thumbs.db'],
    ['the icon of a folder', 'desktop.ini'],
    ['a folder named like one of Windows', 'System Volume Information/mine'],
    ['a folder named like one of macOS', 'x/.Spotlight-V100/mine'],
    ['a page file', 'x/pagefile.sys'],
    ['logs', 'Library/Logs/mine'],
    ['what is thrown away elsewhere', 'x/.Trash/mine'],
    ['thumbnails', 'x/.thumbnails/mine'],
    ['packages of Maven', 'x/.m2/repository/mine'],
    ['a build of something', 'x/.next/mine'],
  ])('are kept: %s', (_what, path) => {
    write(path);
    for (const platform of SYSTEMS) expect(scan({ platform })).toEqual({ found: [path], leftOut: [] });
  });

  test('are kept in every folder that is no place of a program, also within a home', () => {
    const own = ['Documents/.cache/x', 'Documents/Library/Caches/x', '.config/notes/Cache/x', 'AppData/Local/Temp2/x'];
    for (const path of own) write(`anna/${path}`);
    const found = own.map((path) => `anna/${path}`).sort();
    for (const platform of SYSTEMS) expect(scan({ platform, homes: ['anna'] })).toEqual({ found, leftOut: [] });
  });
});

describe('where programs keep their caches', () => {
  const places = {
    linux: [
      '.cache/x',
      '.config/Code/Cache/x',
      '.config/Code/CachedData/x',
      '.config/Slack/Service Worker/CacheStorage/x',
      '.config/google-chrome/Default/Code Cache/x',
      '.config/chromium/Profile 1/Cache/x',
      '.var/app/org.gimp.GIMP/cache/x',
      '.var/app/com.slack.Slack/config/Slack/GPUCache/x',
      'snap/firefox/common/.cache/x',
      '.local/share/Trash/files/x',
      '.mozilla/firefox/a.default/cache2/x',
      '.local/share/Steam/steamapps/shadercache/x',
    ],
    darwin: [
      'Library/Caches/x',
      'Library/Logs/x',
      'Library/Application Support/Code/Cache/x',
      'Library/Application Support/discord/GPUCache/x',
      'Library/Application Support/Google/Chrome/Default/Code Cache/x',
      'Library/Containers/com.apple.Safari/Data/Library/Caches/x',
      '.Trash/x',
    ],
    win32: [
      'AppData/Local/Temp/x',
      'appdata/local/microsoft/windows/inetcache/x',
      'AppData/Roaming/Code/Cache/x',
      'AppData/Local/Google/Chrome/User Data/Default/Cache/x',
      'AppData/Local/Mozilla/Firefox/Profiles/a.default/cache2/x',
    ],
  } as const;

  test.each(SYSTEMS)('they are left out of each home on %s, and nowhere else', (platform) => {
    for (const path of places[platform]) {
      for (const user of ['users/anna', 'users/bert', 'copy']) write(`${user}/${path}`);
    }
    write('users/anna/Documents/letter');
    const { found, leftOut } = scan({ platform, homes: ['users/anna', 'users/bert'] });
    expect(found).toEqual([...places[platform].map((path) => `copy/${path}`), 'users/anna/Documents/letter'].sort());
    expect(sumOf(leftOut).files).toBe(2 * places[platform].length);
    // Those of other systems have no place here.
    for (const other of SYSTEMS.filter((one) => one !== platform))
      expect(scan({ platform: other, homes: ['users/anna', 'users/bert'] }).leftOut).toEqual([]);
  });

  test('a rule is named by the preset and the place', () => {
    write('anna/.config/Code/Cache/a', 'four');
    write('anna/.config/Code/Cache/deep/b', 'fours');
    expect(scan({ homes: ['anna'] }).leftOut).toEqual([
      { rule: 'preset:apps: ~/.config/Code/Cache/', files: 2, bytes: 9 },
    ]);
  });

  test('a source in a home has its places, and one in a place is what its person has chosen', () => {
    write('anna/.config/Code/Cache/x');
    write('anna/.config/Code/User/settings.json');
    write('anna/.cache/thing/x');
    const homes = ['anna'];
    expect(scan({ homes, source: 'anna/.config/Code' }).found).toEqual(['anna/.config/Code/User/settings.json']);
    for (const source of ['anna/.cache', 'anna/.cache/thing'])
      expect(scan({ homes, source }).found).toEqual(['anna/.cache/thing/x']);
  });

  test('a source behind a link is where the link leads', () => {
    write('anna/.cache/x');
    write('anna/letter');
    symlinkSync(join(root, 'anna'), join(root, 'home'));
    expect(scan({ homes: ['anna'], source: 'home' }).found).toEqual(['home/letter']);
  });

  test('a pattern of the person includes what a preset leaves out', () => {
    write('anna/.cache/thing/x');
    write('anna/.cache/other/x');
    const excludes = ['!/anna/.cache/', '/anna/.cache/*', '!/anna/.cache/thing/'];
    expect(scan({ homes: ['anna'], excludes }).found).toEqual(['anna/.cache/thing/x']);
  });
});

describe('the homes of this computer', () => {
  test('are those of its person, of its accounts, and what is in the folder of homes', () => {
    const homes = homesOf('linux');
    expect(homes.has(homedir())).toBe(true);
    expect(homes.has('/root')).toBe(true);
    expect(homes.has('/home/anybody')).toBe(true);
    for (const path of ['/home', '/home/anybody/home', '/srv', '/', join(root, 'home/anna')])
      expect(homes.has(path)).toBe(false);
    expect(homesOf('darwin').has('/Users/anybody')).toBe(true);
    expect(homesOf('darwin').has('/users/ANYBODY')).toBe(true);
    expect(homesOf('win32').has('C:/Users/anybody')).toBe(true);
    expect(homesOf('win32').has('D:/Users/anybody')).toBe(false);
  });

  test('are known behind a link', () => {
    mkdirSync(join(root, 'disk/anna'), { recursive: true });
    symlinkSync('disk/anna', join(root, 'link'));
    vi.stubEnv('HOME', join(root, 'link'));
    expect(homesOf('linux').has(join(root, 'disk/anna'))).toBe(true);
    expect(homesOf('linux').has(join(root, 'link'))).toBe(true);
  });
});

describe('a folder with a tag', () => {
  test('is kept with its tag, and nothing else in it', () => {
    write('Code/Cache/CACHEDIR.TAG', `${TAG}\n# made by something`);
    write('Code/Cache/a', 'four');
    write('Code/Cache/deep/CACHEDIR.TAG', 'mine');
    write('Code/own');
    const { found, leftOut } = scan({ presets: ['caches'] });
    expect(found).toEqual(['Code/Cache/CACHEDIR.TAG', 'Code/own']);
    expect(leftOut).toEqual([{ rule: 'preset:caches: */ (CACHEDIR.TAG)', files: 2, bytes: 8 }]);
    expect(scan({ presets: ['linux', 'apps'] }).found).toContain('Code/Cache/a');
  });

  test.each([
    ['without its signature', (path: string) => writeFileSync(path, 'mine')],
    ['cut short', (path: string) => writeFileSync(path, TAG.slice(0, -1))],
    ['with something before it', (path: string) => writeFileSync(path, ` ${TAG}`)],
    ['in another case', (path: string) => writeFileSync(path, TAG.toUpperCase())],
    ['that is empty', (path: string) => writeFileSync(path, '')],
    ['that is a folder', (path: string) => mkdirSync(path)],
    ['that is a pipe', (path: string) => void execFileSync('mkfifo', [path])],
    [
      'that is a link',
      (path: string) => {
        writeFileSync(join(root, 'tag'), TAG);
        symlinkSync(join(root, 'tag'), path);
      },
    ],
  ])('%s is a folder like any other', (_what, make) => {
    write('x/own');
    make(join(root, 'x/CACHEDIR.TAG'));
    expect(scan({ presets: ['caches'] }).found).toContain('x/own');
  });

  test('is whole if it is the source, or if a pattern of the person includes it', () => {
    write('x/CACHEDIR.TAG', TAG);
    write('x/own');
    expect(scan({ source: 'x' }).found).toEqual(['x/CACHEDIR.TAG', 'x/own']);
    expect(scan({ excludes: ['!/x/'] }).found).toEqual(['x/CACHEDIR.TAG', 'x/own']);
    expect(scan({ excludes: ['!own'] }).found).toEqual(['x/CACHEDIR.TAG', 'x/own']);
    expect(scan().found).toEqual(['x/CACHEDIR.TAG']);
  });
});

describe('a sign of the program', () => {
  const ole = Buffer.from('d0cf11e0a1b11ae1ffff', 'hex');
  test.each([
    ['node_modules/a/x.js', 'package.json'],
    ['target/debug/x', 'Cargo.toml'],
    ['target/classes/X.class', 'pom.xml'],
    ['.venv/lib/x.py', '.venv/pyvenv.cfg'],
    ['.gradle/x', 'settings.gradle.kts'],
    ['.tox/py/x', 'tox.ini'],
    ['.mypy_cache/x', '.mypy_cache/CACHEDIR.TAG'],
    ['.next/x', 'package.json'],
    ['x.pyc', 'x.py'],
    ['x.o', 'x.c'],
    ['x.o', 'x.cpp'],
    ['x.vmem', 'x.vmx'],
    ['x-1a2b3c4d.vswp', 'x.vmx'],
  ])('has %s left out beside %s', (path, sign) => {
    write(`own/${path}`);
    expect(scan({ presets: ['developer', 'virtual-machines'] }).found).toEqual([`own/${path}`]);
    write(`own/${sign}`);
    const { found, leftOut } = scan({ presets: ['developer', 'virtual-machines'] });
    expect(found).not.toContain(`own/${path}`);
    expect(leftOut).toHaveLength(1);
  });

  test('of a suspended machine has its memory kept', () => {
    for (const name of ['x.vmem', 'x.vmx', 'x.vmss']) write(name);
    expect(scan().found).toEqual(['x.vmem', 'x.vmss', 'x.vmx']);
  });

  test('is the content of a list of thumbnails', () => {
    write('Thumbs.db', ole);
    write('a/thumbs.db', ole);
    write('b/Thumbs.db', ole.subarray(1));
    expect(scan({ platform: 'win32' }).found).toEqual(['b/Thumbs.db']);
    expect(scan({ platform: 'linux' }).found).toEqual(['a/thumbs.db', 'b/Thumbs.db']);
  });

  test.each(['.~lock.letter.odt#', '.nfs000000000123456700000001', '__pycache__/x.cpython-311.pyc', '.DS_Store'])(
    'is needed by no name that nobody gives by hand: %s',
    (path) => {
      write(`deep/${path}`);
      expect(scan().found).toEqual([]);
    },
  );

  test.skipIf(process.getuid?.() === 0)('is that nobody may look into what a repair of the disk has found', () => {
    write('lost+found/x');
    execFileSync('chmod', ['000', join(root, 'lost+found')]);
    expect(scan().found).toEqual([]);
    execFileSync('chmod', ['700', join(root, 'lost+found')]);
    expect(scan().found).toEqual(['lost+found/x']);
  });
});

test('what has been left out is counted to the last file, in parts of any size', () => {
  write('anna/.cache/a', 'x'.repeat(10));
  for (let index = 0; index < 150; index += 1) write(`anna/.cache/many/${index}`, 'x');
  symlinkSync('nowhere', join(root, 'anna/.cache/link'));
  const exclusion = new Exclusion([], ['linux'], [join(root, 'anna/.cache/own')], {
    homes: { has: (path) => path === join(root, 'anna') },
    platform: 'linux',
  });
  write('anna/.cache/own/backup', 'x'.repeat(1000));
  const scanner = scannerOf(exclusion, root);
  while (scanner.step());
  const rule = 'preset:linux: ~/.cache/';
  expect(exclusion.leftOut.byRule()).toEqual([{ rule, files: 0, bytes: 0, isAtLeast: true }]);
  expect(exclusion.leftOut.count(20)).toBe(true);
  expect(exclusion.leftOut.byRule()[0]!.isAtLeast).toBe(true);
  while (exclusion.leftOut.count(7));
  expect(exclusion.leftOut.byRule()).toEqual([{ rule, files: 152, bytes: 160 }]);
});
