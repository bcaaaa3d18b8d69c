import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { homeAt, prepareHome, type Home } from '../../../../src/agent/home/home.ts';
import type { DestinationEntry } from '../../../../src/agent/home/destination-entry.ts';
import { Notices } from '../../../../src/agent/host/notices.ts';
import { CatalogAccess } from '../../../../src/agent/host/activity/catalog-access.ts';
import type { EndedRun } from '../../../../src/agent/host/runs/run-request.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { HoldfastError } from '../../../../src/base/errors/errors.ts';
import { RecordedJob } from '../../../../src/jobs/recorded-job.ts';
import { DEFAULT_PREFERENCES, type Preferences } from '../../../../src/ipc/contract/preferences.ts';
import type { AppState } from '../../../../src/ipc/state.ts';
import type { Notice } from '../../../../src/ipc/agent-events.ts';

const DAY = 86_400_000;

/** The destinations, as far as notices name them. */
const ENTRIES = [
  { id: 'disk', name: 'Backup disk' },
  { id: 'cloud', name: 'Cloud' },
  { id: 'nas', name: 'NAS' },
] as unknown as readonly DestinationEntry[];

let home: Home;
let catalog: CatalogAccess;
let notices: Notices;
let sent: Notice[];
let preferences: Preferences;
let now: number;

beforeEach(() => {
  home = homeAt(mkdtempSync(join(tmpdir(), 'holdfast-notices-')));
  prepareHome(home);
  catalog = new CatalogAccess(home, systemClock);
  sent = [];
  preferences = DEFAULT_PREFERENCES;
  now = new Date(2026, 10, 21, 12).getTime();
  notices = newNotices();
});
afterEach(() => {
  catalog[Symbol.dispose]();
  rmSync(home.folder, { recursive: true, force: true });
});

/** Creates the notices as at a start of the program. */
const newNotices = (): Notices =>
  new Notices({
    home,
    clock: { now: () => now },
    catalog,
    settings: { entries: ENTRIES },
    preferences: { get: () => preferences },
    send: (notice) => void sent.push(notice),
  });

/** Runs a job to its end. */
async function run(
  kind: EndedRun['kind'],
  work: () => Promise<Parameters<RecordedJob['record']>[0] extends () => Promise<infer Outcome> ? Outcome : never>,
): Promise<void> {
  const job = catalog.read(
    ({ journal }) => new RecordedJob(journal, systemClock, { kind, backupSet: 'Documents', destination: 'sole' }),
  );
  let error: unknown;
  await job.record(work).catch((reason: unknown) => (error = reason));
  const { id } = catalog.read(({ journal }) => journal.recent('Documents', 1)[0]!);
  const ended: EndedRun = catalog.ended(id, { kind, set: 'Documents', trigger: 'schedule' }, error);
  notices.ended(ended);
}

/** Records a run to several destinations, by their ids. Its jobs begin together. */
function backUpTo(places: Readonly<Record<string, 'works' | 'fails' | 'stops'>>): void {
  const ids = catalog.read(({ journal }) => {
    now += 60_000;
    const jobs = Object.keys(places).map((destination) =>
      journal.begin({ kind: 'backup', backupSet: 'Documents', destination }, 'scanning', now),
    );
    now += 60_000;
    const failed = { report: { error: 'service_unreachable', details: {} } };
    for (const [index, end] of Object.values(places).entries()) {
      const id = jobs[index]!;
      if (end === 'works') journal.transition(id, 'uploading', now);
      if (end === 'works') journal.transition(id, 'committing', now);
      const state = ({ works: 'succeeded', fails: 'failed', stops: 'interrupted' } as const)[end];
      journal.transition(id, state, now, end === 'fails' ? failed : { report: {} });
    }
    return jobs;
  });
  notices.ended(catalog.ended(ids[0]!, { kind: 'backup', set: 'Documents', trigger: 'schedule' }, undefined));
}

const fails = (): Promise<never> =>
  Promise.reject(new HoldfastError('service_unreachable', { address: 'https://backup.example.org' }));
const UNREACHABLE: unknown = expect.objectContaining({
  code: 'service_unreachable',
});
const works = () => Promise.resolve({ report: {}, warnings: 0 });

