import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { setCommandLine } from '../../../../../src/agent/host/sets/command-line.ts';
import { setsHandlers } from '../../../../../src/agent/host/sets/sets-handlers.ts';
import { parseUserDirs } from '../../../../../src/agent/host/sets/folder-suggestions.ts';
import type { Call } from '../../../../../src/base/calls/contract.ts';
import { sumOf } from '../../../../../src/base/left-out.ts';
import { setMethods, type Estimate } from '../../../../../src/ipc/contract/sets.ts';
import type { SetForm } from '../../../../../src/model/set.ts';
import { startStrictService } from '../../../../helpers/strict-service/strict-service.ts';
import { failureFrom, HandlerFixture } from '../../../../unit/agent/host/handler-fixture.ts';

let fixture: HandlerFixture;
let ask: Call<typeof setMethods>;
beforeEach(async () => {
  fixture = new HandlerFixture();
  ask = fixture.ask(setMethods, setsHandlers(fixture.host()));
  await fixture.agent.setup({
    destination: { kind: 'folder', directory: fixture.path('backups') },
    deviceName: 'laptop',
  });
});
afterEach(() => {
  vi.unstubAllEnvs();
  fixture.close();
});

const form = (more: Partial<SetForm> = {}): SetForm => ({
  name: 'docs',
  roots: [fixture.path('docs')],
  excludes: [],
  presets: [],
  oneFileSystem: false,
  privateNames: false,
  ...more,
});

