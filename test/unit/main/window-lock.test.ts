import { existsSync, linkSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { windowMethods, type agentMethods } from '../../../src/ipc/contract/contract.ts';
import type { Answer } from '../../../src/base/calls/answer.ts';
import type { ErrorDetails } from '../../../src/base/errors/error-codes.ts';
import { HoldfastError } from '../../../src/base/errors/errors.ts';
import { type Failure, failureOf as knownFailureOf } from '../../../src/base/errors/failure.ts';
import type { Call } from '../../../src/base/calls/contract.ts';
import { appState } from '../../../src/ipc/state.ts';
import type { AppState } from '../../../src/ipc/state.ts';
import { refuseWhileLocked } from '../../../src/main/lock/refuse-while-locked.ts';
import { IdleLock } from '../../../src/main/lock/idle-lock.ts';
import { lockCalls } from '../../../src/main/lock/lock-calls.ts';
import { visibleState } from '../../../src/main/lock/visible-state.ts';
import { WindowLock, type WindowLockParts } from '../../../src/main/lock/window-lock.ts';
import { CHEAP } from '../../helpers/service/cheap-passwords.ts';
import { PROTECTED, RUNNING } from '../../app/renderer/states.ts';

const RIGHT = 'correct horse';
const MINUTE = 60_000;

let folder: string;
let file: string;
let now: number;
let told: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-lock-'));
  file = join(folder, 'lock.json');
  now = 1_800_000_000_000;
  told = 0;
});
afterEach(() => rmSync(folder, { recursive: true }));

function open(canAskSystem = false, parts: Partial<WindowLockParts> = { passwordCost: CHEAP }): WindowLock {
  return new WindowLock({
    file,
    now: () => now,
    canAuthenticate: () => canAskSystem,
    changed: () => {
      told += 1;
    },
    ...parts,
  });
}

async function locked(): Promise<WindowLock> {
  const lock = open();
  await lock.setPassword(RIGHT, undefined);
  lock.lock();
  return lock;
}

async function failureOf(work: Promise<unknown>): Promise<Failure> {
  try {
    await work;
  } catch (error) {
    const failure = knownFailureOf(error);
    if (failure) return failure;
    throw error;
  }
  throw new Error('it did not fail');
}