describe('notices', () => {
  test('are not sent for a backup that succeeded or was stopped', async () => {
    await run('backup', works);
    await run('backup', () => Promise.resolve({ report: { warnings: [{}] }, warnings: 1 }));
    await run('backup', () => Promise.reject(new HoldfastError('interrupted')));
    expect(sent).toEqual([]);
  });

  test('are sent once for repeated failures, and again after a success', async () => {
    await run('backup', fails);
    await run('backup', fails);
    expect(sent).toEqual([{ kind: 'backup-failed', set: 'Documents', failure: UNREACHABLE }]);
    await run('backup', works);
    await run('backup', fails);
    expect(sent).toHaveLength(2);
  });

  test('are sent once for a run that failed at one of several destinations, whichever it is', async () => {
    backUpTo({ disk: 'works', cloud: 'fails', nas: 'works' });
    const failed = { kind: 'backup-failed', set: 'Documents', failure: UNREACHABLE };
    expect(sent).toEqual([{ ...failed, destinations: ['Cloud'] }]);
    backUpTo({ disk: 'works', cloud: 'fails', nas: 'works' });
    expect(sent).toHaveLength(1);
    backUpTo({ disk: 'fails', cloud: 'fails', nas: 'fails' });
    expect(sent.slice(1)).toEqual([{ ...failed, destinations: ['Backup disk', 'NAS'] }]);
    backUpTo({ disk: 'works', cloud: 'works', nas: 'stops' });
    expect(sent).toHaveLength(2);
    backUpTo({ disk: 'fails', cloud: 'fails' });
    expect(sent.slice(2)).toEqual([failed]);
  });

  test('are sent again for a destination that succeeded in between, although another one fails each time', async () => {
    backUpTo({ disk: 'fails', cloud: 'fails' });
    backUpTo({ disk: 'fails', cloud: 'works' });
    backUpTo({ disk: 'fails', cloud: 'fails' });
    expect(sent).toEqual([
      { kind: 'backup-failed', set: 'Documents', failure: UNREACHABLE },
      { kind: 'backup-failed', set: 'Documents', failure: UNREACHABLE, destinations: ['Cloud'] },
    ]);
  });

  test('are sent when a restore has ended, unless it was stopped', async () => {
    const report = { filesRestored: 7, bytesWritten: 70, failures: [], failuresTotal: 0, warnings: [] };
    await run('restore', () => Promise.resolve({ report, warnings: 0 }));
    await run('restore', () => Promise.resolve({ report: { ...report, failuresTotal: 2 }, warnings: 0, failures: 2 }));
    await run('restore', () => Promise.reject(new HoldfastError('interrupted')));
    await run('restore', fails);
    const none = { ...report, filesRestored: 0, failures: [{ path: '/a', reason: 'chunk_missing' }], failuresTotal: 1 };
    await run('restore', () => Promise.resolve({ report: none, warnings: 0, failures: 1 }));
    expect(sent).toEqual([
      { kind: 'restored', set: 'Documents', files: 7, failures: 0 },
      { kind: 'restored', set: 'Documents', files: 7, failures: 2 },
      { kind: 'restore-failed', set: 'Documents', failure: UNREACHABLE },
      { kind: 'restore-failed', set: 'Documents' },
    ]);
  });

  test('are sent for damage, but not for a verification that could not run', async () => {
    await run('verify', fails);
    expect(sent).toEqual([]);
    await run('verify', () => Promise.resolve({ report: { failuresTotal: 1 }, warnings: 0, failures: 1 }));
    expect(sent).toEqual([{ kind: 'verification-failed', set: 'Documents' }]);
  });

  test('follow the preferences', async () => {
    preferences = { ...DEFAULT_PREFERENCES, notifications: { failures: false, noBackupDays: 3, restores: false } };
    await run('backup', fails);
    await run('restore', works);
    expect(sent).toEqual([]);
  });

  test('are sent once a day for each destination without a backup, which they name', () => {
    const late = (id: string, name: string) => ({
      kind: 'no-backup-for',
      set: 'Documents',
      days: 3,
      destination: { id, name },
    });
    const state = { needs: [late('cloud', 'Cloud'), late('nas', 'NAS')], preferences } as unknown as AppState;
    notices.stateChanged({ ...state, needs: state.needs.slice(0, 1) });
    notices.stateChanged(state);
    notices.stateChanged(state);
    const notice = { kind: 'no-backup-for', set: 'Documents', days: 3 };
    expect(sent).toEqual([
      { ...notice, destination: 'Cloud' },
      { ...notice, destination: 'NAS' },
    ]);
  });

  test('are sent for a backup that could not be recorded, without reading the catalog', () => {
    catalog.read = () => {
      throw new Error('the catalog was read');
    };
    const failure = { code: 'disk_full', details: {} } as never;
    notices.ended({
      id: 0,
      kind: 'backup',
      set: 'Documents',
      trigger: 'schedule',
      outcome: 'failed',
      startedAt: now,
      endedAt: now,
      warnings: 0,
      failure,
    });
    expect(sent).toMatchObject([{ kind: 'backup-failed', set: 'Documents', failure: { code: 'disk_full' } }]);
  });

  test('are sent once a day for a set without a backup, over a restart too', () => {
    const state = (...sets: readonly string[]): AppState =>
      ({ needs: sets.map((set) => ({ kind: 'no-backup-for', set, days: 3 })), preferences }) as unknown as AppState;
    notices.stateChanged(state('Documents'));
    notices.stateChanged(state('Documents'));
    notices = newNotices();
    notices.stateChanged(state('Documents'));
    expect(sent).toEqual([{ kind: 'no-backup-for', set: 'Documents', days: 3 }]);
    notices.stateChanged(state('Documents', 'Pictures'));
    expect(sent.map((notice) => notice.set)).toEqual(['Documents', 'Pictures']);
    now += DAY;
    notices.stateChanged(state('Documents'));
    notices.stateChanged(state());
    expect(sent).toHaveLength(3);
  });
});