describe('the set handlers', () => {
  const whole = (): SetForm =>
    form({
      excludes: ['*.tmp', "it's $HOME", '-dash', '!keep.tmp', ''],
      presets: ['developer', 'linux'],
      oneFileSystem: true,
      privateNames: true,
      schedule: 'weekly monday 18:30',
      conditions: { batteryAtLeast: 40, onlyOnMains: true, notMetered: true, networks: ['Home', 'it’s "ours"'] },
      limits: { uploadKiB: 1500, downloadKiB: 3, hours: { from: 485, to: 1110 }, priority: 'low' },
      verification: { everyDays: 7, samplePercent: 12 },
    });

  test('add, return, change and remove a set', async () => {
    fixture.write('docs/a');
    expect(await ask('sets.add', { form: whole() })).toEqual({ passedOver: [] });
    expect((await ask('sets.get', { set: 'docs' })).form).toEqual(whole());
    expect(await failureFrom(ask('sets.add', { form: form() }))).toMatchObject({ code: 'set_exists' });
    const around = form({ name: 'other', roots: [fixture.folder] });
    expect(await ask('sets.save', { set: 'docs', form: around })).toEqual({
      passedOver: [fixture.home.folder, fixture.path('backups')],
    });
    expect((await ask('sets.get', { set: 'docs' })).form).toEqual({ ...around, name: 'docs' });
    // An editor has a value for each rule.
    const limits = { uploadKiB: undefined, hours: undefined };
    await ask('sets.save', { set: 'docs', form: { ...around, conditions: { onlyOnMains: false }, limits } });
    expect((await ask('sets.get', { set: 'docs' })).form).toEqual({ ...around, name: 'docs' });
    expect(fixture.agent.settings()?.sets[0]).not.toHaveProperty('limits');
    await ask('sets.remove', { set: 'docs' });
    expect(await failureFrom(ask('sets.get', { set: 'docs' }))).toMatchObject({ code: 'set_unknown' });
    expect(fixture.notified.changed).toBe(4);
    const missing = form({ roots: [fixture.path('nowhere')] });
    expect(await failureFrom(ask('sets.add', { form: missing }))).toMatchObject({ code: 'source_missing' });
  });

  test('return a command line that makes the same set', async () => {
    fixture.write('docs/a');
    const program = join(dirname(dirname(dirname(dirname(dirname(import.meta.dirname))))), 'bin');
    const env = { ...process.env, PATH: `${program}:${process.env['PATH']}`, HOLDFAST_HOME: fixture.home.folder };
    for (const made of [whole(), form({ name: '-odd one', presets: ['caches', 'linux', 'browsers', 'apps'] })]) {
      const { command } = await ask('sets.command', { form: made });
      execFileSync('/bin/sh', ['-c', command], { env });
      expect((await ask('sets.get', { set: made.name })).form).toEqual(made);
    }
  });

  test('return a command line for PowerShell', () => {
    const odd = form({ roots: ["C:\\Users\\O'Neil\\My Docs"], presets: ['caches', 'windows', 'browsers', 'apps'] });
    expect(setCommandLine(odd, 'win32')).toBe("holdfast set add docs 'C:\\Users\\O''Neil\\My Docs'");
    expect(setCommandLine(odd, 'linux')).toContain('--preset windows');
  });

  test('save a retention policy, and preview what it would remove', async () => {
    fixture.write('docs/a');
    await ask('sets.add', { form: form() });
    expect(await ask('sets.retention', { set: 'docs' })).toEqual({ policy: {} });
    const policy = { daily: 1 };
    expect(await ask('sets.retention.preview', { set: 'docs', policy })).toEqual({ kept: 0, dropped: [] });
    // The destination does not know the set yet: the policy is sent with the first backup.
    await ask('sets.retention.save', { set: 'docs', policy: { weekly: 4 } });
    expect(await ask('sets.retention', { set: 'docs' })).toEqual({ policy: { weekly: 4 } });
    await fixture.agent.backup({ set: 'docs' }, {});
    const { state } = await fixture.agent.retention({ set: 'docs', action: 'show' });
    expect(state.policy).toMatchObject({ weekly: 4 });
    // Compression saves nothing, so that the size of a version is what it takes at the destination.
    const bytes = 500_000;
    for (let version = 2; version <= 3; version += 1) {
      fixture.write('docs/a', randomBytes(bytes));
      await fixture.agent.backup({ set: 'docs' }, {});
    }
    const preview = await ask('sets.retention.preview', { set: 'docs', policy });
    expect(preview).toMatchObject({ kept: 2, dropped: [{}] });
    // The version of the restore point in the middle, and its lists.
    expect(preview.freedBytes).toBeGreaterThan(bytes);
    expect(preview.freedBytes).toBeLessThan(bytes * 1.05);
    expect(Date.parse(preview.freedAt!)).toBeGreaterThan(Date.now());
    expect(await ask('sets.retention.preview', { set: 'docs', policy: {} })).toEqual({ kept: 3, dropped: [] });
    await ask('sets.retention.save', { set: 'docs', policy });
    expect(await ask('sets.retention', { set: 'docs' })).toEqual({ policy });
    await ask('sets.retention.save', { set: 'docs', policy: {} });
    expect(await ask('sets.retention', { set: 'docs' })).toEqual({ policy: {} });
  });
});

test('the retention policy of a set is missing if the service has none', async () => {
  const service = await startStrictService();
  const plain = new HandlerFixture();
  try {
    const { id, key } = service.device;
    await plain.agent.setup({
      destination: { kind: 'device', url: service.baseUrl, deviceKey: key },
      deviceId: id,
      deviceName: 'laptop',
    });
    const askThere = plain.ask(setMethods, setsHandlers(plain.host()));
    plain.write('docs/a');
    await askThere('sets.add', { form: form({ roots: [plain.path('docs')] }) });
    expect(await askThere('sets.retention', { set: 'docs' })).toEqual({ policy: null });
  } finally {
    plain.close();
    await service.close();
  }
});

