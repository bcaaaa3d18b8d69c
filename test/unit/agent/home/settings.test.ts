import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { homeAt, homeFolder, prepareHome, type Home } from '../../../../src/agent/home/home.ts';
import {
  loadSettings,
  loadStoredSettings,
  requireSettings,
  saveStoredSettings,
  updateSettings,
} from '../../../../src/agent/home/settings.ts';
import type { DestinationEntry } from '../../../../src/agent/home/destination-entry.ts';
import { folderEntry, storedSettings } from '../../../helpers/stored-settings.ts';

let home: Home;

beforeEach(() => {
  home = homeAt(join(mkdtempSync(join(tmpdir(), 'holdfast-home-')), 'home'));
  prepareHome(home);
});
afterEach(() => rmSync(home.folder, { recursive: true, force: true }));

const FIRST = folderEntry('00000001', '/media/disk');
const SECOND: DestinationEntry = {
  id: 'a0b1c2d3',
  name: 'Office',
  destination: { kind: 'service', url: 'https://backup.example.org', signIn: { kind: 'device' } },
  deviceId: 'dev_2',
  deviceName: 'Anna’s laptop',
  credentials: '11223344',
  schedule: 'daily 18:30',
};

const settings = storedSettings({
  destinations: [FIRST, SECOND],
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
});

describe('settings', () => {
  test('are undefined before setup', () => {
    expect(loadSettings(home)).toBeUndefined();
  });

  test('are loaded as they were saved', () => {
    saveStoredSettings(home, settings);
    expect(loadStoredSettings(home)).toEqual(settings);
  });

  test('are readable by their owner only and leave no temporary file', () => {
    saveStoredSettings(home, settings);
    saveStoredSettings(home, { ...settings, sets: [] });
    expect(statSync(home.folder).mode & 0o777).toBe(0o700);
    for (const name of ['settings.json', 'settings.json.bak']) {
      expect(statSync(join(home.folder, name)).mode & 0o777).toBe(0o600);
    }
    expect(readdirSync(home.folder).sort()).toEqual(['scratch', 'settings.json', 'settings.json.bak']);
  });

  test('keep a copy from before the newest change', () => {
    saveStoredSettings(home, settings);
    const before = readFileSync(home.settingsFile, 'utf8');
    saveStoredSettings(home, { ...settings, sets: [] });
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
    ['no destination', JSON.stringify({ ...settings, destinations: [] }), 'unreadable'],
    ['a newer version', JSON.stringify({ ...settings, version: 2 }), 'newer-version'],
    [
      'an earlier version',
      JSON.stringify({ ...settings, destinations: undefined, destination: FIRST.destination }),
      'earlier-version',
    ],
  ];

  test.each(corrupt)('%s is reported with the backup copy and left untouched', (_name, content, problem) => {
    saveStoredSettings(home, settings);
    saveStoredSettings(home, settings);
    writeFileSync(home.settingsFile, content);
    const kept = `${home.settingsFile}.bak`;
    expect(() => loadSettings(home)).toThrow(
      expect.objectContaining({ code: 'home_damaged', details: { file: home.settingsFile, problem, kept } }),
    );
    expect(readFileSync(home.settingsFile, 'utf8')).toBe(content);
  });

  test('that vanished do not count as a home before setup', () => {
    saveStoredSettings(home, settings);
    saveStoredSettings(home, settings);
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

describe('the settings with one destination', () => {
  const { destinations: _destinations, ...common } = settings;

  test('are those of the first destination by default', () => {
    saveStoredSettings(home, settings);
    expect(requireSettings(home)).toEqual({ ...common, ...FIRST, all: [FIRST, SECOND], others: [SECOND] });
    expect(requireSettings(home, SECOND.id)).toEqual({ ...common, ...SECOND, all: [FIRST, SECOND], others: [FIRST] });
  });

  test('are refused for a destination that was removed', () => {
    saveStoredSettings(home, settings);
    expect(() => requireSettings(home, '00000009')).toThrow(expect.objectContaining({ code: 'destination_unknown' }));
  });

  test('are written back without a change of the others', () => {
    saveStoredSettings(home, settings);
    const change = { deviceName: 'tower', schedule: undefined, sets: [], others: [] };
    const next = updateSettings(home, (before) => ({ ...before, ...change }), SECOND.id);
    const { schedule: _schedule, ...second } = { ...SECOND, deviceName: 'tower' };
    expect(loadStoredSettings(home)).toEqual({ ...settings, destinations: [FIRST, second], sets: [] });
    expect(next).toEqual({ ...common, ...second, sets: [], all: [FIRST, second], others: [FIRST] });
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
