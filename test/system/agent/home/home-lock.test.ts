import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HomeLock, lockHolder } from '../../../../src/agent/home/home-lock.ts';
import { homeAt, prepareHome, type Home } from '../../../../src/agent/home/home.ts';

const holdProgram = join(import.meta.dirname, '../../../helpers/home-lock/hold.ts');
let home: Home;
let children: ChildProcess[];

beforeEach(() => {
  home = homeAt(mkdtempSync(join(tmpdir(), 'holdfast-lock-')));
  prepareHome(home);
  children = [];
});
afterEach(async () => {
  for (const child of children) await ended(child);
  rmSync(home.folder, { recursive: true, force: true });
});

/** Starts a process that takes the lock. Returns its output. */
async function start(command: string): Promise<{ child: ChildProcess; said: string }> {
  const child = spawn(process.execPath, [holdProgram, home.folder, command], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const [said] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { child, said };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

describe('the lock of a home', () => {
  test('reports its holder to a second process', async () => {
    const { child } = await start('backup documents');
    expect(() => HomeLock.acquire(home, 'restore photos', 0)).toThrow(
      expect.objectContaining({
        code: 'home_busy',
        details: expect.objectContaining({ pid: child.pid, command: 'backup documents' }),
      }),
    );
    expect(lockHolder(home)).toMatchObject({ pid: child.pid, command: 'backup documents' });
  });

  test('is released when its process is killed', async () => {
    const { child } = await start('backup documents');
    await ended(child);
    expect(lockHolder(home)).toBeUndefined();
    using lock = HomeLock.acquire(home, 'restore photos', 0);
    expect(lock).toBeInstanceOf(HomeLock);
  });

  test('excludes a second holder within a process and is free after its release', () => {
    const lock = HomeLock.acquire(home, 'first', 0);
    expect(() => HomeLock.acquire(home, 'second', 0)).toThrow(
      expect.objectContaining({ code: 'home_busy', details: expect.objectContaining({ command: 'first' }) }),
    );
    lock.release();
    HomeLock.acquire(home, 'second', 0).release();
    expect(lockHolder(home)).toBeUndefined();
  });

  test('of a dead process is taken over by exactly one of several processes', async () => {
    await ended((await start('killed')).child);
    const started = await Promise.all(['a', 'b', 'c', 'd'].map((name) => start(name)));
    const winners = started.filter(({ said }) => said === 'held');
    expect(winners).toHaveLength(1);
    for (const { said } of started) if (said !== 'held') expect(JSON.parse(said)).toMatchObject({ code: 'home_busy' });
  });

  test('fails in a missing folder', () => {
    const nowhere = homeAt(join(home.folder, 'nowhere'));
    expect(() => HomeLock.acquire(nowhere, 'x', 0)).toThrow(expect.objectContaining({ code: 'home_unwritable' }));
  });
});