describe('the retention policy of a set with several destinations', () => {
  test('is that of one destination, or of all', async () => {
    fixture.write('docs/a');
    await ask('sets.add', { form: form() });
    const { entry } = await fixture.agent.addDestination({
      destination: { kind: 'folder', directory: fixture.path('second') },
      name: 'Second',
    });
    const there = { set: 'docs', destination: entry.id };
    await fixture.agent.backup({ set: 'docs' }, {});
    await ask('sets.retention.save', { set: 'docs', policy: { weekly: 4 } });
    expect(await ask('sets.retention', there)).toEqual({ policy: { weekly: 4 } });
    expect(await ask('sets.retention', { set: 'docs' })).toEqual({ policy: { weekly: 4 } });
    await ask('sets.retention.save', { ...there, policy: { daily: 1 } });
    expect(await ask('sets.retention', there)).toEqual({ policy: { daily: 1 } });
    expect(await ask('sets.retention', { set: 'docs' })).toEqual({ policy: { weekly: 4 }, differs: true });
    for (const content of ['two', 'three']) {
      fixture.write('docs/a', content);
      await fixture.agent.at('Second').backup({ set: 'docs' }, {});
    }
    expect(await ask('sets.retention.preview', { ...there, policy: { daily: 1 } })).toMatchObject({ dropped: [{}] });
    expect(await ask('sets.retention.preview', { set: 'docs', policy: { daily: 1 } })).toMatchObject({ dropped: [] });
  });

  test('reaches a destination that is absent with the next backup there', async () => {
    fixture.write('docs/a');
    await ask('sets.add', { form: form() });
    const directory = fixture.path('second');
    await fixture.agent.addDestination({ destination: { kind: 'folder', directory }, name: 'Second' });
    await fixture.agent.backup({ set: 'docs' }, {});
    renameSync(directory, `${directory} away`);
    await ask('sets.retention.save', { set: 'docs', policy: { weekly: 4 } });
    expect(await failureFrom(ask('sets.retention.save', { set: 'docs', policy: {} }))).toMatchObject({
      code: 'destination_missing',
    });
    expect(await ask('sets.retention', { set: 'docs' })).toEqual({ policy: {} });
    renameSync(`${directory} away`, directory);
    await fixture.agent.backup({ set: 'docs' }, {});
    const { state } = await fixture.agent.at('Second').retention({ set: 'docs', action: 'show' });
    expect(state.policy).toMatchObject({ weekly: 4 });
  });
});

describe('the folder listing', () => {
  test('lists folders first, with numbers by value', async () => {
    for (const name of ['10.txt', '9.txt', 'b/x', 'A/x', '.hidden']) fixture.write(`docs/${name}`, 'four');
    symlinkSync('A', fixture.path('docs', 'link'));
    const { entries, isTruncated } = await ask('sets.folder', { path: fixture.path('docs') });
    expect(isTruncated).toBe(false);
    expect(entries.map(({ name, kind, bytes, isHidden }) => [name, kind, bytes, isHidden])).toEqual([
      ['A', 'folder', undefined, false],
      ['b', 'folder', undefined, false],
      ['.hidden', 'file', 4, true],
      ['9.txt', 'file', 4, false],
      ['10.txt', 'file', 4, false],
      ['link', 'other', undefined, false],
    ]);
    expect(entries[0]).toMatchObject({ path: fixture.path('docs', 'A'), isReadable: true });
    const missing = ask('sets.folder', { path: fixture.path('nowhere') });
    expect(await failureFrom(missing)).toMatchObject({ code: 'source_missing' });
    const file = ask('sets.folder', { path: fixture.path('docs', '9.txt') });
    expect(await failureFrom(file)).toMatchObject({ code: 'source_unreadable' });
  });

  test.skipIf(process.platform !== 'linux')(
    'names the presets that leave out an entry, and those above a folder',
    async () => {
      vi.stubEnv('HOME', fixture.path('anna'));
      for (const name of [
        '.cache/a/b/x',
        '.config/Code/Cache/x',
        'work/node_modules/x',
        'work/package.json',
        'Code/Cache/x',
      ])
        fixture.write(`anna/${name}`);
      fixture.write('anna/tagged/CACHEDIR.TAG', 'Signature: 8a477f597d28d172789f06886806bc55');
      const presetsIn = async (...names: string[]): Promise<unknown> => {
        const { entries } = await ask('sets.folder', { path: fixture.path('anna', ...names) });
        return Object.fromEntries(entries.filter(({ presets }) => presets).map(({ name, presets }) => [name, presets]));
      };
      expect(await presetsIn()).toEqual({ '.cache': ['linux'], tagged: ['caches'] });
      expect(await presetsIn('.config', 'Code')).toEqual({ Cache: ['apps'] });
      expect(await presetsIn('work')).toEqual({ node_modules: ['developer'] });
      expect(await presetsIn('Code')).toEqual({});
      const { folders } = await ask('sets.left-out', { path: fixture.path('anna', '.cache', 'a', 'b') });
      expect(folders).toEqual([{ path: fixture.path('anna', '.cache'), presets: ['linux'] }]);
      expect(await ask('sets.left-out', { path: fixture.path('nowhere', 'at', 'all') })).toEqual({ folders: [] });
    },
  );

  test('lists the first 5,000 entries', async () => {
    mkdirSync(fixture.path('many'));
    for (let index = 0; index < 5010; index += 1) writeFileSync(fixture.path('many', `f${index}`), '');
    const { entries, isTruncated } = await ask('sets.folder', { path: fixture.path('many') });
    expect([entries.length, isTruncated, entries.at(-1)!.name]).toEqual([5000, true, 'f4999']);
  });

  test('begins with the home folder and the file system root', async () => {
    vi.stubEnv('HOME', fixture.folder);
    const { entries } = await ask('sets.folder', {});
    expect(entries.map(({ path }) => path)).toEqual([fixture.folder, '/']);
  });
});

