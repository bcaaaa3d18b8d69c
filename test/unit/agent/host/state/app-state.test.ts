import { afterEach, beforeEach, expect, test } from 'vitest';
import { SetHistories } from '../../../../../src/agent/history/set-history.ts';
import { prepareHome } from '../../../../../src/agent/home/home.ts';
import { saveStoredSettings } from '../../../../../src/agent/home/settings.ts';
import { CatalogAccess } from '../../../../../src/agent/host/activity/catalog-access.ts';
import { DestinationProgress } from '../../../../../src/agent/host/runs/destination-progress.ts';
import { AppStateMaker, type StateSources } from '../../../../../src/agent/host/state/app-state.ts';
import { DEFAULT_PREFERENCES } from '../../../../../src/ipc/contract/preferences.ts';
import type { Decision } from '../../../../../src/model/schedule/decision.ts';
import type { ActiveRun } from '../../../../../src/model/run.ts';
import { folderEntry, storedSettings } from '../../../../helpers/stored-settings.ts';
import { HandlerFixture } from '../handler-fixture.ts';

const DISK = '00000001';
const NAS = '00000002';
const NOW = Date.UTC(2026, 10, 21, 12);
const SET = {
  roots: ['/files'],
  excludes: [],
  presets: [],
  oneFileSystem: false,
  privateNames: false,
  schedule: 'hourly',
};

const next = (hours: number): Decision => ({ kind: 'next', at: NOW + hours * 3_600_000 });
/** Different for each pair. */
const DECISIONS: ReadonlyMap<string, ReadonlyMap<string, Decision>> = new Map([
  [
    'documents',
    new Map([
      [DISK, next(1)],
      [NAS, next(2)],
    ]),
  ],
  [
    'photos',
    new Map([
      [DISK, next(3)],
      [NAS, next(4)],
    ]),
  ],
]);

let fixture: HandlerFixture;
let catalog: CatalogAccess;
let progress: DestinationProgress;
let run: ActiveRun | undefined;
beforeEach(() => {
  fixture = new HandlerFixture();
  prepareHome(fixture.home);
  saveStoredSettings(
    fixture.home,
    storedSettings({
      destinations: [folderEntry(DISK, fixture.path('disk')), folderEntry(NAS, fixture.path('nas'))],
      sets: [
        { ...SET, name: 'documents' },
        { ...SET, name: 'photos' },
      ],
    }),
  );
  catalog = new CatalogAccess(fixture.home, { ...fixture.parts.clock, now: () => NOW });
  progress = new DestinationProgress({ notify: () => undefined });
  run = undefined;
});
afterEach(() => {
  catalog[Symbol.dispose]();
  fixture.close();
});

/** Returns the decision of each set at each destination. */
function decisions(known = DECISIONS): Readonly<Record<string, Decision>> {
  const sources: StateSources = {
    home: fixture.home,
    clock: { now: () => NOW },
    version: '0.1.0',
    catalog,
    histories: new SetHistories(),
    preferences: { get: () => DEFAULT_PREFERENCES },
    runs: { active: () => run },
    progress,
    destination: { statusOf: () => ({ isPresent: true, freeBytes: undefined }) },
    clockSkew: { aheadMs: undefined },
    scheduler: {
      decisions: () => known,
      decisionOf: (set) => known.get(set)?.get(DISK),
      verifications: () => new Map(),
      drills: () => new Map(),
      lastMoments: () => new Map(),
      paused: undefined,
    },
    alarms: { alarms: [] },
    restores: { needs: [] },
    report: { failed: undefined },
    mounts: { states: [] },
    restorable: { count: () => undefined },
  };
  const { destinations } = new AppStateMaker(sources).make();
  const pairs = destinations.flatMap(({ id, sets }) =>
    sets.map(({ set, decision }) => [`${set} ${id}`, decision] as const),
  );
  return Object.fromEntries(pairs);
}

const SCHEDULED = {
  [`documents ${DISK}`]: next(1),
  [`documents ${NAS}`]: next(2),
  [`photos ${DISK}`]: next(3),
  [`photos ${NAS}`]: next(4),
};

test('the decision of each set at each destination is that of the scheduler', () => {
  expect(decisions()).toEqual(SCHEDULED);
});

test('a set is running only at the destinations that its backup works on', () => {
  run = {
    id: 1,
    kind: 'backup',
    set: 'photos',
    trigger: 'schedule',
    startedAt: NOW - 60_000,
    phase: 'uploading',
    filesDone: 0,
    bytesDone: 0,
  };
  const running = { kind: 'running', since: NOW - 60_000, trigger: 'schedule' };
  progress.begin([{ id: NAS, name: 'NAS' }]);
  expect(decisions()).toEqual({ ...SCHEDULED, [`photos ${NAS}`]: running });
  progress.begin([
    { id: DISK, name: 'Disk' },
    { id: NAS, name: 'NAS' },
  ]);
  expect(decisions()).toEqual({ ...SCHEDULED, [`photos ${DISK}`]: running, [`photos ${NAS}`]: running });
  progress.ended(NAS, undefined);
  expect(decisions()).toEqual({ ...SCHEDULED, [`photos ${DISK}`]: running });
  run = { ...run, kind: 'verify' };
  expect(decisions()).toEqual(SCHEDULED);
});

test('a backup continues from what its own destinations had got', () => {
  const interrupt = (set: string, destination: string, filesDone: number, bytesDone: number): void =>
    catalog.read(({ journal }) => {
      const job = journal.begin({ kind: 'backup', backupSet: set, destination }, 'scanning', NOW - 60_000);
      journal.recordProgress(job, { filesDone, bytesDone }, NOW - 50_000);
      journal.transition(job, 'interrupted', NOW - 40_000, { reason: 'the process ended' });
    });
  interrupt('documents', DISK, 10, 100);
  interrupt('documents', NAS, 7, 30);
  interrupt('photos', NAS, 99, 9_999);
  expect(catalog.unfinishedProgress('documents', [DISK])).toEqual({ filesDone: 10, bytesDone: 100 });
  expect(catalog.unfinishedProgress('documents', [NAS])).toEqual({ filesDone: 7, bytesDone: 30 });
  expect(catalog.unfinishedProgress('documents', [DISK, NAS])).toEqual({ filesDone: 10, bytesDone: 130 });
  expect(catalog.unfinishedProgress('photos', [DISK])).toBeUndefined();
});

test('a set whose run has just ended is not running any more', () => {
  const since = NOW - 60_000;
  const stale: Decision = { kind: 'running', since, trigger: 'schedule' };
  const known = new Map([...DECISIONS, ['photos', new Map([[DISK, stale]])] as const]);
  expect(decisions(known)).toMatchObject({ [`photos ${DISK}`]: { kind: 'next', at: NOW } });
});
