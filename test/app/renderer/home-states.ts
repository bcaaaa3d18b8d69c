import type { AppState, ConfiguredDestination, SetAtDestination } from '../../../src/ipc/state.ts';
import type { Place } from '../../../src/model/destination.ts';
import {
  BACKUP_DISK,
  BUCKET,
  DOCUMENTS,
  NAS,
  NOT_SET_UP,
  NOW,
  PROTECTED,
  RUNNING,
  RUNNING_AT_SEVERAL,
  SEVERAL,
} from './states.ts';

const HOUR = 3_600_000;

const UNREACHABLE = { code: 'service_unreachable', details: { address: 'https://s3.example.org' } } as const;

function placeOf({ id, name }: ConfiguredDestination): Place {
  return { id, name };
}

function runningNow(set: SetAtDestination): SetAtDestination {
  return { ...set, state: 'running', decision: { kind: 'running', since: NOW - 95_000, trigger: 'schedule' } };
}

function backingUp(destination: ConfiguredDestination): ConfiguredDestination {
  return { ...destination, sets: destination.sets.map(runningNow) };
}

function withoutBackups(destination: ConfiguredDestination): ConfiguredDestination {
  const { decision } = DOCUMENTS;
  return { ...destination, storage: {}, sets: [{ set: DOCUMENTS.name, state: 'none', decision }] };
}