describe('folder suggestions', () => {
  test('are the person’s own folders in any language', async () => {
    vi.stubEnv('HOME', fixture.folder);
    for (const name of ['Dokumente', 'Pictures', 'projects', 'code', 'elsewhere']) mkdirSync(fixture.path(name));
    symlinkSync('projects', fixture.path('src'));
    symlinkSync('elsewhere', fixture.path('Videos'));
    fixture.write('.config/user-dirs.dirs', 'XDG_DOCUMENTS_DIR="$HOME/Dokumente"\nXDG_MUSIC_DIR="$HOME/"\n');
    const { folders } = await ask('sets.suggestions', {});
    expect(folders).toEqual([
      { path: fixture.path('Dokumente'), kind: 'documents' },
      { path: fixture.path('Pictures'), kind: 'pictures' },
      { path: fixture.path('elsewhere'), kind: 'videos' },
      { path: fixture.path('projects'), kind: 'projects' },
      { path: fixture.path('code'), kind: 'projects' },
      { path: fixture.folder, kind: 'home' },
    ]);
  });

  test('parse names quoted as in a shell', () => {
    const text = '# made by a program\nXDG_DESKTOP_DIR="$HOME/My \\"Desk\\""\nXDG_VIDEOS_DIR="/srv/videos"\nXDG_X="a"';
    expect([...parseUserDirs(text, '/home/$anna')]).toEqual([
      ['DESKTOP', '/home/$anna/My "Desk"'],
      ['VIDEOS', '/srv/videos'],
    ]);
  });

  test('come with the presets', async () => {
    const { presets } = await ask('sets.presets', {});
    expect(presets.find(({ name }) => name === 'browsers')).toMatchObject({ isDefault: true });
    expect(presets.find(({ name }) => name === 'developer')!.patterns).toContain('node_modules/ (package.json)');
  });
});

