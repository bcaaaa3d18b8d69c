import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { homeAt, prepareHome, type Home } from '../../../../src/agent/home/home.ts';
import { loadSettings, saveStoredSettings } from '../../../../src/agent/home/settings.ts';
import type { NewSet } from '../../../../src/agent/sets/new-set.ts';
import { addSet, saveSet } from '../../../../src/agent/operations/sets.ts';
import { folderEntry, storedSettings } from '../../../helpers/stored-settings.ts';

let root: string;
let home: Home;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-sets-')));
  for (const folder of ['documents', 'pictures', 'disk']) mkdirSync(join(root, folder));
  home = homeAt(join(root, 'home'));
  prepareHome(home);
  saveStoredSettings(home, storedSettings({ destinations: [folderEntry('00000001', join(root, 'disk'))] }));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const request = (name: string, ...folders: string[]): NewSet => ({
  name,
  roots: folders.map((folder) => join(root, folder)),
  excludes: [],
  presets: [],
  oneFileSystem: false,
  privateNames: false,
});
const rules: Pick<NewSet, 'schedule' | 'conditions' | 'limits' | 'verification'> = {
  schedule: 'on change after 10 minutes',
  conditions: { batteryAtLeast: 40, networks: ['Home'] },
  limits: { uploadKiB: 500, hours: { from: 480, to: 1110 }, priority: 'low' },
  verification: { everyDays: 7, samplePercent: 5 },
};

describe('saving a configured set', () => {
  beforeEach(() => {
    addSet({ home }, { form: request('documents', 'documents') });
    addSet({ home }, { form: request('pictures', 'pictures') });
  });

  test('keeps the roots that may be missing, as far as it has them', () => {
    const optionalRoots = [join(root, 'documents'), join(root, 'elsewhere')];
    const { set } = saveSet(
      { home },
      { set: 'documents', form: { ...request('', 'documents', 'pictures'), optionalRoots } },
    );
    expect(set.optionalRoots).toEqual([join(root, 'documents')]);
    expect(
      saveSet({ home }, { set: 'documents', form: { ...request('', 'pictures'), optionalRoots } }).set,
    ).not.toHaveProperty('optionalRoots');
  });

  test('keeps its name and position and replaces the rest', () => {
    const { set } = saveSet({ home }, { set: 'documents', form: { ...request('', 'documents'), ...rules } });
    expect(set).toEqual({
      name: 'documents',
      roots: [join(root, 'documents')],
      excludes: [],
      presets: [],
      oneFileSystem: false,
      privateNames: false,
      ...rules,
    });
    const { sets } = loadSettings(home) ?? { sets: [] };
    expect(sets.map(({ name }) => name)).toEqual(['documents', 'pictures']);
    expect(sets[0]).toEqual(set);
    saveSet({ home }, { set: 'documents', form: request('', 'documents') });
    expect(loadSettings(home)?.sets[0]).not.toHaveProperty('conditions');
  });

  test('reports own folders within it', () => {
    const { passedOver } = saveSet({ home }, { set: 'documents', form: { ...request(''), roots: [root] } });
    expect(passedOver).toEqual([home.folder, join(root, 'disk')]);
  });

  test.each<[string, string, () => Partial<NewSet>, string]>([
    ['no set of this name', 'music', () => ({}), 'set_unknown'],
    ['a folder that is not there', 'documents', () => ({ roots: [join(root, 'missing')] }), 'source_missing'],
    ['an own folder', 'documents', () => ({ roots: [join(root, 'disk')] }), 'usage'],
    ['a schedule that is none', 'documents', () => ({ schedule: 'cron 0 0 30 2 *' }), 'usage'],
  ])('%s: is refused and changes nothing', (_, name, change, code) => {
    const before = loadSettings(home);
    expect(() => saveSet({ home }, { set: name, form: { ...request('', 'documents'), ...change() } })).toThrow(
      expect.objectContaining({ code }),
    );
    expect(loadSettings(home)).toEqual(before);
  });
});
