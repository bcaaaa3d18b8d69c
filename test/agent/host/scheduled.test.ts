import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Agent } from '../../../src/agent/agent.ts';
import { homeAt } from '../../../src/agent/home/home.ts';
import { AgentHost } from '../../../src/agent/host/host.ts';
import { HomeKeyStore } from '../../../src/agent/key-store/home-key-store.ts';
import type { Timers } from '../../../src/agent/schedule/ports.ts';
import { systemClock } from '../../../src/engine/clock.ts';
import { UNKNOWN_NETWORK } from '../../../src/engine/power/network.ts';
import { UNKNOWN_POWER } from '../../../src/engine/power/ports.ts';
import type { AppState } from '../../../src/ipc/state.ts';
import type { Notice } from '../../../src/ipc/wire.ts';
import { MemoryKeychain } from '../../helpers/keyring/memory-keychain.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let folder: string;
let host: AgentHost;
let states: AppState[];
let notices: Notice[];
let offset: number;
let wake: Set<() => void>;

/** Timers that ring when the test lets time pass. */
const timers: Timers = {
  after(_milliseconds, run) {
    wake.add(run);
    return () => wake.delete(run);
  },
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-scheduled-'));
  mkdirSync(join(folder, 'files'));
  writeFileSync(join(folder, 'files', 'a.txt'), 'text');
  states = [];
  notices = [];
  offset = 0;
  wake = new Set();
  const home = homeAt(join(folder, 'home'));
  host = new AgentHost({
    home,
    environment: {},
    clock: { ...systemClock, now: () => Date.now() + offset },
    timers,
    readings: {
      power: { read: () => Promise.resolve(UNKNOWN_POWER) },
      network: { read: () => Promise.resolve(UNKNOWN_NETWORK) },
    },
    newAgent: (parts) => new Agent(parts),
    keyStore: new HomeKeyStore(home, new MemoryKeychain()),
    post: (message) => {
      if (message.kind === 'state') states.push(message.state);
      if (message.kind === 'notice') notices.push(message.notice);
    },
  });
});
afterEach(async () => {
  await host.close();
  rmSync(folder, { recursive: true, force: true });
});

async function call(method: string, input: object): Promise<unknown> {
  const answer = await host.call(method, input);
  if (!answer.ok) throw new Error(JSON.stringify(answer.failure));
  return answer.value;
}

/** All that wait for a time are woken: each looks by itself whether it has come. */
function pass(milliseconds: number): void {
  offset += milliseconds;
  const waiting = [...wake];
  wake.clear();
  for (const run of waiting) run();
}

/** Time goes faster than usual: after a sleep the scheduler lets the network come back first. */
async function until(holds: (state: AppState) => boolean): Promise<AppState> {
  await expect
    .poll(
      () => {
        pass(2000);
        return states.some(holds);
      },
      { timeout: 60_000, interval: 100 },
    )
    .toBe(true);
  return states.find(holds)!;
}

test('what is due runs by itself, and a state says when and why', async () => {
  host.start();
  await call('setup.finish', { destination: { kind: 'folder', path: join(folder, 'backups') }, deviceName: 'laptop' });
  const form = {
    name: 'Documents',
    roots: [join(folder, 'files')],
    excludes: [],
    presets: [],
    oneFileSystem: false,
    privateNames: false,
    schedule: 'every 30 minutes',
    conditions: {},
    limits: {},
  };
  await call('sets.add', { form });
  await call('runs.backup', { set: 'Documents' });
  const first = await until(({ runs, sets }) => runs.length === 0 && sets[0]?.lastBackup?.outcome === 'succeeded');
  const { id } = first.sets[0]!.lastBackup!;
  await until(({ sets }) => sets[0]?.decision.kind === 'next');

  pass(31 * MINUTE);
  await until(({ runs, sets }) => runs.length === 0 && (sets[0]?.lastBackup?.id ?? 0) > id);
  const { runs } = (await call('activity.list', { limit: 1 })) as { runs: readonly object[] };
  expect(runs).toMatchObject([
    { kind: 'backup', outcome: 'succeeded', trigger: expect.stringMatching(/schedule|missed/) },
  ]);

  await call('runs.pause', {});
  states.length = 0;
  pass(4 * DAY);
  const late = await until(({ health }) => health === 'at-risk');
  expect(late).toMatchObject({ pause: {}, needs: [{ kind: 'no-backup-for', set: 'Documents', days: 4 }, {}] });
  expect(notices).toEqual([{ kind: 'no-backup-for', set: 'Documents', days: 4 }]);

  await call('runs.resume', {});
  const again = await until(({ runs, needs }) => runs.length > 0 || needs[0]?.kind === 'phrase-unconfirmed');
  expect(again.pause).toBeUndefined();
  await until(({ health, runs }) => health !== 'at-risk' && runs.length === 0);
});
