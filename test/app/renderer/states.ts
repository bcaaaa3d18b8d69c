import { DEFAULT_PREFERENCES } from '../../../src/ipc/contract/preferences.ts';
import type { AppState, ConfiguredDestination, SetState } from '../../../src/ipc/state.ts';
import type { ActiveRun } from '../../../src/model/run.ts';

/** Time of the states below, and of the page that shows them. */
export const NOW = Date.now();
const HOUR = 3_600_000;

export const DOCUMENTS: SetState = {
  name: 'Documents',
  roots: ['/home/anna/Documents'],
  schedule: 'hourly',
  decision: { kind: 'next', at: NOW + HOUR / 2 },
  lastBackup: {
    id: 12,
    kind: 'backup',
    outcome: 'succeeded',
    startedAt: NOW - 13 * 60_000,
    endedAt: NOW - 12 * 60_000,
    warnings: 0,
  },
  lastPoint: { at: NOW - 12 * 60_000, files: 18_204, bytes: 12_400_000_000 },
  isResumable: false,
};

export const RUNNING: ActiveRun = {
  id: 13,
  kind: 'backup',
  set: 'Documents',
  trigger: 'schedule',
  startedAt: NOW - 95_000,
  phase: 'uploading',
  filesDone: 18_210,
  filesTotal: 18_210,
  bytesDone: 431_000_000,
  bytesTotal: 1_900_000_000,
  bytesPerSecond: 11_800_000,
  currentPath: '/home/anna/Documents/Thesis/figures/microscope-2026-11-20.tiff',
  etaSeconds: 125,
};

/** The only destination of `PROTECTED`. */
export const BACKUP_DISK: ConfiguredDestination = {
  id: '0a1b2c3d',
  name: 'Backup disk',
  kind: 'folder',
  location: '/media/anna/Backup disk/holdfast',
  freeBytes: 812_000_000_000,
  isAtHand: true,
  parity: 10,
  sets: [{ set: DOCUMENTS.name, lastGoodAt: NOW - 12 * 60_000, state: 'succeeded', decision: DOCUMENTS.decision }],
  storage: {
    storedBytes: 15_100_000_000,
    savedBytes: 96_000_000_000,
    growth: { days: 30, bytes: 2_100_000_000 },
    fullAt: NOW + 400 * 86_400_000,
  },
};

/** One set, backed up a quarter of an hour ago. */
export const PROTECTED: AppState = {
  health: 'protected',
  since: NOW - 12 * 60_000,
  version: '0.1.0',
  home: '/home/anna/.local/share/holdfast',
  destination: { kind: 'folder', location: '/media/anna/Backup disk/holdfast', freeBytes: 812_000_000_000 },
  destinations: [BACKUP_DISK],
  device: { id: 'dev_1', name: 'Anna’s laptop' },
  sets: [DOCUMENTS],
  runs: [],
  needs: [],
  storage: { protectedBytes: 12_400_000_000, storedBytes: 15_100_000_000, savedBytes: 96_000_000_000 },
  days: Array.from({ length: 30 }, (_, index) => ({
    date: new Date(NOW - (29 - index) * 24 * HOUR).toISOString().slice(0, 10),
    outcome: index < 4 ? 'none' : index === 11 ? 'warnings' : index === 17 ? 'failed' : 'succeeded',
    runs: index < 4 ? 0 : 9,
  })),
  preferences: DEFAULT_PREFERENCES,
};

/** A service as the only destination. */
export const SERVICE: ConfiguredDestination = {
  ...BACKUP_DISK,
  name: 'backup.example.org',
  kind: 'service',
  location: 'https://backup.example.org',
  freeBytes: undefined,
};

/** As `PROTECTED`, with a service as the only destination. */
export const AT_SERVICE: AppState = {
  ...PROTECTED,
  destination: { kind: SERVICE.kind, location: SERVICE.location },
  destinations: [SERVICE],
};

/** Destinations beside the disk. */
export const BUCKET: ConfiguredDestination = {
  id: '1b2c3d4e',
  name: 'photos-of-anna',
  kind: 'bucket',
  location: 's3://photos-of-anna/holdfast',
  isAtHand: true,
  schedule: 'daily 20:00',
  sets: [
    {
      set: DOCUMENTS.name,
      lastGoodAt: NOW - 26 * HOUR,
      state: 'succeeded',
      decision: { kind: 'next', at: NOW + 6 * HOUR },
    },
  ],
  storage: { storedBytes: 14_900_000_000 },
};
export const NAS: ConfiguredDestination = {
  id: '2c3d4e5f',
  name: 'nas.local',
  kind: 'sftp',
  location: 'sftp://anna@nas.local/~/Holdfast',
  freeBytes: 2_100_000_000_000,
  isAtHand: true,
  sets: [{ set: DOCUMENTS.name, state: 'none', decision: DOCUMENTS.decision }],
  storage: {},
};

/** As `PROTECTED`, with two more destinations: a bucket, and a server that nothing is backed up to yet. */
export const SEVERAL: AppState = { ...PROTECTED, destinations: [BACKUP_DISK, BUCKET, NAS] };

/** As `RUNNING`: done at the disk, under way to the bucket, and failed at the server. */
export const RUNNING_AT_SEVERAL: ActiveRun = {
  ...RUNNING,
  destinations: [
    {
      id: BACKUP_DISK.id,
      name: BACKUP_DISK.name,
      phase: 'done',
      bytesDone: 200_000_000,
      bytesTotal: 200_000_000,
      chunksDone: 210,
      chunksTotal: 210,
    },
    {
      id: BUCKET.id,
      name: BUCKET.name,
      phase: 'uploading',
      bytesDone: 231_000_000,
      bytesTotal: 1_700_000_000,
      chunksDone: 240,
      chunksTotal: 1_700,
    },
    {
      id: NAS.id,
      name: NAS.name,
      phase: 'failed',
      bytesDone: 0,
      chunksDone: 0,
      failure: { code: 'service_unreachable', details: { address: 'sftp://anna@nas.local' } },
    },
  ],
};

/** The state before setup. */
export const NOT_SET_UP: AppState = {
  health: 'not-set-up',
  version: '0.1.0',
  home: '/home/anna/.local/share/holdfast',
  destinations: [],
  sets: [],
  runs: [],
  needs: [],
  storage: { protectedBytes: 0 },
  days: [],
  preferences: DEFAULT_PREFERENCES,
};
