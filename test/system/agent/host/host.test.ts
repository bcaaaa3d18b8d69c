import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_PREFERENCES } from '../../../../src/ipc/contract/preferences.ts';
import type { SetForm } from '../../../../src/model/set.ts';
import type { AppState } from '../../../../src/ipc/state.ts';
import { homeAt } from '../../../../src/agent/home/home.ts';
import { HomeLock } from '../../../../src/agent/home/home-lock.ts';
import { HostProcess } from './host-process.ts';
import { programFile } from '../../../helpers/program.ts';

const run = promisify(execFile);
const CLI = programFile('cli');

let folder: string;
const at = (...names: string[]): string => join(folder, ...names);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-agent-host-'));
  mkdirSync(at('files'));
  for (let file = 0; file < 20; file += 1) writeFileSync(at('files', `${file}.txt`), `text ${file}\n`.repeat(100));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function startHost(environment?: NodeJS.ProcessEnv): Promise<HostProcess> {
  const host = new HostProcess(at('home'), environment);
  await host.ready;
  return host;
}

const form = (change: Partial<SetForm> = {}): SetForm => ({
  name: 'Documents',
  roots: [at('files')],
  excludes: [],
  presets: [],
  oneFileSystem: false,
  privateNames: false,
  schedule: 'manual',
  conditions: {},
  limits: {},
  ...change,
});

/** Sets up a folder as the destination, with the phrase confirmed and one set. */
async function setUp(host: HostProcess, change: Partial<SetForm> = {}): Promise<void> {
  await host.call('setup.finish', { choice: { kind: 'folder', path: at('backups') }, deviceName: 'laptop' });
  const { words, ask } = await host.call('setup.phrase', {});
  await host.call('setup.confirm-phrase', { words: ask.map((position) => words[position]!) });
  await host.call('sets.add', { form: form(change) });
}

const isIdleAfter =
  (runs: number) =>
  ({ runs: active, sets: [set] }: AppState): boolean =>
    active.length === 0 && (set?.lastBackup?.id ?? 0) >= runs;

async function backUp(host: HostProcess): Promise<{ id: number; state: AppState }> {
  const { run: id } = await host.call('runs.backup', { set: 'Documents' });
  return { id, state: await host.until(`the end of run ${id}`, isIdleAfter(id)) };
}

async function ended(host: HostProcess, run: number): Promise<void> {
  await expect.poll(async () => (await host.call('activity.run', { run })).run.outcome).toBeDefined();
}