describe('WindowLock', () => {
  test('is off until a password is set, and then locked at every start', async () => {
    const lock = open();
    expect([lock.isOn, lock.isLocked]).toEqual([false, false]);
    expect(() => lock.lock()).toThrow(HoldfastError);
    await lock.setPassword(RIGHT, undefined);
    expect([lock.isOn, lock.isLocked]).toEqual([true, false]);
    const next = open();
    expect([next.isOn, next.isLocked]).toEqual([true, true]);
    await next.unlock(RIGHT);
    expect(next.isLocked).toBe(false);
    expect(told).toBe(2);
  });

  test('stores a hash that only its owner can read, and never the password', async () => {
    await open(false, {}).setPassword(RIGHT, undefined);
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain(RIGHT);
    expect(JSON.parse(text)).toMatchObject({ version: 1, password: { kind: 'argon2id', memoryKib: 32_768 } });
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('replaces its file as a whole, so that a power cut leaves the old one or the new one', async () => {
    const lock = await locked();
    const before = readFileSync(file, 'utf8');
    // Whoever writes into the file that is there changes it under its other name, too.
    linkSync(file, `${file}.before`);
    await failureOf(lock.unlock('wrong one'));
    expect(readFileSync(`${file}.before`, 'utf8')).toBe(before);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ misses: { count: 1 } });
  });

  test('accepts a password in any Unicode composition', async () => {
    const lock = open();
    await lock.setPassword('Grüße und so', undefined);
    lock.lock();
    await lock.unlock('Gru\u0308ße und so');
    expect(lock.isLocked).toBe(false);
  });

  test('delays each further attempt longer, also after a restart', async () => {
    let lock = await locked();
    const waits: unknown[] = [];
    for (let round = 0; round < 5; round += 1) {
      const { code, details } = await failureOf(lock.unlock('wrong one'));
      expect(code).toBe('lock_password_wrong');
      const { seconds } = details as ErrorDetails['lock_password_wrong'];
      waits.push(seconds);
      now += (seconds ?? 0) * 1000;
    }
    expect(waits).toEqual([undefined, undefined, 5, 10, 20]);
    await failureOf(lock.unlock('wrong one'));
    lock = open();
    expect(lock.state.waitUntil).toBe(now + 40_000);
    expect(await failureOf(lock.unlock(RIGHT))).toEqual({ code: 'lock_wait', details: { seconds: 40 } });
    now += 40_000;
    await lock.unlock(RIGHT);
    expect(lock.state).toMatchObject({ isLocked: false });
    expect(lock.state.waitUntil).toBeUndefined();
    lock.lock();
    expect((await failureOf(lock.unlock('wrong one'))).details).toEqual({});
  });

  test('counts an attempt before its check, so that ending the program in between gains nothing', async () => {
    const killed = {
      normalize: () => {
        throw new Error('killed');
      },
    } as unknown as string;
    await locked();
    for (let round = 0; round < 3; round += 1) await expect(open().unlock(killed)).rejects.toThrow('killed');
    expect(open().state.waitUntil).toBe(now + 5_000);
  });

  test('checks concurrent passwords one after the other', async () => {
    const lock = await locked();
    const codes = await Promise.all(Array.from({ length: 6 }, () => failureOf(lock.unlock('wrong one'))));
    expect(codes.map(({ code }) => code)).toEqual([
      ...Array.from({ length: 3 }, () => 'lock_password_wrong'),
      ...Array.from({ length: 3 }, () => 'lock_wait'),
    ]);
  });

  test('does not extend the delay when the clock is set back', async () => {
    const lock = await locked();
    for (let round = 0; round < 3; round += 1) await failureOf(lock.unlock('wrong one'));
    now -= 365 * 24 * 60 * MINUTE;
    expect((await failureOf(lock.unlock(RIGHT))).details).toEqual({ seconds: 5 });
    now += 5_000;
    await lock.unlock(RIGHT);
    expect(lock.isLocked).toBe(false);
  });

  test('requires the current password to change or remove it', async () => {
    const lock = await locked();
    lock.open();
    expect((await failureOf(lock.setPassword('another one', undefined))).code).toBe('lock_password_needed');
    expect((await failureOf(lock.setPassword('another one', 'wrong one'))).code).toBe('lock_password_wrong');
    await lock.setPassword('another one', RIGHT);
    expect((await failureOf(lock.remove(RIGHT))).code).toBe('lock_password_wrong');
    await lock.remove('another one');
    expect([lock.isOn, existsSync(file)]).toEqual([false, false]);
  });

  test('stays locked and reports it when its file is damaged', async () => {
    await locked();
    writeFileSync(file, '{');
    const lock = open();
    expect([lock.isOn, lock.isLocked]).toEqual([true, true]);
    expect((await failureOf(lock.unlock(RIGHT))).code).toBe('lock_damaged');
    expect(readFileSync(file, 'utf8')).toBe('{');
    lock.turnOff();
    expect([open().isOn, lock.isLocked]).toEqual([false, false]);
  });

  test('stores the idle time, and locks after it', async () => {
    const lock = open();
    await lock.setPassword(RIGHT, undefined);
    lock.configure({ locksOnClose: true, idleMinutes: 5 });
    const idle = new IdleLock(lock, () => now);
    now += 4 * MINUTE;
    idle.used();
    now += 4 * MINUTE;
    idle.check();
    expect(lock.isLocked).toBe(false);
    now += MINUTE;
    idle.check();
    expect(lock.isLocked).toBe(true);
    expect(open().state).toMatchObject({ locksOnClose: true, idleMinutes: 5 });
  });

  test('locks before input that arrives after the idle time counts as use', async () => {
    const lock = open();
    await lock.setPassword(RIGHT, undefined);
    lock.configure({ locksOnClose: false, idleMinutes: 1 });
    const idle = new IdleLock(lock, () => now);
    now += 60 * MINUTE;
    idle.used();
    expect(lock.isLocked).toBe(true);
  });
});