describe('an estimate', () => {
  const whenDone = async (more: Partial<SetForm> = {}, estimate = 'one'): Promise<Estimate> => {
    const { roots, excludes, presets, oneFileSystem } = form(more);
    const input = { estimate, roots, excludes, presets, oneFileSystem };
    return vi.waitFor(
      async () => {
        const answer = await ask('sets.estimate', input);
        if (!answer.done) throw new Error('it counts');
        return answer;
      },
      { timeout: 60_000, interval: 20 },
    );
  };

  test('counts the files of a set, and those that each rule excludes with everything below', async () => {
    fixture.write('docs/a.txt', 'four');
    fixture.write('docs/b.tmp', 'seven..');
    fixture.write('docs/node_modules/x/y.js', '0123456789');
    fixture.write('docs/node_modules/z.js', '01234');
    fixture.write('docs/package.json', '{}');
    fixture.write('docs/deep/.holdfastignore', '*.log\n');
    fixture.write('docs/deep/c.log', 'sixsix');
    const estimate = await whenDone({ excludes: ['*.tmp', 'never'], presets: ['developer'] });
    expect(estimate).toEqual({
      done: true,
      files: 3,
      bytes: 12,
      rules: [
        { rule: '*.tmp', files: 1, bytes: 7, examples: [fixture.path('docs', 'b.tmp')] },
        { rule: 'never', files: 0, bytes: 0, examples: [] },
        { rule: 'preset:developer', files: 2, bytes: 15, examples: [fixture.path('docs', 'node_modules')] },
        {
          rule: fixture.path('docs', 'deep', '.holdfastignore'),
          files: 1,
          bytes: 6,
          examples: [fixture.path('docs', 'deep', 'c.log')],
        },
      ],
      unreadable: [],
    });
    await ask('sets.add', { form: form({ excludes: ['*.tmp', 'never'], presets: ['developer'] }) });
    // A run has the same figures, and so does one that sends something.
    for (const dryRun of [true, false]) {
      const { filesProcessed, bytesScanned, leftOut } = await fixture.agent.backup({ set: 'docs', dryRun }, {});
      expect([filesProcessed, bytesScanned]).toEqual([estimate.files, estimate.bytes]);
      expect(sumOf(leftOut)).toEqual(sumOf(estimate.rules));
    }
  });

  test('skips Holdfast’s own folders, and names what cannot be read', async () => {
    fixture.write('a.txt', 'four');
    fixture.write('home/large', 'large');
    const missing = fixture.path('nowhere');
    const estimate = await whenDone({ roots: [fixture.folder, missing], excludes: ['*'] });
    expect(estimate).toMatchObject({ files: 0, unreadable: [missing], rules: [{ rule: '*', files: 1, bytes: 4 }] });
    expect(await whenDone({ roots: [fixture.folder] })).toMatchObject({ files: 1, bytes: 4 });
  });

  test('goes on beside many others', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `folder${index}`);
    for (const name of names) fixture.write(`${name}/a.txt`, 'four');
    const questions = names.map((name) => {
      const { roots, excludes, presets, oneFileSystem } = form({ roots: [fixture.path(name)] });
      return { estimate: name, roots, excludes, presets, oneFileSystem };
    });
    await vi.waitFor(
      async () => {
        // Each is asked in turn, as the first start does.
        const answers = [];
        for (const question of questions) answers.push(await ask('sets.estimate', question));
        expect(answers.map(({ done, bytes }) => [done, bytes])).toEqual(names.map(() => [true, 4]));
      },
      { timeout: 60_000, interval: 20 },
    );
  });

  test('restarts for another request, and ends when it is stopped', async () => {
    fixture.write('docs/a.txt', 'four');
    expect(await whenDone()).toMatchObject({ bytes: 4 });
    truncateSync(fixture.path('docs', 'a.txt'), 3);
    expect(await whenDone()).toMatchObject({ bytes: 4 });
    expect(await whenDone({ excludes: ['x'] })).toMatchObject({ bytes: 3 });
    await ask('sets.estimate.stop', { estimate: 'one' });
    expect(await whenDone()).toMatchObject({ bytes: 3 });
    expect(existsSync(fixture.path('docs', 'a.txt'))).toBe(true);
  });
});