/** Every state of the home view, by its name in screenshots. */
export const HOME_STATES: Readonly<Record<string, AppState>> = {
  protected: PROTECTED,
  running: {
    ...PROTECTED,
    health: 'running',
    runs: [RUNNING],
    sets: [{ ...DOCUMENTS, decision: { kind: 'running', since: NOW - 95_000, trigger: 'schedule' } }],
  },
  'a restore that goes on': {
    ...PROTECTED,
    health: 'running',
    runs: [{ ...RUNNING, kind: 'restore', trigger: 'resume', phase: 'downloading' }],
  },
  'a restore that waits': {
    ...PROTECTED,
    needs: [
      { kind: 'restore-unfinished', set: 'Documents', to: '/home/anna/Restored', waitsFor: '/media/anna/Backup disk' },
    ],
  },
  'a restore after another program': {
    ...PROTECTED,
    needs: [{ kind: 'restore-unfinished', set: 'Documents', to: '/home/anna/Restored' }],
  },
  scanning: {
    ...PROTECTED,
    health: 'running',
    runs: [
      {
        id: 14,
        kind: 'backup',
        set: 'Documents',
        trigger: 'missed',
        startedAt: NOW,
        phase: 'scanning',
        filesDone: 912,
        bytesDone: 0,
        lowPriority: 'load',
      },
    ],
  },
  'folders are missing': {
    ...PROTECTED,
    health: 'attention',
    needs: [
      { kind: 'folder-missing', set: 'Documents', folder: '/home/anna/Music', problem: 'missing' },
      { kind: 'folder-missing', set: 'Documents', folder: '/media/anna/Camera', problem: 'other-disk' },
      { kind: 'folder-missing', set: 'Documents', folder: '/home/anna/Documents/nas', problem: 'not-mounted' },
    ],
    sets: [{ ...DOCUMENTS, roots: ['/home/anna/Music', ...DOCUMENTS.roots, '/media/anna/Camera'] }],
  },
  waiting: {
    ...PROTECTED,
    health: 'waiting',
    sets: [
      {
        ...DOCUMENTS,
        decision: { kind: 'waiting', since: NOW - 3 * HOUR, reason: { kind: 'battery', percent: 31, atLeast: 50 } },
        verification: { kind: 'waiting', since: NOW - 2 * HOUR, reason: { kind: 'metered' } },
        lastMoment: { dueAt: NOW - 9 * HOUR, ranAt: NOW - 9 * HOUR + 120_000, lateBy: 'asleep' },
      },
    ],
  },
  paused: { ...PROTECTED, health: 'paused', pause: { until: NOW + HOUR } },
  attention: {
    ...PROTECTED,
    health: 'attention',
    needs: [
      {
        kind: 'failed',
        set: 'Photos',
        at: NOW - HOUR,
        failure: { code: 'destination_full', details: { directory: '/media/anna/Backup disk/holdfast' } },
      },
      { kind: 'warnings', set: 'Documents', run: 12, count: 3 },
    ],
    sets: [
      DOCUMENTS,
      {
        ...DOCUMENTS,
        name: 'Photos',
        decision: { kind: 'quiet', until: NOW + 300_000 },
        verification: { kind: 'next', at: NOW + 70 * HOUR },
        lastBackup: { ...DOCUMENTS.lastBackup!, outcome: 'failed' },
        isResumable: true,
      },
    ],
  },
  'at risk': {
    ...PROTECTED,
    health: 'at-risk',
    needs: [
      { kind: 'no-backup-for', set: 'Documents', days: 4 },
      { kind: 'destination-missing', location: '/media/anna/Backup disk/holdfast' },
      { kind: 'signed-out' },
      { kind: 'verification-failed', set: 'Documents', run: 11 },
      { kind: 'agent-restarted', at: NOW },
      {
        kind: 'restore-unfinished',
        set: 'Photos',
        to: '/home/anna/Restored',
        failure: { code: 'target_unwritable', details: { target: '/home/anna/Restored', problem: 'gone' } },
      },
    ],
  },
  suspicious: {
    ...PROTECTED,
    health: 'at-risk',
    needs: [
      {
        kind: 'suspicious-run',
        set: 'Documents',
        run: 12,
        at: NOW - 13 * 60_000,
        reasons: ['mass_encryption', 'known_names'],
        safePoint: '2026-11-21T11:12:00.000Z',
      },
    ],
  },
  'suspicious elsewhere': {
    ...PROTECTED,
    health: 'attention',
    needs: [{ kind: 'suspicious-run', at: NOW - 26 * HOUR, reasons: [] }],
  },
  empty: {
    ...PROTECTED,
    health: 'at-risk',
    sets: [],
    needs: [{ kind: 'no-set' }],
    days: [],
    storage: { protectedBytes: 0 },
  },
  'only adopted': {
    ...PROTECTED,
    health: 'attention',
    sets: [],
    needs: [{ kind: 'no-set', restorable: 2 }],
    days: [],
    storage: { protectedBytes: 0 },
  },
  'no agent': {
    ...NOT_SET_UP,
    health: 'at-risk',
    trouble: {
      problem: 'ends',
      lines: [
        "Error: EACCES: permission denied, open '/home/anna/.local/share/holdfast/settings.json'",
        '    at Object.openSync (node:fs:558:18)',
        '    at loadSettings (file:///opt/holdfast/agent-host.cjs:1:20418)',
        'Node.js v24.11.0',
      ],
    },
  },
  'several destinations': SEVERAL,
  'several, one failing and one absent': {
    ...SEVERAL,
    health: 'attention',
    needs: [
      { kind: 'destination-missing', location: BACKUP_DISK.location, destination: placeOf(BACKUP_DISK) },
      { kind: 'failed', set: 'Documents', at: NOW - HOUR, failure: UNREACHABLE, destination: placeOf(BUCKET) },
      { kind: 'first-backup', set: 'Documents', destination: placeOf(NAS) },
    ],
    destinations: [
      { ...SEVERAL.destinations[0]!, isAtHand: false },
      { ...BUCKET, sets: [{ ...BUCKET.sets[0]!, state: 'failed', failure: UNREACHABLE }] },
      NAS,
    ],
  },
  'several, busy': {
    ...SEVERAL,
    health: 'running',
    runs: [RUNNING_AT_SEVERAL],
    sets: [{ ...DOCUMENTS, decision: { kind: 'running', since: NOW - 95_000, trigger: 'schedule' } }],
    destinations: SEVERAL.destinations.map(backingUp),
  },
  'several, nothing backed up yet': {
    ...SEVERAL,
    health: 'at-risk',
    needs: [{ kind: 'first-backup', set: 'Documents' }],
    sets: [{ ...DOCUMENTS, lastBackup: undefined, lastPoint: undefined }],
    storage: { protectedBytes: 0 },
    destinations: SEVERAL.destinations.map(withoutBackups),
  },
  damaged: {
    ...PROTECTED,
    destination: undefined,
    health: 'at-risk',
    sets: [],
    damage: { code: 'home_damaged', details: { file: '/home/anna/.local/share/holdfast/settings.json' } },
  },
};