describe('calls of a locked window', () => {
  const answered: Answer = { ok: true, value: { paths: ['/home/anna/secret.txt'] } };

  test('are refused except those that unlock it', async () => {
    const asked: string[] = [];
    const ask = (name: string): Promise<Answer> =>
      refuseWhileLocked(
        () => true,
        name,
        () => {
          asked.push(name);
          return Promise.resolve(answered);
        },
      );
    for (const name of ['sets.folder', 'restore.entries', 'runs.backup', 'shell.reveal-phrase', 'lock.remove', 'x']) {
      expect(await ask(name)).toEqual({ ok: false, failure: { code: 'refused', details: { problem: 'locked' } } });
    }
    for (const name of ['shell.abilities', 'lock.unlock', 'lock.unlock-with-phrase', 'lock.unlock-with-system']) {
      expect(await ask(name)).toBe(answered);
    }
    expect(asked).toHaveLength(4);
  });

  test('are refused by name, whatever a window may call otherwise', async () => {
    const allowed: string[] = [];
    for (const name of Object.keys(windowMethods)) {
      const answer = await refuseWhileLocked(
        () => true,
        name,
        () => Promise.resolve(answered),
      );
      if (answer.ok) allowed.push(name);
    }
    expect(allowed.sort()).toEqual([
      'lock.now',
      'lock.unlock',
      'lock.unlock-with-phrase',
      'lock.unlock-with-system',
      'shell.abilities',
    ]);
  });

  test('are refused when the window was locked during the call', async () => {
    let isLocked = false;
    const answer = await refuseWhileLocked(
      () => isLocked,
      'sets.folder',
      () => {
        isLocked = true;
        return Promise.resolve(answered);
      },
    );
    expect(answer.ok).toBe(false);
  });

  test('unlock it by the recovery phrase, which removes the password', async () => {
    const lock = await locked();
    const asked: unknown[] = [];
    let isKnown = false;
    const agent = ((name: string, input: unknown) => {
      asked.push([name, input]);
      return isKnown ? Promise.resolve({}) : Promise.reject(new HoldfastError('phrase_other_account'));
    }) as Call<typeof agentMethods>;
    const calls = lockCalls({ lock, agent, canAuthenticate: () => false, authenticate: () => Promise.resolve() });
    const unlock = async (): Promise<unknown> => calls['lock.unlock-with-phrase']({ phrase: 'a b c' });
    expect((await failureOf(unlock())).code).toBe('phrase_other_account');
    expect(lock.isLocked).toBe(true);
    isKnown = true;
    await unlock();
    expect([lock.isLocked, lock.isOn]).toEqual([false, false]);
    expect(asked[0]).toEqual(['phrase.check', { phrase: 'a b c' }]);
    await locked();
    expect((await failureOf((async () => calls['lock.unlock-with-system']({}))())).code).toBe('refused');
  });
});

describe('the state of a locked window', () => {
  test('contains the health without names and paths', async () => {
    const busy: AppState = {
      ...PROTECTED,
      health: 'running',
      runs: [RUNNING],
      needs: [{ kind: 'destination-missing', location: '/media/anna/Backup disk' }],
      damage: { code: 'home_damaged', details: { file: '/home/anna/settings.json' } },
    };
    const lock = await locked();
    const seen = visibleState(busy, lock.state);
    expect(appState.parse(seen)).toEqual(seen);
    const text = JSON.stringify(seen);
    for (const hidden of ['anna', 'Anna', 'Documents', 'Thesis', 'dev_1', '/']) expect(text).not.toContain(hidden);
    expect(seen).toMatchObject({ health: 'running', lock: { isLocked: true, run: { kind: 'backup', part: 0.22 } } });
    lock.open();
    expect(visibleState(busy, lock.state)).toEqual({ ...busy, lock: lock.state });
  });
});
