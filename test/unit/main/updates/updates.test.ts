import { describe, expect, test, vi } from 'vitest';
import type { UpdateState } from '../../../../src/ipc/contract/update.ts';
import { UpdateProblem } from '../../../../src/main/updates/update-problem.ts';
import { Updates, type Offer, type UpdateEngine, type UpdateParts } from '../../../../src/main/updates/updates.ts';

const OFFER: Offer = { version: '1.2.3', notes: '- Better.', isSystemTooOld: false };
const IDLE = { isWanted: true, hasRuns: false };
const HOUR = 3_600_000;

function world(changes: Partial<UpdateParts & UpdateEngine> = {}) {
  const calls: string[] = [];
  const states: UpdateState[] = [];
  const engine: UpdateEngine = {
    check: async () => OFFER,
    download: async (onPercent) => onPercent(50.7),
    install: async () => void calls.push('install'),
    ...changes,
  };
  const time = { now: 100 * HOUR };
  const updates: Updates = new Updates({
    way: 'itself',
    isForbidden: () => false,
    engine: () => engine,
    programChange: () => undefined,
    prepare: async () => true,
    resume: () => void calls.push('resume'),
    onInstall: (isHidden) => void calls.push(isHidden ? 'hidden' : 'shown'),
    startAgain: async () => void calls.push('start again'),
    end: () => void calls.push('end'),
    isWindowOpen: () => true,
    now: () => time.now,
    changed: () => void states.push(updates.state),
    ...changes,
  });
  updates.update(IDLE);
  return { updates, calls, states, time };
}

