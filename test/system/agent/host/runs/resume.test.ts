import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { homeAt } from '../../../../../src/agent/home/home.ts';
import { requireSettings } from '../../../../../src/agent/home/settings.ts';
import { Catalog } from '../../../../../src/catalog/catalog.ts';
import type { JobProgress } from '../../../../../src/jobs/job-record.ts';
import type { AppState } from '../../../../../src/ipc/state.ts';
import { HostInTime, setForm } from '../host-in-time.ts';
import { HostProcess } from '../host-process.ts';

const MINUTE = 60_000;
/** Every day at a time that does not come while a test runs. */
const DAILY = `daily ${String((new Date().getHours() + 12) % 24).padStart(2, '0')}:30`;

let folder: string;
const at = (...names: string[]): string => join(folder, ...names);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-resume-'));
  mkdirSync(at('files'));
  for (let file = 0; file < 8; file += 1) writeFileSync(at('files', `${file}`), randomBytes(16 * 2 ** 20));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Begins a backup and ends its process in the middle. */
async function endedInTheMiddle(schedule: string, how: 'kill' | 'stop'): Promise<void> {
  await using host = new HostProcess(at('home'));
  await host.ready;
  await host.call('setup.finish', { choice: { kind: 'folder', path: at('backups') }, deviceName: 'laptop' });
  await host.call('sets.add', { form: setForm(at('files'), schedule) });
  await host.call('runs.backup', { set: 'Documents' });
  await host.until('the run', ({ runs: [run] }) => run !== undefined && (how === 'kill' || run.bytesDone > 0));
  await host[how]();
}

async function backups(host: HostInTime): Promise<readonly { trigger: string; outcome: string }[]> {
  const { runs } = (await host.call('activity.list', { limit: 10, kind: 'backup' })) as {
    runs: { trigger: string; outcome: string }[];
  };
  return runs.map(({ trigger, outcome }) => ({ trigger, outcome }));
}

/** The progress that the next backup continues. */
function recordedProgress(): JobProgress | undefined {
  const home = homeAt(at('home'));
  using catalog = new Catalog(home.catalogFile);
  return catalog.journal.unfinishedProgress('Documents', requireSettings(home).id, Date.now());
}

const isBackedUp = ({ runs, sets: [set] }: AppState): boolean =>
  runs.length === 0 && set?.lastBackup?.outcome === 'succeeded';

describe('a backup whose process ended', () => {
  test.each([
    ['manual', 'manual'],
    ['daily', DAILY],
  ])('continues by itself within a minute, once (%s)', async (_, schedule) => {
    await endedInTheMiddle(schedule, 'kill');
    await using host = new HostInTime(at('home'));
    host.start();
    const waiting = await host.seen(({ sets: [set] }) => set?.decision.kind === 'waiting');
    const { decision, isResumable, lastBackup } = waiting.sets[0]!;
    expect({ isResumable, outcome: lastBackup?.outcome }).toEqual({ isResumable: true, outcome: 'interrupted' });
    expect(decision).toMatchObject({ reason: { kind: 'retry', failure: { code: 'interrupted' } } });
    const retryAt = decision.kind === 'waiting' && decision.reason.kind === 'retry' ? decision.reason.at : Number.NaN;
    expect(retryAt - lastBackup!.endedAt).toBeLessThan(MINUTE);
    await host.until(({ runs: [run] }) => run?.trigger === 'resume');
    await host.until(isBackedUp);
    host.pass(MINUTE);
    await host.until(isBackedUp);
    expect(await backups(host)).toEqual([
      { trigger: 'resume', outcome: 'succeeded' },
      { trigger: 'person', outcome: 'interrupted' },
    ]);
  });

  test('continues to show the progress that was reached', async () => {
    await endedInTheMiddle('manual', 'stop');
    const recorded = recordedProgress()!;
    expect(recorded.bytesDone).toBeGreaterThan(0);
    // Enough is left that progress is published on fast machines, too.
    for (let file = 8; file < 28; file += 1) writeFileSync(at('files', `${file}`), randomBytes(16 * 2 ** 20));
    await using host = new HostInTime(at('home'));
    host.start();
    await host.until(isBackedUp);
    const published = host.states.flatMap(({ runs }) => runs);
    expect(published.length).toBeGreaterThan(0);
    for (const { bytesDone } of published) expect(bytesDone).toBeGreaterThanOrEqual(recorded.bytesDone);
    expect(recordedProgress()).toBeUndefined();
  });
});
