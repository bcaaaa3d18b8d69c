import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { HostInTime, setForm } from '../host-in-time.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let folder: string;
let host: HostInTime;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-scheduled-'));
  mkdirSync(join(folder, 'files'));
  writeFileSync(join(folder, 'files', 'a.txt'), 'text');
  host = new HostInTime(join(folder, 'home'));
});
afterEach(async () => {
  await host[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

test('runs a due backup by itself, with its time and reason in the state', async () => {
  host.start();
  await host.call('setup.finish', {
    choice: { kind: 'folder', path: join(folder, 'backups') },
    deviceName: 'laptop',
  });
  await host.call('sets.add', { form: setForm(join(folder, 'files'), 'every 30 minutes') });
  await host.call('runs.backup', { set: 'Documents' });
  const first = await host.until(({ runs, sets }) => runs.length === 0 && sets[0]?.lastBackup?.outcome === 'succeeded');
  const { id } = first.sets[0]!.lastBackup!;
  await host.until(({ sets }) => sets[0]?.decision.kind === 'next');

  host.pass(31 * MINUTE);
  await host.until(({ runs, sets }) => runs.length === 0 && (sets[0]?.lastBackup?.id ?? 0) > id);
  const { runs } = (await host.call('activity.list', { limit: 1 })) as { runs: readonly object[] };
  expect(runs).toMatchObject([
    { kind: 'backup', outcome: 'succeeded', trigger: expect.stringMatching(/schedule|missed/) },
  ]);

  await host.call('runs.pause', {});
  host.states.length = 0;
  host.pass(4 * DAY);
  const late = await host.until(({ health }) => health === 'at-risk');
  expect(late).toMatchObject({ pause: {}, needs: [{ kind: 'no-backup-for', set: 'Documents', days: 4 }, {}] });
  expect(host.notices).toEqual([{ kind: 'no-backup-for', set: 'Documents', days: 4 }]);

  await host.call('runs.resume', {});
  const again = await host.until(({ runs, needs }) => runs.length > 0 || needs[0]?.kind === 'phrase-unconfirmed');
  expect(again.pause).toBeUndefined();
  await host.until(({ health, runs }) => health !== 'at-risk' && runs.length === 0);
});

test('reports a missing destination as soon as a run has failed', async () => {
  host.start();
  const backups = join(folder, 'backups');
  await host.call('setup.finish', { choice: { kind: 'folder', path: backups }, deviceName: 'laptop' });
  await host.call('sets.add', { form: setForm(join(folder, 'files'), 'every 30 minutes') });
  await host.call('runs.backup', { set: 'Documents' });
  await host.until(({ runs, sets }) => runs.length === 0 && sets[0]?.lastBackup?.outcome === 'succeeded');
  renameSync(backups, `${backups}.away`);
  await host.call('runs.backup', { set: 'Documents' }).catch(() => undefined);
  // The time for the next periodic check does not pass.
  const isReported = (): boolean => host.states.at(-1)!.needs.some(({ kind }) => kind === 'destination-missing');
  await expect.poll(isReported).toBe(true);
});
