import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AppState } from '../../../src/ipc/state.ts';
import { HostInTime, setForm } from './host-in-time.ts';
import { HostProcess } from './host-process.ts';

const MINUTE = 60_000;

let folder: string;
const at = (...names: string[]): string => join(folder, ...names);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-resume-'));
  mkdirSync(at('files'));
  for (let file = 0; file < 4; file += 1) writeFileSync(at('files', `${file}`), randomBytes(24 * 2 ** 20));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A run that a person began, and that ends with its process as by a crash or by a loss of power. */
async function killedInTheMiddle(schedule: string): Promise<void> {
  await using host = new HostProcess(at('home'));
  await host.ready;
  await host.call('setup.finish', { destination: { kind: 'folder', path: at('backups') }, deviceName: 'laptop' });
  await host.call('sets.add', { form: setForm(at('files'), schedule) });
  await host.call('runs.backup', { set: 'Documents' });
  await host.until('the run', ({ runs }) => runs.length === 1);
  await host.kill();
}

async function backups(host: HostInTime): Promise<readonly { trigger: string; outcome: string }[]> {
  const { runs } = (await host.call('activity.list', { limit: 10, kind: 'backup' })) as {
    runs: { trigger: string; outcome: string }[];
  };
  return runs.map(({ trigger, outcome }) => ({ trigger, outcome }));
}

const isBackedUp = ({ runs, sets: [set] }: AppState): boolean =>
  runs.length === 0 && set?.lastBackup?.outcome === 'succeeded';

describe('a run whose process was killed', () => {
  test.each(['manual', 'daily 02:30'])('goes on by itself within a minute, once (%s)', async (schedule) => {
    await killedInTheMiddle(schedule);
    await using host = new HostInTime(at('home'));
    host.start();
    const waiting = await host.until(({ sets: [set] }) => set?.lastBackup?.outcome === 'interrupted');
    expect(waiting).toMatchObject({ runs: [], sets: [{ isResumable: true }] });
    const before = host.passed;
    await host.until(({ runs: [run] }) => run?.trigger === 'resume');
    expect(host.passed - before).toBeLessThan(MINUTE);
    await host.until(isBackedUp);
    host.pass(MINUTE);
    await host.until(isBackedUp);
    expect(await backups(host)).toEqual([
      { trigger: 'resume', outcome: 'succeeded' },
      { trigger: 'person', outcome: 'interrupted' },
    ]);
  });
});