describe('updates', () => {
  test('are looked for, downloaded and installed when a person says so', async () => {
    const { updates, calls, states } = world();
    await updates.tick();
    expect(states).toEqual([
      { kind: 'checking' },
      { kind: 'downloading', version: '1.2.3', percent: 0 },
      { kind: 'downloading', version: '1.2.3', percent: 50 },
      { kind: 'ready', version: '1.2.3' },
    ]);
    await updates.tick();
    expect(calls).toEqual([]);
    expect(await updates.install(false)).toBe(true);
    expect(calls).toEqual(['shown', 'install', 'end']);
  });

  test('are installed by themselves while no window is open', async () => {
    const { updates, calls } = world({ isWindowOpen: () => false });
    await updates.tick();
    await updates.tick();
    expect(calls).toEqual(['hidden', 'install', 'end']);
  });

  test('are looked for once a day, and an hour after a failure', async () => {
    const check = vi.fn<UpdateEngine['check']>(async () => undefined);
    const { updates, time } = world({ check });
    await updates.tick();
    await updates.tick();
    expect(check).toHaveBeenCalledTimes(1);
    expect(updates.state).toEqual({ kind: 'current', checkedAt: time.now });
    time.now += 24 * HOUR;
    check.mockRejectedValueOnce(new Error('offline'));
    await updates.tick();
    expect(updates.state).toEqual({ kind: 'failed', problem: 'network', at: time.now });
    time.now += HOUR / 2;
    await updates.tick();
    expect(check).toHaveBeenCalledTimes(2);
    time.now += HOUR / 2;
    await updates.tick();
    expect(check).toHaveBeenCalledTimes(3);
  });

  test('wait for the end of a run: to look and to install', async () => {
    const check = vi.fn<UpdateEngine['check']>(async () => OFFER);
    const prepare = vi.fn<UpdateParts['prepare']>(async () => false);
    const { updates, calls } = world({ check, prepare });
    updates.update({ isWanted: true, hasRuns: true });
    await updates.tick();
    await updates.check();
    expect(check).not.toHaveBeenCalled();
    updates.update(IDLE);
    await updates.check();
    expect(updates.state.kind).toBe('ready');
    // A run has begun that the state does not show yet: the agent decides.
    expect(await updates.install(false)).toBe(false);
    expect([prepare.mock.calls.length, calls]).toEqual([1, []]);
  });

  test.each(['the check', 'the download'])('are downloaded though a run begins during %s', async (begin) => {
    const beginRun = (): void => updates.update({ isWanted: true, hasRuns: true });
    const { updates, states } = world({
      check: async () => {
        if (begin === 'the check') beginRun();
        return OFFER;
      },
      download: async (onPercent, signal) => {
        if (begin === 'the download') beginRun();
        onPercent(99);
        signal.throwIfAborted();
      },
    });
    await updates.tick();
    expect(states.slice(-2)).toEqual([
      { kind: 'downloading', version: '1.2.3', percent: 99 },
      { kind: 'ready', version: '1.2.3' },
    ]);
  });

  test('stop their download for a person who turns them off, and go on with it afterwards', async () => {
    const download = vi.fn<UpdateEngine['download']>(async (onPercent, signal) => {
      onPercent(10);
      if (download.mock.calls.length > 1) return;
      const aborted = new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')));
      });
      updates.update({ isWanted: false, hasRuns: false });
      await aborted;
    });
    const { updates } = world({ download });
    await updates.tick();
    expect(updates.state.kind).toBe('off');
    await updates.tick();
    expect(download).toHaveBeenCalledTimes(1);
    updates.update(IDLE);
    await updates.tick();
    expect([download.mock.calls.length, updates.state.kind]).toEqual([2, 'ready']);
  });

  test('that are turned off during a check are not downloaded', async () => {
    const download = vi.fn<UpdateEngine['download']>(async () => undefined);
    const { updates } = world({
      check: async () => {
        updates.update({ isWanted: false, hasRuns: false });
        return OFFER;
      },
      download,
    });
    await updates.tick();
    expect([download.mock.calls.length, updates.state.kind]).toEqual([0, 'off']);
  });

  test.each(['itself', 'archive'] as const)(
    'that need a newer system are named by a program that is updated by %s, and looked for again the next day',
    async (way) => {
      const check = vi.fn<UpdateEngine['check']>(async () => ({ ...OFFER, isSystemTooOld: true }));
      const download = vi.fn<UpdateEngine['download']>(async () => undefined);
      const { updates, time } = world({ way, check, download });
      await updates.tick();
      expect([download.mock.calls.length, updates.state]).toEqual([0, { kind: 'system-too-old', version: '1.2.3' }]);
      expect(await updates.install(false)).toBe(false);
      await updates.tick();
      expect(check).toHaveBeenCalledTimes(1);
      time.now += 24 * HOUR;
      await updates.tick();
      expect(check).toHaveBeenCalledTimes(2);
    },
  );

  test('are installed once, however often somebody says so', async () => {
    const prepared = Promise.withResolvers<boolean>();
    const { updates, calls } = world({ prepare: () => prepared.promise });
    await updates.tick();
    const both = Promise.all([updates.install(false), updates.install(false)]);
    prepared.resolve(true);
    expect([await both, calls]).toEqual([
      [true, false],
      ['shown', 'install', 'end'],
    ]);
  });

  test('that are no longer what was downloaded are called damaged', async () => {
    const { updates, calls } = world({ install: () => Promise.reject(new UpdateProblem('damaged')) });
    await updates.tick();
    expect(await updates.install(false)).toBe(false);
    expect([calls, updates.state]).toMatchObject([['shown', 'resume'], { kind: 'failed', problem: 'damaged' }]);
  });

  test.each([
    ['a wrong signature', new UpdateProblem('signature'), 'signature'],
    ['another list', new UpdateProblem('metadata'), 'metadata'],
    ['a damaged file', new UpdateProblem('damaged'), 'damaged'],
    ['a network that ends', new Error('net::ERR_CONTENT_LENGTH_MISMATCH'), 'network'],
  ])('with %s are not installed', async (_name, error, problem) => {
    const { updates, calls } = world({ download: () => Promise.reject(error) });
    await updates.tick();
    expect(updates.state).toMatchObject({ kind: 'failed', problem });
    expect(await updates.install(false)).toBe(false);
    expect(calls).toEqual([]);
  });

  test('that cannot be installed leave the agent running', async () => {
    const { updates, calls } = world({ install: () => Promise.reject(new Error('EACCES')) });
    await updates.tick();
    expect(await updates.install(false)).toBe(false);
    expect(calls).toEqual(['shown', 'resume']);
    expect(updates.state).toMatchObject({ kind: 'failed', problem: 'install' });
  });

  test.each([
    ['a person', {}, { isWanted: false, hasRuns: false }, { kind: 'off', by: 'person' }],
    ['an administrator', { isForbidden: () => true }, IDLE, { kind: 'off', by: 'administrator' }],
    ['a package manager', { way: 'package-manager' }, IDLE, { kind: 'package-manager' }],
    ['the build', { way: 'none' }, IDLE, { kind: 'none' }],
  ] as const)('are not looked for when %s says so', async (_name, changes, facts, state) => {
    const check = vi.fn<UpdateEngine['check']>(async () => OFFER);
    const { updates } = world({ check, ...changes });
    updates.update(facts);
    await updates.tick();
    await updates.check();
    expect([check.mock.calls.length, updates.state]).toEqual([0, state]);
  });

  test('of an archive are only offered', async () => {
    const download = vi.fn<UpdateEngine['download']>(async () => undefined);
    const { updates } = world({ way: 'archive', download });
    await updates.tick();
    expect([download.mock.calls.length, updates.state]).toEqual([0, { kind: 'offered', version: '1.2.3' }]);
  });

  test('by a package manager take effect when no window is open, or when a person says so', async () => {
    const changes = ['replaced' as const];
    const isWindowOpen = vi.fn<UpdateParts['isWindowOpen']>(() => true);
    const { updates, calls } = world({ way: 'package-manager', programChange: () => changes.shift(), isWindowOpen });
    await updates.tick();
    expect([updates.state, calls]).toEqual([{ kind: 'replaced' }, []]);
    isWindowOpen.mockReturnValue(false);
    await updates.tick();
    expect(calls).toEqual(['start again', 'end']);
  });

  test('of a removed program end it after the run', async () => {
    const changes = ['removed' as const];
    const { updates, calls } = world({ programChange: () => changes.shift() });
    updates.update({ isWanted: true, hasRuns: true });
    await updates.tick();
    expect(calls).toEqual([]);
    updates.update(IDLE);
    await updates.tick();
    expect(calls).toEqual(['end']);
  });
});