describe('the agent host', () => {
  test('publishes the state from before setup to the first backup', async () => {
    await using host = await startHost();
    expect(await host.until('the first one', () => true)).toMatchObject({ health: 'not-set-up', sets: [], runs: [] });
    await setUp(host);
    const before = await host.until('the set', ({ sets }) => sets.length === 1);
    expect(before).toMatchObject({
      health: 'at-risk',
      needs: [{ kind: 'first-backup', set: 'Documents' }],
      destination: { kind: 'folder', location: at('backups') },
      device: { name: 'laptop' },
    });
    // Large enough that the run is seen while it lasts.
    writeFileSync(at('files/large'), randomBytes(64_000_000));
    const { id, state } = await backUp(host);
    expect(state).toMatchObject({
      health: 'protected',
      needs: [],
      sets: [
        { name: 'Documents', isResumable: false, lastBackup: { id, outcome: 'succeeded' }, lastPoint: { files: 21 } },
      ],
    });
    expect(state.since).toBe(state.sets[0]!.lastBackup!.endedAt);
    expect(state.storage.protectedBytes).toBe(state.sets[0]!.lastPoint!.bytes);
    expect(state.storage.storedBytes).toBeGreaterThan(0);
    expect(state.destination!.freeBytes).toBeGreaterThan(0);
    expect(state.days.at(-1)).toMatchObject({ outcome: 'succeeded', runs: 1 });
    const running = host.states.flatMap(({ runs }) => runs);
    expect(running.length).toBeGreaterThan(0);
    expect(running.every((active) => active.id === id && active.trigger === 'person')).toBe(true);
    expect(host.states.some(({ health, runs }) => runs.length > 0 && health !== 'running')).toBe(false);
    expect(host.error).toBe('');
  });

  test('lists every run with its report', async () => {
    await using host = await startHost();
    await setUp(host);
    const { id: first } = await backUp(host);
    writeFileSync(at('files', 'new.txt'), 'more');
    const { id: second } = await backUp(host);
    const { run: check } = await host.call('runs.verify', { set: 'Documents', samplePercent: 100 });
    await ended(host, check);
    const all = await host.call('activity.list', { limit: 10 });
    expect(all.hasMore).toBe(false);
    expect(all.runs.map(({ id, kind, outcome }) => [id, kind, outcome])).toEqual([
      [check, 'verify', 'succeeded'],
      [second, 'backup', 'succeeded'],
      [first, 'backup', 'succeeded'],
    ]);
    const page = await host.call('activity.list', { limit: 1, kind: 'backup' });
    expect(page).toMatchObject({ hasMore: true, runs: [{ id: second }] });
    const next = await host.call('activity.list', { limit: 1, kind: 'backup', before: second });
    expect(next).toMatchObject({ hasMore: false, runs: [{ id: first }] });
    expect((await host.call('activity.list', { limit: 5, outcome: 'failed' })).runs).toEqual([]);
    const destination = host.states.at(-1)!.destinations[0]!.id;
    expect(all.runs.map((run) => run.destination)).toEqual([destination, destination, destination]);
    expect((await host.call('activity.list', { limit: 5, destination })).runs).toHaveLength(3);
    expect((await host.call('activity.list', { limit: 5, destination: 'ffffffff' })).runs).toEqual([]);
    const whole = await host.call('activity.run', { run: second });
    expect(whole.run).toMatchObject({ id: second, outcome: 'succeeded', trigger: 'person' });
    expect(whole.steps.map(({ state }) => state)).toEqual(
      expect.arrayContaining(['scanning', 'committing', 'succeeded']),
    );
    expect(whole.report).toMatchObject({ files: 21, warnings: [], failuresTotal: 0 });
    expect((await host.call('activity.run', { run: check })).report).toMatchObject({ files: 21, failuresTotal: 0 });
    await expect(host.call('activity.run', { run: 999 })).rejects.toMatchObject({ code: 'usage' });
  });

  test('runs one at a time, and names the run that is active', async () => {
    await using host = await startHost({ HOLDFAST_MAX_WAIT: '0' });
    await setUp(host);
    const lock = HomeLock.acquire(homeAt(at('home')), 'backup of another program', Date.now());
    try {
      await expect(host.call('runs.backup', { set: 'Documents' })).rejects.toMatchObject({
        code: 'home_busy',
        details: { command: 'backup of another program' },
      });
    } finally {
      lock.release();
    }
    const [one, other] = await Promise.allSettled([
      host.call('runs.backup', { set: 'Documents' }),
      host.call('runs.backup', { set: 'Documents' }),
    ]);
    expect(one.status).toBe('fulfilled');
    expect(other).toMatchObject({
      reason: { code: 'home_busy', details: { command: 'backup Documents' } },
    });
    await host.until('the end', isIdleAfter(1));
    await expect(host.call('runs.backup', { set: 'Nothing' })).rejects.toMatchObject({ code: 'set_unknown' });
    // A run that was never tried has not failed.
    expect((await host.call('activity.list', { limit: 10 })).runs).toHaveLength(1);
  });

  test('records a backup that could not begin, and sends one notice', async () => {
    await using host = await startHost();
    await setUp(host);
    await backUp(host);
    renameSync(at('backups'), at('elsewhere'));
    const failing = (): Promise<unknown> => host.call('runs.backup', { set: 'Documents' });
    await expect(failing()).rejects.toMatchObject({ code: 'destination_missing' });
    await expect(failing()).rejects.toMatchObject({ code: 'destination_missing' });
    const state = await host.until('the missing disk', ({ needs }) => needs[0]?.kind === 'destination-missing');
    expect(state).toMatchObject({ health: 'attention', needs: [{ location: at('backups') }] });
    const { runs } = await host.call('activity.list', { limit: 10 });
    expect(runs.map(({ outcome, failure }) => [outcome, failure?.code])).toEqual([
      ['failed', 'destination_missing'],
      ['failed', 'destination_missing'],
      ['succeeded', undefined],
    ]);
    expect(host.notices).toMatchObject([
      { kind: 'backup-failed', set: 'Documents', failure: { code: 'destination_missing' } },
    ]);
    renameSync(at('elsewhere'), at('backups'));
    expect((await backUp(host)).state).toMatchObject({ health: 'protected', needs: [] });
    // Files and backups are in one folder here.
    const [first] = (await host.until('the disk', ({ destinations }) => destinations[0]?.isOnSourceDisk !== undefined))
      .destinations;
    expect(first?.isOnSourceDisk).toBe(true);
  });

  test('continues an interrupted run after a kill', async () => {
    writeFileSync(at('files', 'large'), Buffer.alloc(128 * 2 ** 20, 'x'));
    {
      await using host = await startHost();
      await setUp(host);
      await host.call('runs.backup', { set: 'Documents' });
      await host.kill();
    }
    await using host = await startHost();
    const state = await host.until('the interruption', ({ sets }) => sets[0]?.lastBackup !== undefined);
    expect(state).toMatchObject({
      health: 'at-risk',
      runs: [],
      sets: [{ isResumable: true, lastBackup: { outcome: 'interrupted' } }],
    });
    const { state: after } = await backUp(host);
    expect(after).toMatchObject({ health: 'protected', sets: [{ isResumable: false, lastPoint: { files: 21 } }] });
    expect(existsSync(at('home', 'lock.sqlite'))).toBe(true);
  });

  test('cancels a run when a person stops it', async () => {
    writeFileSync(at('files', 'large'), Buffer.alloc(128 * 2 ** 20, 'x'));
    await using host = await startHost();
    await setUp(host);
    const { run: id } = await host.call('runs.backup', { set: 'Documents' });
    const running = await host.until('the run', ({ runs }) => runs.length === 1);
    expect(running.sets[0]!.decision).toMatchObject({ kind: 'running', trigger: 'person' });
    await host.call('runs.stop', { run: id });
    const state = await host.until('the end', isIdleAfter(id));
    expect(state.sets[0]).toMatchObject({ isResumable: true, lastBackup: { id, outcome: 'cancelled' } });
    expect(host.notices).toEqual([]);
    expect((await backUp(host)).state.health).toBe('protected');
  });

  test('ends in order, also during a run', async () => {
    writeFileSync(at('files', 'large'), Buffer.alloc(128 * 2 ** 20, 'x'));
    {
      await using host = await startHost();
      await setUp(host);
      await host.call('runs.backup', { set: 'Documents' });
      await host.stop();
      expect(host.error).toBe('');
    }
    const { stdout } = await run(process.execPath, [CLI, '--home', at('home'), '--json', 'status']);
    expect(JSON.parse(stdout)).toMatchObject({
      busy: null,
      sets: [{ resumable: true, last_run: { state: 'interrupted' } }],
    });
  });

  test('notices changes by the command line', async () => {
    await using host = await startHost();
    await setUp(host);
    await host.until('the set', ({ sets }) => sets.length === 1);
    await run(process.execPath, [CLI, '--home', at('home'), 'set', 'add', 'more', at('files')]);
    await run(process.execPath, [CLI, '--home', at('home'), 'backup', 'more']);
    const state = await host.until('its backup', ({ sets }) => sets[1]?.lastBackup !== undefined);
    expect(state.sets[1]).toMatchObject({ name: 'more', lastBackup: { outcome: 'succeeded' } });
  });

  test('reports damaged settings, and runs nothing', async () => {
    await using host = await startHost();
    await setUp(host);
    writeFileSync(at('home', 'settings.json'), '{"version": 1, "dest');
    const state = await host.until('the damage', ({ damage }) => damage !== undefined);
    expect(state).toMatchObject({ health: 'at-risk', damage: { code: 'home_damaged' } });
    await expect(host.call('runs.backup', { set: 'Documents' })).rejects.toMatchObject({ code: 'home_damaged' });
  });

  test('stores preferences before setup, and keeps them over a crash', async () => {
    const chosen = { ...DEFAULT_PREFERENCES, language: 'de', appearance: 'dark' } as const;
    {
      await using host = await startHost();
      await host.call('preferences.save', { preferences: chosen });
      await host.until('them', ({ preferences }) => preferences.language === 'de');
      await host.kill();
    }
    {
      await using host = await startHost();
      expect((await host.until('them', () => true)).preferences).toEqual(chosen);
    }
    writeFileSync(at('home', 'preferences.json'), '{"version":1,"pref');
    await using host = await startHost();
    expect((await host.until('them', () => true)).preferences).toEqual(DEFAULT_PREFERENCES);
    expect(readFileSync(at('home', 'preferences.json.bad'), 'utf8')).toContain('pref');
  });

  test('pauses scheduled runs, over a restart too', async () => {
    {
      await using host = await startHost();
      await setUp(host, { schedule: 'hourly' });
      await host.call('runs.pause', {});
      await host.until('the pause', ({ pause }) => pause !== undefined);
      await host.stop();
    }
    await using host = await startHost();
    await host.until('the pause', ({ pause }) => pause !== undefined);
    await host.call('runs.resume', {});
    await host.until('its end', ({ pause }) => pause === undefined);
  });

  test('refuses input that violates the contract', async () => {
    await using host = await startHost();
    const ask = host.call as (name: string, input: unknown) => Promise<unknown>;
    await expect(ask('activity.list', { limit: 0 })).rejects.toMatchObject({ code: 'refused' });
    await expect(ask('runs.backup', { set: 7 })).rejects.toMatchObject({ code: 'refused' });
    await expect(host.call('runs.backup', { set: 'x' })).rejects.toMatchObject({ code: 'not_set_up' });
  });

  test('creates diagnostics without secrets and names', async () => {
    await using host = await startHost();
    await setUp(host, { name: 'Salaries', excludes: ['*.hushed'] });
    writeFileSync(at('files', 'unpaid'), 'x');
    const { run: id } = await host.call('runs.backup', { set: 'Salaries' });
    await host.until('the end', isIdleAfter(id));
    const { text } = await host.call('diagnostics.text', {});
    const { words } = await host.call('phrase.words', {});
    const secrets = JSON.parse(readFileSync(at('home', 'secrets.json'), 'utf8')) as Record<string, string>;
    for (const word of [
      'Salaries',
      'unpaid',
      'hushed',
      folder,
      'laptop',
      words.slice(0, 3).join(' '),
      ...Object.values(secrets),
    ]) {
      if (word.length > 3) expect(text).not.toContain(word);
    }
    expect(JSON.parse(text)).toMatchObject({ health: 'protected', runs: [{ set: 'set 1', outcome: 'succeeded' }] });
  });
});
