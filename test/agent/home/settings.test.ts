import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { homeAt, homeFolder, prepareHome, type Home } from '../../../src/agent/home/home.ts';
import { loadSettings, saveSettings, type Settings } from '../../../src/agent/home/settings.ts';

let home: Home;

beforeEach(() => {
  home = homeAt(join(mkdtempSync(join(tmpdir(), 'holdfast-home-')), 'home'));
  prepareHome(home);
});
afterEach(() => rmSync(home.folder, { recursive: true, force: true }));

const settings: Settings = {
  version: 1,
  destination: { kind: 'folder', directory: '/media/disk' },
  deviceId: 'dev_1',
  deviceName: 'laptop',
  keyId: '00112233445566778899aabbccddeeff',
  sets: [
    {
      name: 'documents',
      roots: ['/home/anna/Documents'],
      excludes: ['*.tmp'],
      presets: ['linux'],
      oneFileSystem: false,
      privateNames: true,
      schedule: 'daily 18:30',
    },
    {
      name: 'pictures',
      roots: ['/home/anna/Pictures'],
      excludes: [],
      presets: [],
      oneFileSystem: true,
      privateNames: false,
      conditions: { onlyOnMains: true, notMetered: true },
      limits: { uploadKiB: 500, hours: { from: 480, to: 1110 }, priority: 'low' },
      verification: { everyDays: 7, samplePercent: 5 },
    },
  ],
};

describe('settings', () => {
  test('are undefined before setup', () => {
    expect(loadSettings(home)).toBeUndefined();
  });

  test('are loaded as they were saved', () => {
    saveSettings(home, settings);
    expect(loadSettings(home)).toEqual(settings);
  });

  test('are readable by their owner only and leave no temporary file', () => {
    saveSettings(home, settings);
    saveSettings(home, { ...settings, sets: [] });
    expect(statSync(home.folder).mode & 0o777).toBe(0o700);
    for (const name of ['settings.json', 'settings.json.bak']) {
      expect(statSync(join(home.folder, name)).mode & 0o777).toBe(0o600);
    }
    expect(readdirSync(home.folder).sort()).toEqual(['scratch', 'settings.json', 'settings.json.bak']);
  });

  test('keep a copy from before the newest change', () => {
    saveSettings(home, settings);
    const before = readFileSync(home.settingsFile, 'utf8');
    saveSettings(home, { ...settings, sets: [] });
    expect(readFileSync(`${home.settingsFile}.bak`, 'utf8')).toBe(before);
  });

  const corrupt: readonly (readonly [name: string, content: string, problem: string])[] = [
    ['an empty file', '', 'unreadable'],
    ['a torn file', '{"version": 1, "dest', 'unreadable'],
    ['zeros after a crash', '\0\0\0\0', 'unreadable'],
    ['an empty object', '{}', 'unreadable'],
    ['null', 'null', 'unreadable'],
    ['an array', '[]', 'unreadable'],
    ['a missing field', JSON.stringify({ ...settings, keyId: undefined }), 'unreadable'],
    ['a field of another type', JSON.stringify({ ...settings, sets: {} }), 'unreadable'],
    ['a newer version', JSON.stringify({ ...settings, version: 2 }), 'newer-version'],
    [
      'an earlier version',
      JSON.stringify({ ...settings, destination: { kind: 'embedded', directory: '/backups' } }),
      'earlier-version',
    ],
  ];

  test.each(corrupt)('%s is reported with the backup copy and left untouched', (_name, content, problem) => {
    saveSettings(home, settings);
    saveSettings(home, settings);
    writeFileSync(home.settingsFile, content);
    const kept = `${home.settingsFile}.bak`;
    expect(() => loadSettings(home)).toThrow(
      expect.objectContaining({ code: 'home_damaged', details: { file: home.settingsFile, problem, kept } }),
    );
    expect(readFileSync(home.settingsFile, 'utf8')).toBe(content);
  });

  test('that vanished do not count as a home before setup', () => {
    saveSettings(home, settings);
    saveSettings(home, settings);
    rmSync(home.settingsFile);
    expect(() => loadSettings(home)).toThrow(expect.objectContaining({ code: 'home_damaged' }));
  });

  test('a damaged file without a backup copy names none', () => {
    writeFileSync(home.settingsFile, '{');
    expect(() => loadSettings(home)).toThrow(
      expect.objectContaining({ code: 'home_damaged', details: expect.objectContaining({ kept: undefined }) }),
    );
  });
});

describe('the home folder', () => {
  const choices: readonly (readonly [option: string | undefined, environment: NodeJS.ProcessEnv, folder: string])[] = [
    ['/a', { HOLDFAST_HOME: '/b' }, '/a'],
    [undefined, { HOLDFAST_HOME: '/b' }, '/b'],
    ['relative', {}, join(process.cwd(), 'relative')],
  ];

  test.each(choices)('--home %s with %j', (option, environment, folder) => {
    expect(homeFolder(option, environment)).toBe(folder);
  });

  test('is the platform data folder of this program by default', () => {
    expect(homeFolder(undefined, { HOLDFAST_HOME: '' })).toMatch(/[/\\]holdfast([/\\]|$)/i);
  });

  test('is refused when it is a file', () => {
    const file = join(home.folder, 'file');
    writeFileSync(file, '');
    expect(() => prepareHome(homeAt(file))).toThrow(expect.objectContaining({ code: 'home_unwritable' }));
  });
});
